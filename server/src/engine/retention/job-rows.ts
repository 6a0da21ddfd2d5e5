import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

/*
 * Deletes deliveries and log lines of jobs that ended long ago, and who has seen old messages. The job's row is locked,
 * never the instance, and a row that somebody else has locked is left for later: so a slice waits for nobody. A retry
 * or a restart of the same job waits for the slice, and then finds that the job's recipients are gone.
 */

/** The most jobs of one slice. Test messages are jobs with one recipient. */
const MAX_JOBS = 200

type OldJob = { id: number; recipientCount: number }

/** The numbers of each job, and the instance's sent messages on the dashboard, stay as they were. */
export async function deleteOldDeliveries(tx: Db, limit: number): Promise<number> {
  const jobs = firstFew(
    await lockOldJobs(tx, sql`j.has_deliveries and not ${mayBeInHistory}`, 'delivery'),
    limit,
  )
  if (jobs.length === 0) return 0
  const ids = jobs.map(({ id }) => id)
  // From now on nobody can send these jobs again.
  await tx.run(sql`update jobs set final_counts = '{}' where id = any(${ids}) and final_counts is null`)
  const { count } = await tx.one<{ count: number }>(sql`
    with gone as (
      delete from deliveries where id = any(array(
        select id from deliveries where job_id = any(${ids}) order by job_id, id limit ${limit} for update skip locked
      ))
      returning instance_id, group_id, status
    ), without_rows as (
      insert into sent_without_rows
      select instance_id, group_id, count(*) from gone where status = 'sent' group by instance_id, group_id
      returning *
    ), still_counted as (
      -- A trigger subtracts them.
      insert into delivery_changes (instance_id, group_id, sent_now, sent, delivered, read, failed)
      select instance_id, group_id, sent, 0, 0, 0, 0 from without_rows
    )
    select count(*) from gone`)
  await tx.run(sql`
    update jobs j set has_deliveries = false
    where j.id = any(${ids}) and not exists (select from deliveries d where d.job_id = j.id)`)
  return count
}

export async function deleteOldLogs(tx: Db, limit: number): Promise<number> {
  const ids = (await lockOldJobs(tx, sql`j.has_logs`, 'log')).map(({ id }) => id)
  if (ids.length === 0) return 0
  const count = await tx.run(sql`
    delete from job_logs where id = any(array(
      select id from job_logs where job_id = any(${ids}) order by job_id, id limit ${limit}
    ))`)
  await tx.run(sql`
    update jobs j set has_logs = false
    where j.id = any(${ids}) and not exists (select from job_logs l where l.job_id = j.id)`)
  return count
}

/** Deletes who received and read old messages. The counts stay. */
export const deleteOldViews = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    delete from delivery_views where intent = any(array(
      select intent from delivery_views
      -- A day longer than the setting says, so that a receipt that is being applied still finds them.
      where sent_at < clock_now() - ((select receipt_days from retention) + 1) * interval '1 day'
      order by sent_at limit ${limit}
    ))`)

/** Locks the jobs that ended first, if they ended longer ago than the setting allows. */
const lockOldJobs = (tx: Db, chosen: Sql, kind: 'delivery' | 'log') =>
  tx.many<OldJob>(sql`
    select j.id, j.recipient_count from jobs j
    where ${chosen} and not j.settling
      and j.completed_at < clock_now()
        - (select ${kind === 'delivery' ? sql`delivery_days` : sql`log_days`} from retention) * interval '1 day'
    order by j.completed_at limit ${MAX_JOBS} for no key update skip locked`)

/** Nobody can send a job again that a slice has taken, so it takes no more jobs than it can delete. */
function firstFew(jobs: OldJob[], limit: number): OldJob[] {
  let before = 0
  return jobs.filter(({ recipientCount }) => {
    const isTaken = before < limit
    before += recipientCount
    return isTaken
  })
}

/**
 * Condition: the job's messages are the last ones of their instance, and an older job has not ended, or has ended later
 * with recipients that may be left. If the database loses commits now, the instance's history is read from its last
 * messages on (history/check.ts). Their ids must be known then, or they would count as messages of the older job.
 */
const mayBeInHistory = sql`exists (
  select from instances i join jobs older on older.instance_id = i.id
  where i.id = j.instance_id and j.completed_at > i.last_intent_at - interval '1 hour'
    and older.created_at < j.completed_at
    and (older.status in ('Pending', 'Running') or older.has_deliveries and older.completed_at > j.completed_at)
)`
