import { Anchor, Badge, Box, Group, Stack } from '@mantine/core'
import type { Import } from '@sendroom/contract/imports'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { formatDateTime, formatNumber } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'
import { FromAccount } from './from-account.tsx'
import { isActive, POLL_MS, useSourceName } from './import-words.ts'
import { UploadField } from './upload-field.tsx'

const columns: Column<Import>[] = [
  { header: 'IMPORT.SOURCE', cell: (row) => <SourceLink row={row} /> },
  { header: 'IMPORT.STATUS', cell: (row) => <StatusBadge row={row} /> },
  { header: 'IMPORT.ADDED', cell: (row) => countOf(row, row.added), isOneLine: true },
  { header: 'IMPORT.CHANGED', cell: (row) => countOf(row, row.changed), isOneLine: true },
  { header: 'IMPORT.REFUSED', cell: (row) => countOf(row, row.twice + row.refused), isOneLine: true },
  { header: 'IMPORT.BY', cell: (row) => <By>{row.createdByUserName}</By> },
  { header: 'IMPORT.AT', cell: (row) => formatDateTime(row.startedAt ?? row.createdAt), isOneLine: true },
]

/** Takes a file or an account as the source of contacts, and lists what was imported. */
export function ImportsPage() {
  const { t } = useTranslation()
  const list = useList({
    feature: 'imports',
    sortFields: ['id'],
    sortDirection: 'desc',
    load: ({ page, pageSize }, signal) => call('GET /imports', { query: { page, pageSize } }, signal),
    pollEvery: (rows) => rows.some(isActive) && POLL_MS,
  })
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{t('IMPORT.TITLE')}</PageTitle>
        <FromAccount />
      </Group>
      <UploadField />
      <Section title={t('IMPORT.PAST')}>
        <DataTable list={list} label="IMPORT.PAST" columns={columns} empty="IMPORT.EMPTY" />
      </Section>
    </Stack>
  )
}

/** Wide enough for a short name. A longer one may wrap. */
const By = ({ children }: { children: string }) => (
  <Box miw="5rem">
    <Name>{children}</Name>
  </Box>
)

/** Before the end the counts are none. */
const countOf = ({ endedAt }: Import, count: number) => (endedAt ? formatNumber(count) : '–')

function SourceLink({ row }: { row: Import }) {
  const name = useSourceName()
  return (
    <Anchor
      size="sm"
      fw={500}
      renderRoot={(props) => <Link {...props} to="/imports/$id" params={{ id: String(row.id) }} />}
    >
      <Name>{name(row)}</Name>
    </Anchor>
  )
}

const COLORS = {
  checking: 'blue',
  checked: 'yellow',
  running: 'blue',
  done: 'green',
  undoing: 'blue',
  undone: 'gray',
}

export function StatusBadge({ row: { status } }: { row: Import }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={COLORS[status]}>
      {t(`IMPORT.STATUS_${status.toUpperCase()}`)}
    </Badge>
  )
}
