import { Alert, Stack } from '@mantine/core'
import type { Series } from '@sendroom/contract/series'
import { IconFlag, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../../address.ts'
import { usePolling } from '../../../api/event-stream.ts'
import { useRead } from '../../../api/queries.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useRedirectOnFailure } from '../../../api/use-redirect-on-failure.ts'
import { reasonText } from '../../../i18n/words.ts'
import { Loading } from '../../../ui/loading.tsx'
import { ActionButton, DetailHeader } from '../shared/detail-header.tsx'
import { NextRuns, PastRuns } from './runs.tsx'
import { SeriesApproval } from './series-approval.tsx'
import { SeriesFacts } from './series-facts.tsx'
import { SeriesStateBadge } from './series-labels.tsx'
import { useSeriesActions } from './use-series-actions.ts'

const POLL_MS = 30_000

/** A series with its runs. */
export function OneSeriesPage() {
  const id = idOf(useParams({ strict: false })) ?? 0
  const polling = usePolling()
  const { data: series, isError } = useRead(
    'GET /series/:id',
    { params: { id } },
    {
      refetchInterval: () => polling(POLL_MS),
      meta: { words: 'SERIES.LOAD_FAILED' },
    },
  )
  useRedirectOnFailure(isError && !series, '/series')
  if (!series) return <Loading />
  return (
    <Stack>
      <Header series={series} />
      {series.state === 'paused' && series.pausedReason && (
        <Alert color="yellow">{reasonText(series.pausedReason)}</Alert>
      )}
      <SeriesApproval series={series} />
      <SeriesFacts series={series} />
      {series.state !== 'ended' && <NextRuns series={series} />}
      <PastRuns series={series} />
    </Stack>
  )
}

function Header({ series }: { series: Series }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayChange = mayDo('canCreateJobs', useCurrentUser())
  const { pause, resume, end, remove } = useSeriesActions(series)
  const isPaused = series.state === 'paused'
  const notAllowed = mayChange ? undefined : 'SERIES.NOT_ALLOWED'
  const reason = notAllowed ?? (series.state === 'ended' ? 'SERIES.HAS_ENDED' : undefined)
  return (
    <DetailHeader
      back={{ to: '/series', label: t('SERIES.BACK') }}
      title={series.name}
      badge={<SeriesStateBadge state={series.state} />}
    >
      <ActionButton
        label={isPaused ? 'SERIES.RESUME' : 'SERIES.PAUSE'}
        icon={isPaused ? IconPlayerPlay : IconPlayerPause}
        action={isPaused ? resume : pause}
        disabledReason={reason}
      />
      <ActionButton
        label="COMMON.EDIT"
        icon={IconPencil}
        action={{
          isPending: false,
          ask: () => navigate({ to: '/series/edit/$id', params: { id: String(series.id) } }),
        }}
        disabledReason={reason}
      />
      <ActionButton label="SERIES.END" icon={IconFlag} action={end} disabledReason={reason} />
      <ActionButton
        label="COMMON.DELETE"
        icon={IconTrash}
        action={{ ...remove, ask: () => remove.ask(() => navigate({ to: '/series' })) }}
        disabledReason={notAllowed}
      />
    </DetailHeader>
  )
}
