import { Badge, Group } from '@mantine/core'
import type { JobStatus } from '@sendroom/contract/job-life'
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
