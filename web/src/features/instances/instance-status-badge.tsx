import { Badge, Stack, Text } from '@mantine/core'
import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useTranslation } from 'react-i18next'
import { useResumeSending } from '../../api/use-resume-sending.ts'
import { formatAgo, formatDateTime } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { holdTexts } from './hold-texts.ts'

const colors: Record<InstanceStatus, string> = {
  Connected: 'green',
  NeedsLogin: 'orange',
  Connecting: 'cyan',
  Degraded: 'yellow',
  Disconnected: 'red',
  BadToken: 'red',
  Unpaid: 'red',
  Unknown: 'gray',
}

/** The status, with the problems of the instance and of its newest sync below. */
export function InstanceStatusBadge({ instance }: { instance: InstanceRow }) {
  const { t } = useTranslation()
  const { status, statusSeenAt } = instance
  const resume = useResumeSending(instance, instance.waiting)
  const lastSeen =
    statusSeenAt === null ? undefined : t('ACCOUNT.SEEN_AT', { time: formatDateTime(statusSeenAt) })
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={colors[status]} title={lastSeen}>
        {t(`ACCOUNT.STATUS_${status.toUpperCase()}`)}
      </Badge>
      {holdTexts(instance.holds).map((text) => (
        <Why key={text} color={instance.waiting ? 'var(--sendroom-warning)' : 'dimmed'}>
          {text}
        </Why>
      ))}
      <SyncProblem instance={instance} />
      {resume && (
        <BusyButton size="compact-xs" variant="light" isBusy={resume.isPending} onClick={resume.ask}>
          {t('ACCOUNT.RESUME')}
        </BusyButton>
      )}
    </Stack>
  )
}

/** Why the groups are outdated. Hidden if the instance waits for the same reason, which is shown already. */
function SyncProblem({ instance: { waiting, syncProblem, lastSyncAt } }: { instance: InstanceRow }) {
  const { t } = useTranslation()
  if (!syncProblem || syncProblem.code === waiting?.code) return null
  const since = lastSyncAt ? t('ACCOUNT.SYNCED_AGO', { ago: formatAgo(lastSyncAt) }) : t('GROUP.NEVER_WHOLE')
  return <Why>{`${t('ACCOUNT.SYNC_FAILED', { why: reasonText(syncProblem) })} ${since}`}</Why>
}

const Why = ({ children, color = 'dimmed' }: { children: string; color?: string }) => (
  <Text size="xs" c={color} maw={260}>
    {children}
  </Text>
)
