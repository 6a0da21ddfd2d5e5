import { Badge, Text } from '@mantine/core'
import { isChannel } from '@sendroom/contract/channels'
import type { JobLog, JobRecipient } from '@sendroom/contract/job-rows'
import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { formatSecond } from '../../../format.ts'
import { reasonText } from '../../../i18n/words.ts'
import type { Column } from '../../../lists/table.tsx'
import { ChannelBadge } from '../../../ui/channel-badge.tsx'
import { Name } from '../../../ui/name.tsx'
import { OutcomeBadge } from '../../../ui/outcome-badge.tsx'
import { JobReceipt } from './job-receipt.tsx'
import { JobTable } from './job-table.tsx'
import { Mentions } from './mentions.tsx'
import { RecipientVotes } from './recipient-votes.tsx'

const levelColors: Record<JobLog['logLevel'], string> = { Info: 'cyan', Warning: 'yellow', Error: 'red' }

export const resultColumns = ({
  id,
  mentionsAll,
  content,
}: Pick<Job, 'id' | 'mentionsAll' | 'content'>): Column<JobRecipient>[] => [
  { header: 'JOB.RECIPIENT', cell: (recipient) => <Recipient recipient={recipient} /> },
  { header: 'JOB.STATUS', cell: (recipient) => <OutcomeBadge status={recipient.status} /> },
  { header: 'JOB.SENT_AT', cell: (recipient) => formatSecond(recipient.sentAt), isOneLine: true },
  {
    header: 'JOB.RECEIPT',
    cell: (recipient) => (
      <>
        <JobReceipt jobId={id} recipient={recipient} />
        {mentionsAll && <Mentions recipient={recipient} />}
      </>
    ),
  },
  ...(content?.kind === 'poll' ? [votesColumn(id, content.options)] : []),
  {
    header: 'JOB.ERROR',
    cell: (recipient) => (recipient.reason ? reasonText(recipient.reason) : recipient.errorMessage),
  },
]

const votesColumn = (jobId: number, options: string[]): Column<JobRecipient> => ({
  header: 'JOB.POLL_VOTES',
  cell: (recipient) =>
    recipient.votes && <RecipientVotes {...{ jobId, options, recipient }} votes={recipient.votes} />,
})

const logColumns: Column<JobLog>[] = [
  { header: 'JOB.TIME', cell: (log) => formatSecond(log.createdAt), isOneLine: true },
  { header: 'JOB.LEVEL', cell: (log) => <LevelBadge level={log.logLevel} /> },
  { header: 'JOB.LOG_MESSAGE', cell: (log) => reasonText(log.reason) },
]

export const JobLogs = ({ job }: { job: Job }) => (
  <JobTable
    job={job}
    title="JOB.LOGS"
    empty={job.isLogDeleted ? 'JOB.LOG_DELETED' : 'COMMON.NO_DATA'}
    columns={logColumns}
    newest={job.logs}
    load={(query, signal) => call('GET /jobs/:id/logs', { params: { id: job.id }, query }, signal)}
  />
)

const Recipient = ({ recipient }: { recipient: JobRecipient }) => (
  <span title={recipient.recipientId}>
    <Name>{recipient.recipientName}</Name>
    {isChannel(recipient.recipientId) && (
      <>
        {' '}
        <ChannelBadge />
      </>
    )}
    {recipient.ownText !== null && (
      <Text span display="block" size="xs" c="dimmed" lineClamp={2} title={recipient.ownText} dir="auto">
        {recipient.ownText}
      </Text>
    )}
  </span>
)

function LevelBadge({ level }: { level: JobLog['logLevel'] }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={levelColors[level]}>
      {t(`JOB.LEVEL_${level.toUpperCase()}`)}
    </Badge>
  )
}
