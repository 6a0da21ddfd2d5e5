import { Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatNumber } from '../../../format.ts'
import { useNow } from '../../../ui/use-now.ts'
import classes from './job-detail.module.css'

const MINUTE_MS = 60_000
/** Above one message a second no pause limits the job, so its current rate predicts better than the instance's pace. */
const FAST_PER_MINUTE = 60

/** The job's rate, the time of its next message and its expected end. Counts down every second. */
export function JobPace({ job }: { job: Job }) {
  const { t } = useTranslation()
  const now = useNow()
  const end = endOf(job, now)
  const next = job.nextSendAt === null ? null : Date.parse(job.nextSendAt) - now
  const facts = {
    RATE: job.status === 'Running' && formatNumber(job.recipients.sentLastMinute),
    NEXT_IN: next !== null && (next > 0 ? formatDuration(next) : t('JOB.ANY_MOMENT')),
    TIME_LEFT: end !== null && t('JOB.ABOUT', { time: formatDuration(end - now) }),
    ENDS_AT: end !== null && formatDateTime(new Date(end).toISOString()),
  }
  return (
    <dl className={`${classes.figures} ${classes.times}`}>
      {Object.entries(facts).map(
        ([name, text]) =>
          text && (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {t(`JOB.${name}`)}
              </Text>
              <Text component="dd" m={0} fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
                {text}
              </Text>
            </div>
          ),
      )}
    </dl>
  )
}

/** The expected end of a job, in milliseconds since 1970; null if it is unknown or due now. */
export function endOf(
  { recipients, startedAt, endsAt }: Pick<Job, 'recipients' | 'startedAt' | 'endsAt'>,
  now: number,
): number | null {
  const { waiting, sentLastMinute } = recipients
  if (waiting > 0 && sentLastMinute > FAST_PER_MINUTE) {
    const running = startedAt === null ? 0 : now - Date.parse(startedAt)
    // A job that began five seconds ago has sent all of that in five seconds.
    const counted = running > 0 && running < MINUTE_MS ? running : MINUTE_MS
    return now + (waiting / sentLastMinute) * counted
  }
  const end = endsAt === null ? now : Date.parse(endsAt)
  return end > now ? end : null
}
