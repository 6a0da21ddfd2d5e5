import { Badge, Group } from '@mantine/core'
import type { JobReview, JobStatus, JobType } from '@sendroom/contract/job-life'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'

const colors: Record<JobStatus, string> = {
  Pending: 'yellow',
  Running: 'cyan',
  Completed: 'green',
  Failed: 'red',
  Cancelled: 'gray',
}

export const reviewColors: Record<JobReview, string> = {
  in_review: 'cyan',
  changes_asked: 'orange',
  taken_back: 'gray',
  approved: 'green',
  overdue: 'red',
}

type BadgeProps = {
  job: { status: JobStatus; isPaused: boolean; review: JobReview | null; failedCount: number }
}

/**
 * The job's status, and that of its approval. A completed job may have failed for some recipients, so their number
 * stands beside it.
 */
export function JobStatusBadge({ job }: BadgeProps) {
  const { t } = useTranslation()
  return (
    <Group gap={4}>
      <Badge variant="light" color={colors[job.status]}>
        {t(`JOB.STATUS_${job.status.toUpperCase()}`)}
      </Badge>
      {job.review && (
        <Badge variant="light" color={reviewColors[job.review]}>
          {t(`JOB.REVIEW_${job.review.toUpperCase()}`)}
        </Badge>
      )}
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
