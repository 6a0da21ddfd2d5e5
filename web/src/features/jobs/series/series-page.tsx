import { Text } from '@mantine/core'
import type { SeriesRow } from '@sendroom/contract/series'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { reasonText } from '../../../i18n/words.ts'
import { DataTable } from '../../../lists/data-table.tsx'
import { AddButton } from '../../../lists/list-buttons.tsx'
import { ListPage } from '../../../lists/list-page.tsx'
import { RowActions } from '../../../lists/row-actions.tsx'
import type { Column } from '../../../lists/table.tsx'
import { useList } from '../../../lists/use-list.ts'
import { Name } from '../../../ui/name.tsx'
import { SeriesLink } from '../shared/series-link.tsx'
import { formatRun } from './calendar-names.ts'
import { ruleText, SeriesStateBadge } from './series-labels.tsx'
import { useSeriesActions } from './use-series-actions.ts'

const POLL_MS = 30_000

const columns: Column<SeriesRow>[] = [
  { header: 'SERIES.NAME', cell: (series) => <SeriesLink series={series} />, sortBy: 'name' },
  { header: 'SERIES.WHEN', cell: ruleText },
  { header: 'SERIES.NEXT_RUN', cell: nextRunText, sortBy: 'nextRun' },
  { header: 'SERIES.STATE', cell: (series) => <State series={series} /> },
  { header: 'JOB.INSTANCE', cell: ({ instance }) => <Name>{instance.name}</Name> },
]

/** The series of the accounts that the user sees. */
export function SeriesPage() {
  const { t } = useTranslation()
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const list = useList({
    feature: 'series',
    sortFields: ['name', 'nextRun', 'createdAt', 'id'],
    sortDirection: 'asc',
    load: (query, signal) => call('GET /series', { query }, signal),
    words: 'SERIES.LOAD_FAILED',
    pollEvery: (rows) => rows.some(({ state }) => state === 'active') && POLL_MS,
  })
  const add = (
    <AddButton to="/series/new" label="SERIES.ADD" reason={isAllowed ? undefined : t('SERIES.NOT_ALLOWED')} />
  )
  return (
    <ListPage title="SERIES.TITLE" list={list} buttons={add}>
      <DataTable
        list={list}
        label="SERIES.TITLE"
        columns={columns}
        empty={list.query.search ? 'COMMON.NO_DATA_FOUND' : isAllowed ? 'SERIES.EMPTY' : 'COMMON.NO_DATA'}
        actions={(series) => <Actions series={series} isAllowed={isAllowed} />}
      />
    </ListPage>
  )
}

function nextRunText({ nextRun, rule, state }: SeriesRow) {
  return nextRun && state === 'active' ? formatRun(nextRun.dueAt, rule.timeZone) : '–'
}

function State({ series: { state, pausedReason } }: { series: SeriesRow }) {
  return (
    <>
      <SeriesStateBadge state={state} />
      {pausedReason && (
        <Text size="xs" c="dimmed">
          {reasonText(pausedReason)}
        </Text>
      )}
    </>
  )
}

function Actions({ series, isAllowed }: { series: SeriesRow; isAllowed: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { pause, resume, remove } = useSeriesActions(series)
  const isPaused = series.state === 'paused'
  const primary = isPaused ? resume : pause
  const notAllowed = isAllowed ? undefined : t('SERIES.NOT_ALLOWED')
  const reason = notAllowed ?? (series.state === 'ended' ? t('SERIES.HAS_ENDED') : undefined)
  return (
    <RowActions
      actions={[
        {
          label: t(isPaused ? 'SERIES.RESUME' : 'SERIES.PAUSE'),
          icon: isPaused ? IconPlayerPlay : IconPlayerPause,
          reason,
          loading: primary.isPending,
          onClick: primary.ask,
        },
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          reason,
          onClick: () => navigate({ to: '/series/edit/$id', params: { id: String(series.id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          reason: notAllowed,
          loading: remove.isPending,
          onClick: () => remove.ask(),
        },
      ]}
    />
  )
}
