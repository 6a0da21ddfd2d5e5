import { Badge, Button, Stack, Text } from '@mantine/core'
import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useTranslation } from 'react-i18next'
import { useResumeAccount } from '../../api/use-resume-account.ts'
import { formatDateTime } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'

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

/** The status, and below it what is wrong with the account or its newest sync. */
export function InstanceStatusBadge({ instance }: { instance: InstanceRow }) {
  const { t } = useTranslation()
  const { status, statusSeenAt } = instance
  const troubles = [instance.waiting, instance.syncProblem].filter((reason) => reason !== null)
  const resume = useResumeAccount(instance, instance.waiting)
  const seen =
    statusSeenAt === null ? undefined : t('ACCOUNT.SEEN_AT', { time: formatDateTime(statusSeenAt) })
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={colors[status]} title={seen}>
        {t(`ACCOUNT.STATUS_${status.toUpperCase()}`)}
      </Badge>
      {troubles.map((reason) => (
        <Text key={reason.code} size="xs" c="dimmed" maw={260}>
          {reasonText(reason)}
        </Text>
      ))}
      {resume && (
        <Button size="compact-xs" variant="light" loading={resume.isPending} onClick={resume.ask}>
          {t('ACCOUNT.RESUME')}
        </Button>
      )}
    </Stack>
  )
}
