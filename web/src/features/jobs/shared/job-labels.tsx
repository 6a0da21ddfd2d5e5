import { Badge, Group } from '@mantine/core'
import type { JobStatus, JobType } from '@sendroom/contract/job-life'
import { useTranslation } from 'react-i18next'

const colors: Record<JobStatus, string> = {
  Pending: 'yellow',
  Running: 'cyan',
  Completed: 'green',
  Failed: 'red',
  Cancelled: 'gray',
}

export function JobStatusBadge({ job }: { job: { status: JobStatus; isPaused: boolean } }) {
  const { t } = useTranslation()
  return (
    <Group gap={4}>
      <Badge variant="light" color={colors[job.status]}>
        {t(`JOB.STATUS_${job.status.toUpperCase()}`)}
      </Badge>
      {job.isPaused && (
        <Badge variant="outline" color="gray">
          {t('JOB.PAUSED')}
        </Badge>
      )}
    </Group>
  )
}

export function JobTypeName({ type }: { type: JobType }) {
  const { t } = useTranslation()
  return t(`JOB.TYPE_${type.toUpperCase()}`)
}
