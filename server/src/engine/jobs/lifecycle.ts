import { type JobAction, type JobStatus, jobActions, jobSteps } from '@sendroom/contract/job-life'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { join, json, type Sql, sql } from '../../platform/database/sql.ts'
import { meter } from '../../platform/meter.ts'
import { isCleared } from '../shared/approval.ts'
import { insertLogLines, instanceWaits, logJob, reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { releaseMatches } from '../shared/matched-ids.ts'
import { releaseMentions } from '../shared/mentions.ts'
import { skipUnreachable } from '../shared/opt-out.ts'
import { cursorAtEnd, hasOpenDelivery } from '../shared/queue.ts'
import { wakeWorkers } from '../wake.ts'
import { unsettledIn } from './unsettled.ts'

/** The result of an action. After any other than `done` the caller rolls back. */
export type JobAnswer = 'done' | 'not_allowed' | 'settling' | 'deleted' | 'nothing'

/** Condition: the state of the row of `jobs` allows this action. */
export function allows(action: JobAction): Sql {
  const { from, isPaused }: { from: readonly JobStatus[]; isPaused?: boolean } = jobActions[action]
  const fits = isPaused === undefined ? sql`true` : sql`(paused_at is not null) = ${isPaused}`
  return sql`(status in (${join([...from])}) and ${fits})`
}

/** Changes the job's status if the action is allowed at this very moment. Returns whether it was. */
export async function moveJob(
  tx: Db,
  jobId: number,
  action: 'cancel' | 'restart' | 'retry',
): Promise<boolean> {
  const count = await tx.run(sql`
    update jobs set status = ${jobActions[action].to} where id = ${jobId} and ${allows(action)}`)
  return count === 1
}

/**
 * Every due job becomes Running, even while its instance waits; then the job's log says why. A job without the approval
 * that it needs stays Pending. So does one that is not what was approved: a trigger compares both.
 */
export async function startDueJobs(db: Pool): Promise<void> {
  const started = await db.many<{ lateMs: number }>(sql`
    with due as materialized (
      select j.id, j.started_at is null and j.run = 1 as is_first_time from jobs j
      where j.status = 'Pending' and coalesce(j.scheduled_at, 'epoch') <= clock_now() and ${isCleared}
      for update skip locked
    ), started as (
      update jobs j set status = ${jobSteps.start.to}, started_at = coalesce(started_at, clock_now())
      from due where j.id = due.id and j.status in (${join([...jobSteps.start.from])})
      returning j.id, j.status, j.instance_id, due.is_first_time, greatest(j.scheduled_at, j.created_at) as due_at
    ), logged as (
      ${insertLogLines(sql`
      select id, level, reason from (
        select s.id, 1 as step, 'Info' as level, ${json(reason('job_started'))} as reason
        from started s where s.status = 'Running'
        union all
        select s.id, 2, 'Warning', ${instanceWaits(sql`i.waiting`)}
        from started s join instances i on i.id = s.instance_id
        where i.waiting is not null and s.status = 'Running'
      ) line
      order by id, step`)}
    )
    select extract(epoch from clock_now() - due_at) * 1000 as late_ms from started where is_first_time and status = 'Running'`)
  for (const { lateMs } of started) meter.started(lateMs)
}

/**
 * Cancels a job and skips its remaining deliveries. Once this is committed, no message of the job gets an intent, and
 * nothing is sent without one: a cancel and the writing of an intent both lock the instance first, and the intent's
 * statement tests the status of job and delivery under that lock (sending/intent.ts). A message that already has its
 * intent may still go out; it is settled and recorded.
 */
export async function cancelJob(tx: Tx, jobId: number, byName: string): Promise<JobAnswer> {
  await forBulkWrites(tx)
  await lockInstancesOfJobs(tx, [jobId])
  if (!(await moveJob(tx, jobId, 'cancel'))) return 'not_allowed'
  const skipped = await tx.run(sql`
    update deliveries set status = 'skipped', not_before = 'epoch' where job_id = ${jobId} and status = 'queued'`)
  const settling = await unsettledIn(tx, [jobId])
  await tx.run(sql`
    update jobs
    set completed_at = clock_now(), paused_at = null, settling = ${settling}, ${cursorAtEnd(jobId)},
      -- The same request after a cancel creates another job.
      request_id = null
    where id = ${jobId}`)
  await logJob(tx, jobId, reason('job_cancelled', { user: byName, skipped }), 'Warning')
  return 'done'
}

/**
 * Runs an ended job again from the start: a new run with the same recipients and an empty log. A scheduledAt in the
 * future is kept, else the job is due at once. `settling`: a message of the old run is still being sent or in doubt,
 * and a second one must not start beside it. `deleted`: the recipients are too old and have been deleted.
 */
export async function restartJob(tx: Tx, jobId: number, byName: string): Promise<JobAnswer> {
  await forBulkWrites(tx)
  await lockInstancesOfJobs(tx, [jobId])
  if (await unsettledIn(tx, [jobId])) return (await canRestart(tx, jobId)) ? 'settling' : 'not_allowed'
  if (await areRecipientsDeleted(tx, jobId)) return 'deleted'
  if (!(await moveJob(tx, jobId, 'restart'))) return 'not_allowed'
  await releaseMatches(tx, [jobId])
  await releaseMentions(tx, [jobId])
  await tx.run(sql`update deliveries set ${resetDelivery}, not_before = 'epoch' where job_id = ${jobId}`)
  await findGroupsAgain(tx, jobId)
  await tx.run(sql`delete from job_logs where job_id = ${jobId}`)
  await tx.run(sql`
    update jobs
    set run = run + 1, started_at = null, completed_at = null, paused_at = null, resumed_at = null, media_id = null,
      cursor = 0, log_line_count = 0, settling = false, last_turn_at = 'epoch', has_logs = true
    where id = ${jobId}`)
  await skipUnreachable(tx, jobId)
  await logJob(tx, jobId, reason('job_restarted', { user: byName }))
  await wakeWorkers(tx)
  return 'done'
}

const canRestart = async (tx: Db, jobId: number) =>
  (await tx.run(sql`
    select from jobs where id = ${jobId} and ${allows('restart')}`)) === 1

/**
 * Waits for a slice that is deleting the job's rows (retention/job-rows.ts). A job that is gone has no recipients left.
 */
const areRecipientsDeleted = async (tx: Db, jobId: number) =>
  (
    await tx.maybeOne<{ isDeleted: boolean }>(sql`
    select final_counts is not null as is_deleted from jobs where id = ${jobId} for no key update`)
  )?.isDeleted ?? false

/** Groups that the retention deleted and that came back have other ids than the job remembers. */
export const findGroupsAgain = (tx: Db, jobId: number) =>
  tx.run(sql`
    update deliveries d set group_id = g.id from groups g
    where d.job_id = ${jobId} and d.status = 'queued' and d.group_id is not null and d.group_id <> g.id
      and g.instance_id = d.instance_id and g.chat_id = d.chat_id`)

/** In an update of deliveries: the state before the first attempt. `not_before` decides the place in the queue. */
export const resetDelivery = sql`
  status = 'queued', attempt = 0, intent = null, intent_at = null, provider_message_id = null, sent_at = null,
  reason = null, doubt_since = null, next_look_at = null, look_fails_since = null, not_found_at = null,
  doubts = 0, delivered_at = null, read_at = null, delivered_members = 0, read_members = 0, ask_at = null`

/** Jobs that one transaction ends. It counts their recipients. */
const FINISH_JOBS = 200

/**
 * Ends the jobs (all unfinished ones, or these) that have no delivery queued, sending or in doubt: Failed if recipients
 * failed and none got the message, else Completed. A cancelled job whose last message is settled stops settling, and a
 * delivery that was requeued after the cancel is skipped. Works in slices, each a transaction of its own unless `db` is
 * one.
 */
export async function finishJobs(db: Db, jobIds?: readonly number[]): Promise<void> {
  const chosen = jobIds ? sql`j.id = any(${jobIds}::bigint[])` : sql`true`
  // A message that was requeued after the cancel: the cancel could not skip it, because it was being sent.
  await db.run(sql`
    with settling as materialized (
      select j.id from jobs j where j.settling and j.status = 'Cancelled' and ${chosen} for update skip locked
    )
    update deliveries d set status = 'skipped', not_before = 'epoch'
    from settling
    where d.job_id = settling.id and d.status = 'queued' and d.not_before > 'epoch'`)
  for (let after: number | null = 0; after !== null; ) after = await finishSlice(db, chosen, after)
}

/** Ends the next jobs behind this id. Returns the id to continue at; null when there are no more. */
async function finishSlice(db: Db, chosen: Sql, after: number): Promise<number | null> {
  // A lock makes PostgreSQL test the job's row again, but not its deliveries: a job reopened since our snapshot would
  // be ended with its deliveries queued. Reopening a job writes its row, so only rows with an unchanged xmin are taken.
  const { count, last } = await db.one<{ count: number; last: number }>(sql`
    with ended as materialized (
      select j.id from jobs j join jobs snapshot on snapshot.id = j.id
      where (j.status = 'Running' or j.settling) and ${chosen} and j.xmin = snapshot.xmin and j.id > ${after}
        and not ${hasOpenDelivery}
      order by j.id limit ${FINISH_JOBS}
      for update of j skip locked
    ), settled as (
      update jobs j set settling = false from ended where j.id = ended.id and j.settling
    ), counted as (
      select d.job_id, count(*) filter (where d.status = 'sent') as sent,
        count(*) filter (where d.status = 'failed') as failed, count(*) filter (where d.status = 'skipped') as skipped
      from deliveries d join ended on ended.id = d.job_id
      group by d.job_id
    ), finished as (
      update jobs j set completed_at = clock_now(), paused_at = null,
        status = case when c.sent > 0 or c.failed = 0 then ${jobSteps.complete.to} else ${jobSteps.fail.to} end
      from counted c
      where j.id = c.job_id and j.status in (${join([...jobSteps.complete.from])}) and not j.settling
      returning j.id, j.status, c.sent, c.failed, c.skipped
    ), logged as (
      ${insertLogLines(sql`
      select id, level, jsonb_build_object('code', code, 'params', params) from (
        select id, 1 as step, 'Info' as level, 'recipients_skipped' as code, jsonb_build_object('count', skipped) as params
        from finished where skipped > 0
        union all
        select id, 2, case status when 'Completed' then 'Info' else 'Error' end,
          case status when 'Completed' then 'job_completed' else 'job_failed' end,
          jsonb_build_object('sent', sent, 'failed', failed)
        from finished
      ) line
      order by id, step`)}
    )
    select count(*), coalesce(max(id), 0) as last from ended`)
  return count === FINISH_JOBS ? last : null
}
