import { Badge, Group, NativeSelect, Text } from '@mantine/core'
import type { OptOut, OptOutSearch } from '@sendroom/contract/opt-outs'
import { IconUserCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { dayOf, formatDateTime, formatNumber } from '../../format.ts'
import { endText, numberOf, scopeText, sourceText } from '../../forms/opt-out-words.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { DownloadButton } from '../../lists/download-button.tsx'
import { AddButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Name } from '../../ui/name.tsx'
import { PersonCell } from './person-cell.tsx'

const EndOptOutDialog = lazyComponent(
  async () => (await import('../../forms/end-opt-out-dialog.tsx')).EndOptOutDialog,
)

const columns: Column<OptOut>[] = [
  { header: 'OPT_OUT.PERSON', cell: (row) => <PersonCell row={row} /> },
  { header: 'OPT_OUT.STATE', cell: (row) => <State row={row} /> },
  { header: 'OPT_OUT.WORDS', cell: (row) => <Words row={row} /> },
  {
    header: 'OPT_OUT.SINCE',
    cell: ({ saidAt }) => formatDateTime(saidAt),
    sortBy: 'saidAt',
    isOneLine: true,
  },
  {
    header: 'OPT_OUT.SOURCE',
    // Wide enough for the longest Chinese phrase, whose words would otherwise be broken.
    cell: (row) => (
      <span style={{ display: 'inline-block', minWidth: '7em', wordBreak: 'keep-all' }}>
        <Name>{sourceText(row)}</Name>
      </span>
    ),
  },
  { header: 'OPT_OUT.SCOPE', cell: (row) => <Name>{scopeText(row)}</Name> },
]

/** Everybody who wants no more messages, or once wanted none. */
export function OptOutsPage() {
  const { t } = useTranslation()
  // Not in the address, because a search may be a name or a number.
  const [search, setSearch] = useState('')
  const [only, setOnly] = useState<OptOutSearch['only']>()
  const [ending, setEnding] = useState<OptOut | null>(null)
  const list = useList({
    feature: 'opt-outs',
    sortFields: ['saidAt'],
    sortDirection: 'desc',
    hidden: { key: { search, only }, search, setSearch },
    load: (query, signal) => call('POST /opt-outs/search', { body: { ...query, only } }, signal),
  })
  const total = list.pagination?.totalCount ?? 0
  const add = <AddButton to="/opt-outs/new" label="OPT_OUT.ADD" reason={undefined} />
  return (
    <ListPage
      title="OPT_OUT.TITLE"
      list={list}
      buttons={add}
      bulk={
        <Group gap="xs">
          <StateFilter only={only} setOnly={setOnly} />
          {total > 0 && <ExportButtons filter={{ search, only }} count={total} />}
        </Group>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {t('OPT_OUT.HINT')}
      </Text>
      <DataTable
        list={list}
        label="OPT_OUT.TITLE"
        columns={columns}
        empty={search || only ? 'COMMON.NO_DATA_FOUND' : 'OPT_OUT.EMPTY'}
        emptyButtons={!search && !only && add}
        actions={(row) => row.holds && <EndAction onEnd={() => setEnding(row)} />}
      />
      {ending && (
        <EndOptOutDialog
          optOut={ending}
          name={ending.contact?.name || numberOf(ending)}
          onClose={() => setEnding(null)}
        />
      )}
    </ListPage>
  )
}

type FilterProps = { only: OptOutSearch['only']; setOnly: (only: OptOutSearch['only']) => void }

function StateFilter({ only, setOnly }: FilterProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      aria-label={t('OPT_OUT.STATE')}
      value={only ?? ''}
      // The options are these values.
      onChange={({ currentTarget: { value } }) => setOnly((value || undefined) as OptOutSearch['only'])}
      data={[
        { value: '', label: t('OPT_OUT.ALL') },
        { value: 'holding', label: t('OPT_OUT.ONLY_HOLDING') },
        { value: 'ended', label: t('OPT_OUT.ONLY_ENDED') },
      ]}
    />
  )
}

type ExportProps = { filter: Pick<OptOutSearch, 'search' | 'only'>; count: number }

function ExportButtons({ filter, count }: ExportProps) {
  const { t } = useTranslation()
  return (['csv', 'xlsx'] as const).map((format) => (
    <DownloadButton
      key={format}
      size="xs"
      text={t(`OPT_OUT.EXPORT_${format.toUpperCase()}`, { number: formatNumber(count) })}
      words={{ success: 'OPT_OUT.EXPORTED', failure: 'OPT_OUT.EXPORT_FAILED' }}
      save={() =>
        download(
          `POST /opt-outs/export/${format}`,
          { body: { ...filter, language: currentLanguage() } },
          `Opt-outs_${dayOf(new Date())}.${format}`,
        )
      }
    />
  ))
}

function State({ row }: { row: OptOut }) {
  const { t } = useTranslation()
  if (row.holds)
    return (
      <Badge variant="light" color="red">
        {t('OPT_OUT.HOLDS')}
      </Badge>
    )
  return (
    <>
      <Badge variant="light" color="gray">
        {t('OPT_OUT.HAS_ENDED')}
      </Badge>
      <Text size="xs" c="dimmed">
        <Name>{row.endedAt ? endText(row) : t('OPT_OUT.REPLACED')}</Name>
        {row.endedReason && <Name>{row.endedReason}</Name>}
      </Text>
    </>
  )
}

const Words = ({ row: { words } }: { row: OptOut }) => (
  <Text size="sm" maw="24rem" lineClamp={3} title={words} dir="auto" style={{ overflowWrap: 'anywhere' }}>
    {words}
  </Text>
)

function EndAction({ onEnd }: { onEnd: () => void }) {
  const { t } = useTranslation()
  return <RowActions actions={[{ label: t('OPT_OUT.END'), icon: IconUserCheck, onClick: onEnd }]} />
}
