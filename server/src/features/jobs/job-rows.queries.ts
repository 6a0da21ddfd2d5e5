import type { JobLog, JobRowsQuery, SentMessage } from '@sendroom/contract/job-rows'
import type { Page } from '@sendroom/contract/paging'
import { reasonText } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import { reasonOfOutcome } from '../../engine/index.ts'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { asInstant, identifier, type Sql, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

// The rows of a job: its deliveries and its log lines, newest first.

/**
 * Condition: these rows belong to the job. Read them in this order and the planner takes the index of (job_id, id).
 * With `job_id = …` and `order by id` it walks all rows by their id if it believes to meet those of the job soon.
 */
export const isOfJob = (alias: 'd' | 'l', jobId: number, after: Sql = sql`0`) =>
  sql`(${identifier(`${alias}.job_id`)}, ${identifier(`${alias}.id`)}) > (${jobId}, ${after})
    and ${identifier(`${alias}.job_id`)} <= ${jobId}`

export type NamedRecipient = { groupId: number | null; chatId: string; name: string }

/** Returns the first recipients, in the order in which the job sends. */
export const findRecipients = (db: Db, jobId: number, limit: number) =>
  db.many<NamedRecipient>(sql`
  select d.group_id, d.chat_id, d.recipient_name as name from deliveries d
  where ${isOfJob('d', jobId)} order by d.job_id, d.id limit ${limit}`)

type DeliveryRow = Omit<SentMessage, 'errorMessage'>

export const isWaiting = sql`d.status in ('queued', 'sending', 'doubt')`

/** Condition: who of the group received and read the message has not been deleted. */
export const areMembersKept = sql`
  coalesce(d.sent_at > clock_now() - (select receipt_days from retention) * interval '1 day', true)`

/** Condition: `r` has the results of the message that the delivery `d` has sent in the current run. */
export const isResultOf = sql`
  (r.instance_id, r.provider_message_id) = (d.instance_id, d.provider_message_id)
  and d.status = 'sent' and r.updated_at is not null`

const votes = sql`(
  select jsonb_build_object('counts', r.counts, 'updatedAt', ${asInstant(sql`r.updated_at`)})
  from poll_results r where ${isResultOf})`

/** Condition: the recipient is a group whose members send receipts. Those who follow a channel send none. */
export const isGroup = sql`(d.group_id is not null and not ${isChannelRow('d')})`

export const deliveryColumns = sql`
  select d.id, d.recipient_name, replace(d.chat_id, '@s.whatsapp.net', '') as recipient_id,
    (select t.text from delivery_texts t where t.delivery_id = d.id) as own_text,
    case when ${isWaiting} then 'Waiting' else initcap(d.status) end as status, d.sent_at, d.delivered_at, d.read_at,
    case when ${isGroup} then d.delivered_members end as delivered_to,
    case when ${isGroup} then d.read_members end as read_by,
    -- The instance itself is one of the participants, and sends no receipt.
    (select greatest(g.participant_count - 1, d.delivered_members) from groups g
     where g.id = d.group_id and ${isGroup} and g.participant_count > 0) as members,
    (select jsonb_build_object('reached', m.reached, 'members', m.members) from delivery_mentions m
     where m.delivery_id = d.id and m.is_sent and d.status <> 'queued') as mentions,
    ${votes} as votes,
    ${isGroup} and d.status = 'sent' and ${areMembersKept}
      and exists (select from groups g where g.id = d.group_id) as are_members_kept,
    ${reasonOfOutcome} as reason`

const fromSettled = (jobId: number) =>
  sql`from deliveries d where d.job_id = ${jobId} and d.status in ('sent', 'failed')`

export const withErrorMessage = <Row extends { reason: Reason | null }>(row: Row) => ({
  ...row,
  errorMessage: row.reason && reasonText(row.reason),
})

export const searched = (search: string) =>
  search
    ? sql`and (${nameFor(search)} like like_pattern(${search}) or d.chat_id like like_pattern(${search}))`
    : sql``

/** To convert 100,000 names takes a quarter of a second. A search for a number needs none converted. */
const nameFor = (search: string) =>
  /^[\d +]*$/.test(search) ? sql`d.recipient_name` : sql`unaccent_lower(d.recipient_name)`

export async function newestDeliveries(db: Db, jobId: number, limit: number): Promise<SentMessage[]> {
  // Those from the cursor on have not been tried. Once all are settled, the cursor is behind the last one.
  const rows = await db.many<DeliveryRow>(sql`
    ${deliveryColumns} from deliveries d
    where (d.job_id, d.id)
        < (${jobId}, (select coalesce(nullif(j.cursor, 0), 9e18::bigint) from jobs j where j.id = ${jobId}))
      and d.job_id >= ${jobId} and d.status in ('sent', 'failed')
    order by d.job_id desc, d.id desc limit ${limit}`)
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

type LogRow = Omit<JobLog, 'message'> & { reason: Reason }

const logColumns = sql`select l.id, l.created_at, l.log_level, l.reason`
const fromLog = (jobId: number) => sql`from job_logs l where l.job_id = ${jobId}`

const toJobLog = (row: LogRow): JobLog => ({ ...row, message: reasonText(row.reason) })

export async function newestLogs(db: Db, jobId: number, limit: number, after = 0): Promise<JobLog[]> {
  const rows = await db.many<LogRow>(sql`
    ${logColumns} from job_logs l where ${isOfJob('l', jobId, sql`${after}`)}
    order by l.job_id desc, l.id desc limit ${limit}`)
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
