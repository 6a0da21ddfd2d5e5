import { Progress, Text } from '@mantine/core'
import { progressOf } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'
import { JobStatusBadge } from '../shared/job-labels.tsx'
import classes from './job-outcome.module.css'

/** The job's status, and how many of its recipients got the message. */
export function JobOutcome({ job }: { job: JobRow }) {
  const { t } = useTranslation()
  const { sentCount, recipientCount, review } = job
  return (
    <div className={classes.outcome}>
      <JobStatusBadge job={job} />
      <div className={classes.progress} data-review={review}>
        <Progress
          value={progressOf(sentCount, recipientCount)}
          aria-label={t('JOB.PROGRESS')}
          size="sm"
          w={48}
          flex="none"
        />
        <Text size="xs" c="dimmed" span>
          {formatNumber(sentCount)}/{formatNumber(recipientCount)}
        </Text>
      </div>
    </div>
  )
}
