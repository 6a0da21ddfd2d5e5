import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { reason } from '../shared/job-log.ts'
import { lockInstances } from '../shared/lock.ts'
import { isOptedOut } from '../shared/opt-out.ts'
import { isRunning } from '../shared/pace.ts'
import { cursorAtFirstQueued, isRequeued, isUntried } from '../shared/queue.ts'
import { type JobRef, notifyMoved } from '../status/progress.ts'

/** Jobs and deliveries in one transaction. It takes some hundredths of a second and keeps the instances locked. */
const MAX_JOBS = 100
const SLICE = 2_000

/**
 * An intent skips whoever has opted out (shared/opt-out.ts). While a job may send nothing, because of a limit or a
 * trouble, no intent is written. So a job of which only such people are left would stay open for as long as it waits.
 *
 * This skips them as soon as one of them is the next of its job. Then nobody has to look for the jobs of somebody who
 * opts out: each job to people takes two looks at `opted_out`, however many have opted out and however long it is.
 *
 * Works in slices, on instances that nobody has locked. A stop leaves the rest.
 */
export async function skipOptedOut(db: Pool, signal?: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const skipped = await db.begin(skipSlice)
    await notifyMoved(db, skipped)
    isMore = skipped.length > 0
  }
}

type Waiting = JobRef & { untried: boolean; requeued: boolean }

/** Returns the jobs whose queue has moved on. */
async function skipSlice(tx: Db): Promise<JobRef[]> {
  await forBulkWrites(tx)
  const jobs = await tx.many<Waiting>(sql`
    select j.id as job_id, j.instance_id, ${firstUntriedIsOver} as untried, ${firstRequeuedIsOver} as requeued
    from jobs j join instances i on i.id = j.instance_id
    where ${isRunning} and j.job_type = 'SendToUsers' and not ${needsHistoryCheck}
      and (${firstUntriedIsOver} or ${firstRequeuedIsOver})
    order by i.id, j.id
    limit ${MAX_JOBS}
    ${lockInstances('skip')}`)
  if (jobs.length === 0) return []
  // A line whose first delivery stays is left out. It could fill the slice, and no slice would get behind it.
  const idsOf = (line: 'untried' | 'requeued') => jobs.filter((job) => job[line]).map(({ jobId }) => jobId)
  await tx.run(sql`
    update deliveries d set status = 'skipped', not_before = 'epoch', reason = ${json(reason('opted_out'))}
    from (
      select next.id from (
        select d.id from jobs j cross join lateral (
          select d.id from deliveries d where ${isUntried} order by d.id limit ${SLICE}) d
        where j.id = any(${idsOf('untried')})
        union all
        select d.id from jobs j cross join lateral (
          select d.id from deliveries d where ${isRequeued} order by d.not_before limit ${SLICE}) d
        where j.id = any(${idsOf('requeued')})
      ) next
      limit ${SLICE}
    ) next
    where d.id = next.id and d.status = 'queued' and ${isOptedOut}`)
  // A statement of its own, which sees what was skipped.
  await tx.run(sql`
    update jobs j set ${cursorAtFirstQueued} where j.id = any(${jobs.map(({ jobId }) => jobId)})`)
  return jobs
}

/** Condition: the first untried delivery of the job `j` has opted out, or is settled already. */
const firstUntriedIsOver = sql`coalesce((
  select d.status <> 'queued' or ${isOptedOut} from deliveries d where ${isUntried} order by d.id limit 1
), false)`

const firstRequeuedIsOver = sql`coalesce((
  select ${isOptedOut} from deliveries d where ${isRequeued} order by d.not_before limit 1
), false)`
