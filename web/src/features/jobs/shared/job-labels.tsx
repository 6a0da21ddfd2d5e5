import { Badge, Group } from '@mantine/core'
import type { JobStatus, JobType } from '@sendroom/contract/job-life'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'

const colors: Record<JobStatus, string> = {
  Pending: 'yellow',
  Running: 'cyan',
  Completed: 'green',
  Failed: 'red',
  Cancelled: 'gray',
}

type BadgeProps = { job: { status: JobStatus; isPaused: boolean; failedCount: number } }

/** The job's status. A completed job may have failed for some recipients, so their number stands beside it. */
export function JobStatusBadge({ job }: BadgeProps) {
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
      {job.failedCount > 0 && (
        <Badge variant="light" color="red">
          {t('JOB.FAILED_NUMBER', { number: formatNumber(job.failedCount) })}
        </Badge>
      )}
    </Group>
  )
}

export function JobTypeName({ type }: { type: JobType }) {
  const { t } = useTranslation()
  return t(`JOB.TYPE_${type.toUpperCase()}`)
}
