import type { Reason } from '@sendroom/contract/values'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { meter } from '../../platform/meter.ts'
import { insertLogLines } from '../shared/job-log.ts'
import { underLock } from '../shared/lock.ts'
import { isRequeued, isUntried } from '../shared/queue.ts'
import { finishJobs } from './lifecycle.ts'

/** Deliveries that one transaction fails. It takes a quarter of a second and keeps the instance locked meanwhile. */
const SLICE = 5_000

/** A job of which everything that is not sent yet fails, and why. */
export type FailingJob = { id: number; why: Reason }

/**
 * Fails everything that a Running job has not sent yet, for a reason that holds for every recipient.
 *
 * @throws an error for `isLockTimedOut` if the instance is still locked when `isGivingUp`; what is left stays queued.
 */
export async function failQueued(
  db: Pool,
  { jobId, instanceId }: { jobId: number; instanceId: number },
  why: Reason,
  isGivingUp: () => boolean = () => false,
): Promise<void> {
  const failSlice = () =>
    underLock(db, instanceId, isGivingUp, async (tx) => {
      await forBulkWrites(tx)
      return failNext(tx, [{ id: jobId, why }])
    })
  while ((await failSlice()) > 0);
  await finishJobs(db, [jobId])
}

/**
 * Fails the next queued deliveries of Running jobs whose instances the caller has locked. The cursor moves on with each
 * slice, so a worker that dies leaves a job that another one continues. A job's log gets one line for all its slices.
 *
 * @returns how many deliveries were taken from the queues; none when nothing is left
 */
export async function failNext(tx: Db, jobs: FailingJob[]): Promise<number> {
  const ids = jobs.map(({ id }) => id)
  const reasons = jobs.map(({ why }) => JSON.stringify(why))
  const { taken, failed } = await tx.one<{ taken: number; failed: number }>(sql`
    with failing as materialized (
      select j.id, j.cursor, j.instance_id, j.started_at, j.resumed_at, f.why::jsonb as why
      from unnest(${ids}::bigint[], ${reasons}::text[]) f (id, why) join jobs j on j.id = f.id
      where j.status = 'Running'
    ), untried as materialized (
      select d.id, j.id as job_id, j.why
      from failing j cross join lateral (
        select d.id from deliveries d where ${isUntried} order by d.id limit ${SLICE}) d
      limit ${SLICE}
    ), requeued as materialized (
      select d.id, j.id as job_id, j.why
      from failing j cross join lateral (
        select d.id from deliveries d where ${isRequeued} order by d.not_before limit ${SLICE}) d
      limit ${SLICE}
    ), failed as (
      update deliveries d set status = 'failed', reason = next.why, not_before = 'epoch'
      from (select * from untried union all select * from requeued) next
      where d.id = next.id and d.status = 'queued'
      returning d.job_id
    ), tried as (
      update jobs j set cursor = greatest(j.cursor, u.cursor)
      from (select job_id, max(id) + 1 as cursor from untried group by job_id) u where j.id = u.job_id
    ), logged as (
      ${insertLogLines(sql`
        select j.id, 'Error', j.why
        from failing j join instances i on i.id = j.instance_id
        where j.id in (select job_id from failed) and not exists (
          select from job_logs l
          where l.job_id = j.id and l.reason = j.why
            and l.created_at >= greatest(i.waiting_since, j.started_at, j.resumed_at))`)}
    )
    select (select count(*) from untried) + (select count(*) from requeued) as taken,
      (select count(*) from failed) as failed`)
  meter.failedUntried(failed)
  return taken
}
