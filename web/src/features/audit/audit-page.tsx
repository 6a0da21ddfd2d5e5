import { Box } from '@mantine/core'
import type { AuditEntry } from '@sendroom/contract/audit'
import { IconListDetails } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { dayOf, formatSecond, instantAt } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { DownloadButton } from '../../lists/download-button.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { readListSearch } from '../../lists/list-search.ts'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Name } from '../../ui/name.tsx'
import { RowAction } from '../../ui/row-action.tsx'
import { AuditFilter } from './audit-filter.tsx'
import { type AuditFilters, type AuditSearch, readFilters } from './audit-search.ts'
import { ActionName, ObjectName } from './audit-words.tsx'

const AuditDetails = lazyComponent(async () => (await import('./audit-details.tsx')).AuditDetails)

const columns: Column<AuditEntry>[] = [
  { header: 'AUDIT.TIME', cell: ({ at }) => formatSecond(at), sortBy: 'at', isOneLine: true },
  { header: 'AUDIT.USER', cell: ({ userName }) => <Name>{userName || '–'}</Name> },
  { header: 'AUDIT.ACTION', cell: ({ action }) => <ActionName action={action} /> },
  { header: 'AUDIT.OBJECT', cell: (entry) => <ObjectName entry={entry} /> },
  {
    header: 'AUDIT.ADDRESS',
    cell: ({ address }) => (
      // Wide enough for 255.255.255.255. A longer address may wrap.
      <Box miw="7.5rem">
        <Name>{address || '–'}</Name>
      </Box>
    ),
  },
]

export function AuditPage() {
  const { t } = useTranslation()
  const [shown, setShown] = useState<AuditEntry | null>(null)
  const address: AuditSearch = useSearch({ strict: false })
  const filters = readFilters(address)
  const navigate = useNavigate()
  const list = useList({
    feature: 'audit',
    sortFields: ['at'],
    sortDirection: 'desc',
    filters,
    load: (query, signal) => call('GET /audit', { query: { ...query, ...callFilters(filters) } }, signal),
  })
  const isFiltered = list.query.search !== '' || Object.keys(filters).length > 0
  return (
    <ListPage title="AUDIT.TITLE" list={list} buttons={<ExportButton search={address} />}>
      <AuditFilter
        filters={filters}
        onChange={(changed) => {
          const search = readListSearch({ ...address, page: 1 })
          // The router wants the search type of one known page.
          navigate({ to: '.', search: { ...search, ...changed } as never })
        }}
      />
      <DataTable
        list={list}
        label="AUDIT.TITLE"
        columns={columns}
        empty={isFiltered ? 'COMMON.NO_DATA_FOUND' : 'COMMON.NO_DATA'}
        actions={(entry) => (
          <RowAction label={t('AUDIT.DETAILS')} icon={IconListDetails} onClick={() => setShown(entry)} />
        )}
      />
      {shown && <AuditDetails entry={shown} onClose={() => setShown(null)} />}
    </ListPage>
  )
}

/** Downloads what the list shows, all pages of it. */
function ExportButton({ search: address }: { search: AuditSearch }) {
  const { t } = useTranslation()
  const { search } = address
  const query = { ...(search && { search }), ...callFilters(readFilters(address)) }
  return (
    <DownloadButton
      text={t('AUDIT.EXPORT')}
      words={{ success: 'AUDIT.EXPORTED', failure: 'AUDIT.EXPORT_FAILED' }}
      save={() => download('GET /audit/export', { query }, `Audit_log_${dayOf(new Date())}.csv`)}
    />
  )
}

const DAY_MS = 86_400_000

/** The same filters as the API takes them. The last day is included. */
const callFilters = ({ action, from, to }: AuditFilters) => ({
  ...(action && { action }),
  ...(from && { from: instantAt(`${from}T00:00`) }),
  ...(to && { to: new Date(Date.parse(instantAt(`${to}T00:00`)) + DAY_MS).toISOString() }),
})
