import type { Params } from '@sendroom/contract/errors'
import { type JobAction, jobTransitions } from '@sendroom/contract/job-life'
import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../platform/database/connection.ts'
import { planOnce } from '../platform/database/session-defaults.ts'
import { join, json, sql } from '../platform/database/sql.ts'
import { nudge } from './nudge.ts'
import { hasOpenDelivery, noneFresh } from './queue.ts'
import { unsettledIn } from './unsettled.ts'
import { accountWaits } from './waits.ts'

/** Moves the job if the move is allowed at this very moment; says whether it was. */
export async function moveJob(db: Db, jobId: number, action: JobAction): Promise<boolean> {
  const { from, to } = jobTransitions[action]
  const count = await db.run(
    sql`update jobs set status = ${to} where id = ${jobId} and status in (${join([...from])})`,
  )
  return count === 1
}

/**
 * The lock of the job's account. Whoever begins, settles or ends something takes it first: see README.md.
 * `no key`: the rows of a new job refer to the account, and a large one must not stand in its way.
 */
export const lockAccountOfJobs = (tx: Db, jobIds: number[]) =>
  tx.run(sql`
  select i.id from instances i
  where i.id in (select instance_id from jobs where id = any(${jobIds}))
  order by i.id for no key update`)

/** A line of the job's log about what somebody did with it. */
export const tellJob = (db: Db, jobId: number, code: ReasonCode, params: Params) =>
  db.run(sql`
  insert into job_logs (job_id, log_level, reason) values (${jobId}, 'Info', ${json({ code, params })})`)

/** Every job that is due becomes Running, whatever its account does; the log says so where that one waits. */
export const startDueJobs = (db: Pool) =>
  db.run(sql`
  with due as materialized (
    select id from jobs
    where status = 'Pending' and coalesce(scheduled_at, 'epoch') <= clock_now()
    for update skip locked
  ), started as (
    update jobs j set status = ${jobTransitions.start.to}, started_at = coalesce(started_at, clock_now())
    from due where j.id = due.id and j.status in (${join([...jobTransitions.start.from])})
    returning j.id, j.instance_id
  )
  insert into job_logs (job_id, log_level, reason)
  select id, level, reason from (
    select s.id, 1 as step, 'Info' as level, ${json({ code: 'job_started', params: {} })} as reason
    from started s
    union all
    select s.id, 2, 'Warning', ${accountWaits(sql`i.waiting`)}
    from started s join instances i on i.id = s.instance_id
    where i.waiting is not null
  ) line
  order by id, step`)

/**
 * Cancels a job. After the answer no new send of it begins: a send begins by its intent, and both lock the
 * account first. What was in flight is settled and recorded; the rest is skipped.
 */
export async function cancelJob(db: Pool, jobId: number, byName: string): Promise<'done' | 'not_allowed'> {
  return db.begin(async (tx) => {
    await lockAccountOfJobs(tx, [jobId])
    if (!(await moveJob(tx, jobId, 'cancel'))) return 'not_allowed'
    const count = await tx.run(sql`
      update deliveries set status = 'skipped', not_before = 'epoch' where job_id = ${jobId} and status = 'queued'`)
    const settling = await unsettledIn(tx, [jobId])
    await tx.run(sql`
      update jobs
      set completed_at = clock_now(), paused_at = null, settling = ${settling}, ${noneFresh(jobId)},
        -- Who has cancelled it and asks for the same again wants another.
        request_id = null
      where id = ${jobId}`)
    await tx.run(sql`
      insert into job_logs (job_id, log_level, reason)
      values (${jobId}, 'Warning', ${json({ code: 'job_cancelled', params: { user: byName, skipped: count } })})`)
    return 'done'
  })
}

/**
 * Runs an ended job again from the start: a new run with the same recipients and an empty log. A scheduledAt
 * that still lies ahead is kept, else it is due at once. `settling`: a message of the old run is still on its
 * way or in doubt, and a second one must not start beside it.
 */
export async function restartJob(
  db: Pool,
  jobId: number,
  byName: string,
): Promise<'done' | 'not_allowed' | 'settling'> {
  const answer = await db.begin(async (tx) => {
    await planOnce(tx)
    await lockAccountOfJobs(tx, [jobId])
    if (await unsettledIn(tx, [jobId])) return (await canRestart(tx, jobId)) ? 'settling' : 'not_allowed'
    if (!(await moveJob(tx, jobId, 'restart'))) return 'not_allowed'
    await freeCredits(tx, [jobId])
    await tx.run(sql`
      update deliveries set ${untried}, not_before = 'epoch' where job_id = ${jobId}`)
    await tx.run(sql`delete from job_logs where job_id = ${jobId}`)
    await tx.run(sql`
      update jobs
      set run = run + 1, started_at = null, completed_at = null, paused_at = null, resumed_at = null, media_id = null,
        fresh_from = 0, noted = 0, settling = false, last_turn_at = 'epoch'
      where id = ${jobId}`)
    await tellJob(tx, jobId, 'job_restarted', { user: byName })
    return 'done'
  })
  if (answer === 'done') await nudge(db)
  return answer
}

/** For an update of deliveries: as before the first attempt; `not_before` says where in the queue. */
export const untried = sql`
  status = 'queued', attempt = 0, intent = null, intent_at = null, provider_message_id = null, sent_at = null,
  reason = null, doubt_since = null, next_look_at = null, look_fails_since = null, not_found_at = null,
  doubts = 0, delivered_at = null, read_at = null, delivered_members = 0, read_members = 0, ask_at = null`

const canRestart = async (tx: Db, jobId: number) =>
  (await tx.run(
    sql`select from jobs where id = ${jobId} and status in (${join([...jobTransitions.restart.from])})`,
  )) === 1

/**
 * The messages of these jobs are nobody's any more, for their rows start anew: kept all the same, for no look-up may
 * take them. Those of deleted rows are freed by a trigger.
 */
export const freeCredits = (tx: Db, jobIds: number[], only = sql`true`) =>
  tx.run(sql`
  update credited_messages c set freed_at = clock_now()
  from deliveries d
  where d.job_id = any(${jobIds}) and ${only} and c.instance_id = d.instance_id
    and c.provider_message_id = d.provider_message_id`)

/** Fails all that a job has not sent yet, for one reason that holds for every recipient. */
export async function failQueued(db: Pool, jobId: number, why: Reason): Promise<void> {
  await db.begin(async (tx) => {
    await lockAccountOfJobs(tx, [jobId])
    const count = await tx.run(sql`
      update deliveries d set status = 'failed', reason = ${json(why)}, not_before = 'epoch'
      from jobs j
      where d.job_id = ${jobId} and d.status = 'queued' and j.id = d.job_id and j.status = 'Running'`)
    if (count === 0) return
    await tx.run(sql`update jobs set ${noneFresh(jobId)} where id = ${jobId}`)
    await tx.run(
      sql`insert into job_logs (job_id, log_level, reason) values (${jobId}, 'Error', ${json(why)})`,
    )
  })
  await finishJobs(db, jobId)
}

/**
 * Ends the jobs (all that live, or one) of which no delivery is queued, sending or in doubt any more:
 * Completed with at least one sent, else Failed. Also lets go of cancelled jobs whose last message is settled.
 */
export async function finishJobs(db: Db, jobId?: number): Promise<void> {
  const chosen = jobId === undefined ? sql`true` : sql`j.id = ${jobId}`
  // Given back after the cancel: the cancel could not skip it, for it was still on its way.
  await db.run(sql`
    with settling as materialized (
      select j.id from jobs j where j.settling and j.status = 'Cancelled' and ${chosen} for update skip locked
    )
    update deliveries d set status = 'skipped', not_before = 'epoch'
    from settling
    where d.job_id = settling.id and d.status = 'queued' and d.not_before > 'epoch'`)
  // A lock tests the job's row again, but not its deliveries: a job that was reopened since our snapshot would be
  // ended with its rows queued. Whoever reopens a job writes its row, so only untouched ones (xmin) are taken.
  await db.run(sql`
    with ended as materialized (
      select j.id from jobs j join jobs seen on seen.id = j.id
      where (j.status = 'Running' or j.settling) and ${chosen} and j.xmin = seen.xmin
        and not ${hasOpenDelivery}
      for update of j skip locked
    ), released as (
      update jobs j set settling = false from ended where j.id = ended.id and j.settling
    ), counted as (
      select d.job_id, count(*) filter (where d.status = 'sent') as sent,
        count(*) filter (where d.status = 'failed') as failed
      from deliveries d join ended on ended.id = d.job_id
      group by d.job_id
    ), finished as (
      update jobs j set completed_at = clock_now(), paused_at = null,
        status = case when c.sent > 0 then ${jobTransitions.complete.to} else ${jobTransitions.fail.to} end
      from counted c
      where j.id = c.job_id and j.status in (${join([...jobTransitions.complete.from])}) and not j.settling
      returning j.id, c.sent, c.failed
    )
    insert into job_logs (job_id, log_level, reason)
    select id, case when sent > 0 then 'Info' else 'Error' end, jsonb_build_object(
      'code', case when sent > 0 then 'job_completed' else 'job_failed' end,
      'params', jsonb_build_object('sent', sent, 'failed', failed))
    from finished`)
}

/** No look-up goes back further than this. */
export const forgetCredited = (db: Pool) =>
  db.run(sql`
  delete from credited_messages where freed_at < clock_now() - interval '48 hours'`)
