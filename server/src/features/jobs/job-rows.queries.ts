import type {
  JobLog,
  JobRecipient,
  JobRecipientsFilter,
  JobRecipientsQuery,
  JobRowsQuery,
  RecipientOutcome,
  SentMessage,
} from '@sendroom/contract/job-rows'
import type { Page } from '@sendroom/contract/paging'
import { reasonText } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

// The rows of a job: its deliveries and its log lines, newest first.

export type NamedRecipient = { groupId: number | null; chatId: string; name: string }

/** Returns the first recipients, in the order in which the job sends. */
export const findRecipients = (db: Db, jobId: number, limit: number) =>
  db.many<NamedRecipient>(sql`
  select group_id, chat_id, recipient_name as name from deliveries
  where job_id = ${jobId} order by id limit ${limit}`)

type DeliveryRow = Omit<SentMessage, 'errorMessage'>
type RecipientRow = Omit<JobRecipient, 'errorMessage'>

const isWaiting = sql`d.status in ('queued', 'sending', 'doubt')`

/** Condition: who of the group received and read the message has not been deleted. */
export const areMembersKept = sql`
  coalesce(d.sent_at > clock_now() - (select receipt_days from retention) * interval '1 day', true)`

const deliveryColumns = sql`
  select d.id, d.recipient_name, replace(d.chat_id, '@s.whatsapp.net', '') as recipient_id,
    case when ${isWaiting} then 'Waiting' else initcap(d.status) end as status, d.sent_at, d.delivered_at, d.read_at,
    case when d.group_id is not null then d.delivered_members end as delivered_to,
    case when d.group_id is not null then d.read_members end as read_by,
    -- The instance itself is one of the participants, and sends no receipt.
    (select greatest(g.participant_count - 1, d.delivered_members) from groups g
     where g.id = d.group_id and g.participant_count > 0) as members,
    d.group_id is not null and d.status = 'sent' and ${areMembersKept} as are_members_kept,
    case d.status when 'failed' then d.reason end as reason`

const fromSettled = (jobId: number) =>
  sql`from deliveries d where d.job_id = ${jobId} and d.status in ('sent', 'failed')`

const withErrorMessage = <Row extends { reason: Reason | null }>(row: Row) => ({
  ...row,
  errorMessage: row.reason && reasonText(row.reason),
})

const searched = (search: string) =>
  search
    ? sql`and (unaccent_lower(d.recipient_name) like like_pattern(${search}) or d.chat_id like like_pattern(${search}))`
    : sql``

export async function newestDeliveries(db: Db, jobId: number, limit: number): Promise<SentMessage[]> {
  const rows = await db.many<DeliveryRow>(sql`
    ${deliveryColumns} ${fromSettled(jobId)} order by d.id desc limit ${limit}`)
  return rows.map(withErrorMessage)
}

export async function listDeliveries(db: Db, jobId: number, query: JobRowsQuery): Promise<Page<SentMessage>> {
  const page = await listPage<DeliveryRow>(db, query, {
    select: deliveryColumns,
    from: sql`${fromSettled(jobId)} ${searched(query.search)}`,
    sortBy: sql`d.id`,
    id: sql`d.id`,
    countKey: ['deliveries', jobId, query.search],
  })
  return { ...page, data: page.data.map(withErrorMessage) }
}

const hasOutcome: Record<RecipientOutcome, Sql> = {
  Sent: sql`d.status = 'sent'`,
  Failed: sql`d.status = 'failed'`,
  Waiting: isWaiting,
  Skipped: sql`d.status = 'skipped'`,
}

const fromRecipients = (jobId: number, { outcome, search }: JobRecipientsFilter) => sql`
  from deliveries d where d.job_id = ${jobId} ${outcome ? sql`and ${hasOutcome[outcome]}` : sql``} ${searched(search)}`

/** Like the counts on the job's page, this reads the deliveries of one job through their index. */
export async function listRecipients(
  db: Db,
  jobId: number,
  query: JobRecipientsQuery,
): Promise<Page<JobRecipient>> {
  const page = await listPage<RecipientRow>(
    db,
    { ...query, sortDirection: 'asc' },
    {
      select: deliveryColumns,
      from: fromRecipients(jobId, query),
      sortBy: sql`d.status <> 'failed'`,
      id: sql`d.id`,
      countKey: ['recipients', jobId, query.outcome, query.search],
    },
  )
  return { ...page, data: page.data.map(withErrorMessage) }
}

const RECIPIENTS_AT_ONCE = 2000

/** Returns the next recipients behind the delivery `after`, in the order in which the job sends. */
export async function listRecipientsAfter(
  db: Db,
  jobId: number,
  filter: JobRecipientsFilter,
  after: number,
): Promise<JobRecipient[]> {
  const rows = await db.many<RecipientRow>(sql`
    ${deliveryColumns} ${fromRecipients(jobId, filter)} and d.id > ${after}
    order by d.id limit ${RECIPIENTS_AT_ONCE}`)
  return rows.map(withErrorMessage)
}

type LogRow = Omit<JobLog, 'message'> & { reason: Reason }

const logColumns = sql`select l.id, l.created_at, l.log_level, l.reason`
const fromLog = (jobId: number) => sql`from job_logs l where l.job_id = ${jobId}`

const toJobLog = (row: LogRow): JobLog => ({ ...row, message: reasonText(row.reason) })

export async function newestLogs(db: Db, jobId: number, limit: number): Promise<JobLog[]> {
  const rows = await db.many<LogRow>(sql`
    ${logColumns} ${fromLog(jobId)} order by l.id desc limit ${limit}`)
  return rows.map(toJobLog)
}

export async function listLogs(db: Db, jobId: number, query: JobRowsQuery): Promise<Page<JobLog>> {
  // A log line is stored as a code and its values. So a search finds names in a line, but not its words.
  const search = query.search
    ? sql`and unaccent_lower((l.reason -> 'params')::text) like like_pattern(${query.search})`
    : sql``
  const page = await listPage<LogRow>(db, query, {
    select: logColumns,
    from: sql`${fromLog(jobId)} ${search}`,
    sortBy: sql`l.id`,
    id: sql`l.id`,
    countKey: ['job logs', jobId, query.search],
  })
  return { ...page, data: page.data.map(toJobLog) }
}
