import { Alert, Text } from '@mantine/core'
import { isUnfinished } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { IconAlertTriangle, IconCheck, IconChecks, IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { usePolling } from '../../api/event-stream.ts'
import { useRead } from '../../api/queries.ts'
import { formatSecond } from '../../format.ts'
import { reasonText } from '../../i18n/words.ts'

const POLL_MS = 1500

/** The outcome of a test send, updated until it ends: waiting, sent, delivered, read or failed, with the reason. */
export function TestOutcome({ jobId }: { jobId: number }) {
  const { t } = useTranslation()
  const polling = usePolling()
  const { data: job, isError } = useRead(
    'GET /jobs/:id',
    { params: { id: jobId } },
    {
      refetchInterval: ({ state }) => polling(!state.data || isUnfinished(state.data) ? POLL_MS : false),
      meta: { isQuiet: true },
    },
  )
  const { color, icon: Icon, text } = isError || !job ? unknown(isError) : outcomeOf(job)
  return (
    <Alert color={color} icon={<Icon size={18} aria-hidden />} role="status">
      <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
        {text}
      </Text>
      {!isError && (
        // Opens in a new tab, so that the form keeps its values.
        <Link
          to="/jobs/$id"
          params={{ id: String(jobId) }}
          target="_blank"
          style={{ color: 'inherit', fontSize: 'var(--mantine-font-size-sm)' }}
        >
          {t('MESSAGE.TEST_JOB', { id: jobId })}
        </Link>
      )}
    </Alert>
  )
}

const unknown = (isGone: boolean) => ({
  color: 'gray',
  icon: isGone ? IconAlertTriangle : IconClock,
  text: i18next.t(isGone ? 'MESSAGE.TEST_GONE' : 'COMMON.LOADING'),
})

function outcomeOf(job: Job) {
  const { t } = i18next
  const [sent] = job.sentMessages
  if (!sent) {
    const why = job.waiting && reasonText(job.waiting)
    const next = job.nextSendAt && t('JOB.NEXT_SEND', { time: formatSecond(job.nextSendAt) })
    const status = t(isUnfinished(job) ? 'MESSAGE.TEST_ON_ITS_WAY' : `JOB.STATUS_${job.status.toUpperCase()}`)
    return { color: 'gray', icon: IconClock, text: [status, why, next].filter(Boolean).join('\n') }
  }
  const to = sent.recipientName
  if (sent.status === 'Failed') {
    const why = sent.reason ? reasonText(sent.reason) : (sent.errorMessage ?? '')
    return { color: 'red', icon: IconAlertTriangle, text: t('MESSAGE.TEST_NOT_SENT', { to, why }) }
  }
  const step = sent.readAt ? 'READ' : sent.deliveredAt ? 'DELIVERED' : 'SENT'
  const time = formatSecond(sent.readAt ?? sent.deliveredAt ?? sent.sentAt)
  const icon = step === 'SENT' ? IconCheck : IconChecks
  return { color: 'green', icon, text: t(`MESSAGE.TEST_${step}`, { to, time }) }
}
