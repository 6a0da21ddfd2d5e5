import type { JobLog, JobRowsQuery, SentMessage } from '@sendroom/contract/jobs'
import type { Page } from '@sendroom/contract/paging'
import { reasonText } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

// What became of a job: its deliveries and its log, newest first.

export type JobRecipient = { groupId: number | null; chatId: string; name: string }

/** The first of its recipients, in the order they were given. */
export const findRecipients = (db: Db, jobId: number, limit: number) =>
  db.many<JobRecipient>(sql`
  select group_id, chat_id, recipient_name as name from deliveries
  where job_id = ${jobId} order by id limit ${limit}`)

type SentRow = Omit<SentMessage, 'errorMessage'>

const sentColumns = sql`
  select d.id, d.recipient_name, replace(d.chat_id, '@s.whatsapp.net', '') as recipient_id,
    initcap(d.status) as status, d.sent_at, d.delivered_at, d.read_at,
    case when d.group_id is not null then d.delivered_members end as delivered_to,
    case when d.group_id is not null then d.read_members end as read_by,
    -- We are one of the participants, and no receipt is ours.
    (select greatest(g.participant_count - 1, d.delivered_members) from groups g
     where g.id = d.group_id and g.participant_count > 0) as members,
    case d.status when 'failed' then d.reason end as reason`

const fromSent = (jobId: number) =>
  sql`from deliveries d where d.job_id = ${jobId} and d.status in ('sent', 'failed')`

const toSentMessage = (row: SentRow): SentMessage => ({
  ...row,
  errorMessage: row.reason && reasonText(row.reason),
})

export async function newestSentMessages(db: Db, jobId: number, limit: number): Promise<SentMessage[]> {
  const rows = await db.many<SentRow>(sql`
    ${sentColumns} ${fromSent(jobId)} order by d.id desc limit ${limit}`)
  return rows.map(toSentMessage)
}

export async function listSentMessages(
  db: Db,
  jobId: number,
  query: JobRowsQuery,
): Promise<Page<SentMessage>> {
  const search = query.search
    ? sql`and (plain(d.recipient_name) like containing(${query.search}) or d.chat_id like containing(${query.search}))`
    : sql``
  const page = await listPage<SentRow>(db, query, {
    select: sentColumns,
    from: sql`${fromSent(jobId)} ${search}`,
    sortBy: sql`d.id`,
    id: sql`d.id`,
    countKey: ['sent messages', jobId, query.search],
  })
  return { ...page, data: page.data.map(toSentMessage) }
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
  // A line is kept as code and values: names in it are found, its words are not.
  const search = query.search
    ? sql`and plain((l.reason -> 'params')::text) like containing(${query.search})`
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
