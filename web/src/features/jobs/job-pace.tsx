import { Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatNumber } from '../../format.ts'
import classes from './job-detail.module.css'
import { endOf } from './job-end.ts'

const SECOND_MS = 1000

/** How fast a job is, when its next message goes and when it is through: by the second, as one looks at it. */
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

function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
