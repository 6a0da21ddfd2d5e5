import { limits } from '@sendroom/contract/limits'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { json, type Sql, sql } from '../../platform/database/sql.ts'
import { insertLogLines, reason } from '../shared/job-log.ts'
import { cursorAtEnd } from '../shared/queue.ts'
import { CLOCK_SLACK_MS, dueAt, jobsOf, maySendAgain } from './jobs-of-messages.ts'
import type { ListedMessage, UnknownMessage } from './match.ts'

/**
 * A message with a job's content in a chat of no recipient, such as `…@lid`, proves that the provider names the chats
 * in another way than we do. Then nobody knows who got the message. A job that could go on is paused until a person has
 * looked. The rest of a job that has ended, whenever that was, gets an unknown outcome, so that it is sent only to
 * those who are chosen with care (jobs/retry.ts): the message may be that of a retry that the database has lost.
 * Returns these jobs. Call this under the instance's lock.
 */
export async function holdUnclearJobs(tx: Db, messages: readonly UnknownMessage[]): Promise<number[]> {
  const jobIds = jobsOf(messages)
  if (jobIds.length === 0) return []
  const places = await tx.many<{ jobId: number; chatId: string }>(sql`
    select job_id, chat_id from deliveries
    where job_id = any(${jobIds}) and chat_id = any(${messages.map(({ chatId }) => chatId)})`)
  const known = new Set(places.map(({ jobId, chatId }) => `${jobId} ${chatId}`))
  const unclear = messages.filter(
    ({ chatId, jobIds }) => !jobIds.some((jobId) => known.has(`${jobId} ${chatId}`)),
  )
  const held: number[] = []
  for (const jobId of jobsOf(unclear)) if (await holdJob(tx, jobId)) held.push(jobId)
  return held
}

/**
 * A job whose messages can't be recognised with certainty waits for a person, if it was due before the present era: in
 * the history it may look as if nobody had got the message. Returns these jobs. Call this under the instance's lock.
 */
export async function holdUncertainJobs(tx: Db, instanceId: number): Promise<number[]> {
  const held = await tx.many<{ id: number }>(sql`
    update jobs j set paused_at = coalesce(j.paused_at, clock_now())
    where j.instance_id = ${instanceId} and ${isUncertain} and j.status in ('Pending', 'Running')
      and ${dueAt} <= least(clock_now(), (select history_complete_at from heartbeat))
      and exists (select from deliveries d where d.job_id = j.id and d.status = 'queued')
    returning j.id`)
  for (const { id } of held) await warn(tx, id, 'history_uncertain')
  return held.map(({ id }) => id)
}

/**
 * A message that is no job's as far as can be recognised may still be one that a job sent, if that has no certain
 * evidence. A recipient of such a job that has ended gets an unknown outcome for each in their chat: it may be of a
 * retry that the database has lost, and *send to remaining* would send it twice. Returns these jobs. Call this under
 * the instance's lock.
 */
export async function failUncertain(
  tx: Db,
  instanceId: number,
  messages: readonly ListedMessage[],
): Promise<number[]> {
  if (messages.length === 0) return []
  const failed = await tx.many<{ jobId: number }>(sql`
    with uncertain as materialized (
      select j.id, ${dueAt} as due_at from jobs j
      where j.instance_id = ${instanceId} and ${maySendAgain} and j.status in ('Completed', 'Failed', 'Cancelled')
        and ${isUncertain}
    )
    ${markUnknown(sql`d.id in (
      select o.id from deliveries o join uncertain u on u.id = o.job_id
        join unnest(${messages.map(({ chatId }) => chatId)}::text[],
          ${messages.map(({ sentAt }) => new Date(sentAt).toISOString())}::timestamptz[]) m (chat_id, sent_at)
          on m.chat_id = o.chat_id and m.sent_at >= u.due_at - ${CLOCK_SLACK_MS} * interval '1 ms')`)}
    returning d.job_id`)
  const jobIds = [...new Set(failed.map(({ jobId }) => jobId))]
  for (const jobId of jobIds) {
    await toEnd(tx, jobId)
    await warn(tx, jobId, 'history_uncertain')
  }
  return jobIds
}

/** JavaScript's `trim` removes these. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** The length as JavaScript counts it: an emoji counts twice. */
const lengthOf = (text: Sql) =>
  sql`(length(${text}) + length(regexp_replace(${text}, '[^\\U00010000-\\U0010FFFF]', '', 'g')))`

/** The length of a text of the job `j` beyond which it may be cut off. */
const mostCertain = sql`(
  case when j.content->>'kind' = 'poll' then ${limits.pollQuestion}::int else ${limits.caption}::int end)`

const isUncertainText = (text: Sql) => sql`(
  length(${text}) * 2 > ${mostCertain} and ${lengthOf(text)} > ${mostCertain}
  or j.file_id is not null and btrim(${text}, ${BLANKS}) in ('', j.content->>'fileName')
)`

/** Condition: `isEvidenceCertain` (shared/same-message.ts) is false for a message of the job `j`. */
const isUncertain = sql`(
  j.content->>'kind' in ('audio', 'voice')
  or (j.content is not null or j.image_id is not null) and (
    ${isUncertainText(sql`j.text_content`)} or j.is_personal and exists (
      select from deliveries d join delivery_texts t on t.delivery_id = d.id
      where d.job_id = j.id and ${isUncertainText(sql`t.text`)}))
  or j.job_type = 'SendToGroups' and exists (
    select from deliveries d where d.job_id = j.id and ${isChannelRow('d')})
)`

/** Returns whether the job has anything left to hold back. */
async function holdJob(tx: Db, jobId: number): Promise<boolean> {
  const paused = await tx.run(sql`
    update jobs j set paused_at = coalesce(j.paused_at, clock_now())
    where j.id = ${jobId} and j.status in ('Pending', 'Running')
      and exists (select from deliveries d where d.job_id = j.id and d.status = 'queued')`)
  const held = paused || (await failRemaining(tx, jobId))
  if (held) await warn(tx, jobId, 'history_unclear')
  return held > 0
}

const warn = (tx: Db, jobId: number, code: 'history_unclear' | 'history_uncertain') =>
  tx.run(insertLogLines(sql`values (${jobId}, 'Warning', ${json(reason(code))})`))

/** SQL statement: these deliveries of jobs that have ended are sent again only with care. */
const markUnknown = (which: Sql) => sql`
  update deliveries d set status = 'failed', reason = ${json(reason('outcome_unknown'))}, not_before = 'epoch'
  where ${which} and d.status in ('queued', 'skipped', 'failed')
    and coalesce(d.reason->>'code', '') <> 'outcome_unknown'`

const toEnd = (tx: Db, jobId: number) =>
  tx.run(sql`update jobs set has_logs = true, ${cursorAtEnd(jobId)} where id = ${jobId}`)

async function failRemaining(tx: Db, jobId: number): Promise<number> {
  const ended = await tx.run(sql`
    select from jobs where id = ${jobId} and status in ('Completed', 'Failed', 'Cancelled')`)
  if (ended === 0) return 0
  const count = await tx.run(markUnknown(sql`d.job_id = ${jobId}`))
  await toEnd(tx, jobId)
  return count
}
