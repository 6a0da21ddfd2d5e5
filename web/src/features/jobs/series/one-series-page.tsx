import { ActionIcon, Alert, Group, Stack } from '@mantine/core'
import type { Series } from '@sendroom/contract/series'
import {
  IconArrowLeft,
  IconFlag,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../../address.ts'
import { usePolling } from '../../../api/event-stream.ts'
import { useRead } from '../../../api/queries.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useRedirectOnFailure } from '../../../api/use-redirect-on-failure.ts'
import { reasonText } from '../../../i18n/words.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { disabledProps } from '../../../ui/button-props.ts'
import { Loading } from '../../../ui/loading.tsx'
import { PageTitle } from '../../../ui/page-title.tsx'
import { NextRuns, PastRuns } from './runs.tsx'
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
  const notAllowed = mayChange ? undefined : t('SERIES.NOT_ALLOWED')
  const reason = notAllowed ?? (series.state === 'ended' ? t('SERIES.HAS_ENDED') : undefined)
  return (
    <Group justify="space-between">
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          component={Link}
          to="/series"
          variant="subtle"
          color="gray"
          size="lg"
          ml="-xs"
          aria-label={t('SERIES.BACK')}
          title={t('SERIES.BACK')}
        >
          <IconArrowLeft size={20} aria-hidden />
        </ActionIcon>
        <PageTitle>{series.name}</PageTitle>
        <SeriesStateBadge state={series.state} />
      </Group>
      <Group gap="xs">
        <ActionButton
          label={t(isPaused ? 'SERIES.RESUME' : 'SERIES.PAUSE')}
          icon={isPaused ? IconPlayerPlay : IconPlayerPause}
          action={isPaused ? resume : pause}
          reason={reason}
        />
        <ActionButton
          label={t('COMMON.EDIT')}
          icon={IconPencil}
          action={{
            isPending: false,
            ask: () => navigate({ to: '/series/edit/$id', params: { id: String(series.id) } }),
          }}
          reason={reason}
        />
        <ActionButton label={t('SERIES.END')} icon={IconFlag} action={end} reason={reason} />
        <ActionButton
          label={t('COMMON.DELETE')}
          icon={IconTrash}
          action={{ ...remove, ask: () => remove.ask(() => navigate({ to: '/series' })) }}
          reason={notAllowed}
        />
      </Group>
    </Group>
  )
}

type ButtonProps = {
  label: string
  icon: TablerIcon
  action: { isPending: boolean; ask: () => unknown }
  reason: string | undefined
}

const ActionButton = ({ label, icon: Icon, action, reason }: ButtonProps) => (
  <BusyButton
    variant="default"
    isBusy={action.isPending}
    leftSection={<Icon size={16} aria-hidden />}
    onClick={action.ask}
    {...(reason !== undefined && disabledProps(reason))}
  >
    {label}
  </BusyButton>
)
