import { Anchor, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { Series } from '@sendroom/contract/series'
import type { SeriesRun } from '@sendroom/contract/series-runs'
import type { runPeriods } from '@sendroom/contract/series-states'
import { IconCalendarTime, IconMessage2Cog, IconPlayerSkipForward } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { usePolling } from '../../../api/event-stream.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useAction } from '../../../api/use-action.ts'
import { truncate } from '../../../format.ts'
import { labelled } from '../../../i18n/punctuation.ts'
import { reasonText } from '../../../i18n/words.ts'
import { PageEnd } from '../../../lists/page-end.tsx'
import { RowActions } from '../../../lists/row-actions.tsx'
import { type Column, Table } from '../../../lists/table.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { confirm } from '../../../ui/confirm.ts'
import { lazyComponent } from '../../../ui/lazy-component.tsx'
import { Name } from '../../../ui/name.tsx'
import { Section } from '../../../ui/section.tsx'
import { formatRun } from './calendar-names.ts'
import { RunBadge } from './series-labels.tsx'

const RunMessageDialog = lazyComponent(
  async () => (await import('./run-message-dialog.tsx')).RunMessageDialog,
)
const MoveRunDialog = lazyComponent(async () => (await import('./move-run-dialog.tsx')).MoveRunDialog)

const POLL_MS = 30_000

type Props = { series: Series }

const time = ({ rule: { timeZone } }: Series): Column<SeriesRun> => ({
  header: 'SERIES.TIME',
  cell: (run) => <RunTime run={run} timeZone={timeZone} />,
})
const state: Column<SeriesRun> = { header: 'SERIES.STATE', cell: (run) => <State run={run} /> }
const job: Column<SeriesRun> = { header: 'SERIES.JOB', cell: ({ jobId }) => <JobLink jobId={jobId} /> }

/** The runs to come, which can be moved and skipped one by one. */
export function NextRuns({ series }: Props) {
  const { t } = useTranslation()
  const mayChange = mayDo('canCreateJobs', useCurrentUser())
  const [moved, setMoved] = useState<SeriesRun | null>(null)
  const [changed, setChanged] = useState<SeriesRun | null>(null)
  const skip = useAction('POST /series/:id/runs/:runId/skip', {
    success: 'SERIES.SKIPPED',
    failure: 'SERIES.ACTION_FAILED',
  })
  const askAndSkip = async (run: SeriesRun) => {
    const at = formatRun(run.dueAt, series.rule.timeZone)
    const isSure = await confirm({
      title: t('SERIES.SKIP'),
      message: t('SERIES.CONFIRM_SKIP', { time: at }),
      confirmText: t('SERIES.SKIP'),
      confirmColor: 'orange',
    })
    if (isSure) skip.mutate({ params: { id: series.id, runId: run.id } })
  }
  const reasonFor = (run: SeriesRun) =>
    mayChange ? (run.state === 'planned' ? undefined : t('ERROR.run_not_planned')) : t('SERIES.NOT_ALLOWED')
  return (
    <>
      <Runs
        series={series}
        period="next"
        title="SERIES.NEXT_RUNS"
        empty="SERIES.NO_NEXT_RUNS"
        columns={[time(series), state]}
        actions={(run) => (
          <RowActions
            actions={[
              {
                label: t(run.id === series.nextRun?.id ? 'SERIES.SKIP_NEXT' : 'SERIES.SKIP'),
                icon: IconPlayerSkipForward,
                reason: reasonFor(run),
                loading: skip.isPending && skip.variables.params.runId === run.id,
                onClick: () => askAndSkip(run),
              },
              {
                label: t('SERIES.MOVE'),
                icon: IconCalendarTime,
                reason: reasonFor(run),
                onClick: () => setMoved(run),
              },
              {
                label: t('SERIES.RUN_MESSAGE'),
                icon: IconMessage2Cog,
                reason: reasonFor(run),
                onClick: () => setChanged(run),
              },
            ]}
          />
        )}
      />
      {moved && <MoveRunDialog series={series} run={moved} onClose={() => setMoved(null)} />}
      {changed && <RunMessageDialog series={series} run={changed} onClose={() => setChanged(null)} />}
    </>
  )
}

export const PastRuns = ({ series }: Props) => (
  <Runs
    series={series}
    period="past"
    title="SERIES.PAST_RUNS"
    empty="SERIES.NO_PAST_RUNS"
    columns={[time(series), state, job]}
  />
)

type RunsProps = {
  series: Series
  period: (typeof runPeriods)[number]
  /** Translation keys. */
  title: string
  empty: string
  columns: Column<SeriesRun>[]
  actions?: (run: SeriesRun) => ReactNode
}

function Runs({ series: { id }, period, title, empty, columns, actions }: RunsProps) {
  const { t } = useTranslation()
  const [paging, setPaging] = useState<{ page: number; pageSize: number }>({
    page: 1,
    pageSize: limits.pageSize,
  })
  const polling = usePolling()
  const result = useQuery({
    queryKey: ['series', 'GET /series/:id/runs', id, period, paging],
    queryFn: ({ signal }) =>
      call('GET /series/:id/runs', { params: { id }, query: { ...paging, period } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: () => polling(POLL_MS),
    meta: { isQuiet: true },
  })
  const { data } = result
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  return (
    <Section title={t(title)}>
      {data && data.data.length > 0 && (
        <Table
          label={t(title)}
          columns={columns}
          rows={data.data}
          isBusy={result.isPlaceholderData}
          last={
            actions && {
              className: undefined,
              header: t('COMMON.ACTIONS'),
              cell: actions,
            }
          }
        />
      )}
      <PageEnd result={result} empty={empty} onPage={setPaging} />
    </Section>
  )
}

type TimeProps = { run: SeriesRun; timeZone: string }

/** When a run is due, when the rule has it if it was moved, and the message of its own. */
function RunTime({ run: { dueAt, localTime, message }, timeZone }: TimeProps) {
  const { t } = useTranslation()
  const now = formatRun(dueAt, timeZone)
  const before = formatRun(`${localTime}Z`, 'UTC')
  return (
    <>
      {now}
      {now !== before && (
        <Text size="xs" c="dimmed">
          {t('SERIES.MOVED_FROM', { time: before })}
        </Text>
      )}
      {message && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {labelled(t('SERIES.OTHER_MESSAGE'), '')}
          <Name>{truncate(message.textContent, limits.titleLength)}</Name>
        </Text>
      )}
    </>
  )
}

const State = ({ run }: { run: SeriesRun }) => (
  <>
    <RunBadge run={run} />
    {run.reason && (
      <Text size="xs" c="dimmed">
        {reasonText(run.reason)}
      </Text>
    )}
  </>
)

function JobLink({ jobId }: { jobId: number | null }) {
  const { t } = useTranslation()
  if (jobId === null) return '–'
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link {...props} to="/jobs/$id" params={{ id: String(jobId) }} />}
    >
      {t('JOB.DETAIL_TITLE', { id: jobId })}
    </Anchor>
  )
}
