import { Badge } from '@mantine/core'
import type { Job, JobLog, SentMessage } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { formatSecond } from '../../../format.ts'
import { reasonText } from '../../../i18n/words.ts'
import type { Column } from '../../../lists/table.tsx'
import { Name } from '../../../ui/name.tsx'
import { JobReceipt } from './job-receipt.tsx'
import { JobTable } from './job-table.tsx'

const levelColors: Record<JobLog['logLevel'], string> = { Info: 'cyan', Warning: 'yellow', Error: 'red' }

const sentColumns: Column<SentMessage>[] = [
  { header: 'JOB.RECIPIENT', cell: (sent) => <Recipient sent={sent} /> },
  { header: 'JOB.STATUS', cell: (sent) => <SentBadge status={sent.status} /> },
  { header: 'JOB.SENT_AT', cell: (sent) => formatSecond(sent.sentAt), isOneLine: true },
  { header: 'JOB.RECEIPT', cell: (sent) => <JobReceipt sent={sent} /> },
  { header: 'JOB.ERROR', cell: (sent) => (sent.reason ? reasonText(sent.reason) : sent.errorMessage) },
]

const logColumns: Column<JobLog>[] = [
  { header: 'JOB.TIME', cell: (log) => formatSecond(log.createdAt), isOneLine: true },
  { header: 'JOB.LEVEL', cell: (log) => <LevelBadge level={log.logLevel} /> },
  { header: 'JOB.LOG_MESSAGE', cell: (log) => reasonText(log.reason) },
]

export const JobSentMessages = ({ job }: { job: Job }) => (
  <JobTable
    job={job}
    title="JOB.SENT_MESSAGES"
    empty="JOB.NOTHING_SENT"
    columns={sentColumns}
    newest={job.sentMessages}
    load={(query, signal) => call('GET /jobs/:id/sent-messages', { params: { id: job.id }, query }, signal)}
  />
)

export const JobLogs = ({ job }: { job: Job }) => (
  <JobTable
    job={job}
    title="JOB.LOGS"
    empty="COMMON.NO_DATA"
    columns={logColumns}
    newest={job.logs}
    load={(query, signal) => call('GET /jobs/:id/logs', { params: { id: job.id }, query }, signal)}
  />
)

const Recipient = ({ sent }: { sent: SentMessage }) => (
  <span title={sent.recipientId}>
    <Name>{sent.recipientName}</Name>
  </span>
)

function SentBadge({ status }: { status: SentMessage['status'] }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={status === 'Sent' ? 'green' : 'red'}>
      {t(`JOB.SENT_${status.toUpperCase()}`)}
    </Badge>
  )
}

function LevelBadge({ level }: { level: JobLog['logLevel'] }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={levelColors[level]}>
      {t(`JOB.LEVEL_${level.toUpperCase()}`)}
    </Badge>
  )
}
