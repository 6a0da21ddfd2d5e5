import type { JobStatus } from '@sendroom/contract/job-life'
import { jobCan } from '@sendroom/contract/job-life'
import type { Db, Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { freeCredits, lockAccountOfJobs, moveJob, tellJob, untried } from './life.ts'
import { nudge } from './nudge.ts'
import { unsettledIn } from './unsettled.ts'

export type RetryAnswer = 'done' | 'not_allowed' | 'settling' | 'nothing'

/**
 * Sends an ended job to the rest: its failed and skipped recipients go back to the queue, the sent stay, and the
 * same run goes on, log and all. Those of whom nobody knows whether the message arrived go back only with
 * `includeUnknown`: they may get it twice.
 *
 * `settling`: a message is still on its way or in doubt, or the sweep has not yet skipped what a cancel left.
 * `nothing`: there is nobody to send to. In both cases nothing has changed.
 */
export async function retryFailed(
  db: Pool,
  jobId: number,
  byName: string,
  { includeUnknown }: { includeUnknown: boolean },
): Promise<RetryAnswer> {
  return db.begin(async (tx) => {
    await lockAccountOfJobs(tx, [jobId])
    const job = await tx.maybeOne<{ status: JobStatus; settling: boolean }>(sql`
      select status, settling from jobs where id = ${jobId} for update`)
    if (!job || !jobCan('retry', job)) return 'not_allowed'
    if (job.settling || (await unsettledIn(tx, [jobId]))) return 'settling'
    // A message that was accepted and then failed has an id, which no look-up may take for a new one.
    await freeCredits(tx, [jobId], sql`d.status = 'failed'`)
    const count = await takeBack(tx, jobId, includeUnknown)
    if (count === 0) return 'nothing'
    await moveJob(tx, jobId, 'retry')
    await tx.run(sql`
      update jobs
      set completed_at = null, paused_at = null, resumed_at = clock_now(), media_id = null, last_turn_at = 'epoch'
      where id = ${jobId}`)
    await tellJob(tx, jobId, 'job_retried', { user: byName, count })
    await nudge(tx)
    return 'done'
  })
}

/**
 * Puts them back into the queue (see queue.ts) and says how many. All behind the last one that stays as it is
 * are like never tried: after a cancel that is nearly everybody. The few before it are given back.
 */
async function takeBack(tx: Db, jobId: number, includeUnknown: boolean): Promise<number> {
  const isRest = sql`(
    d.status = 'skipped'
    or d.status = 'failed' and (${includeUnknown} or coalesce(d.reason->>'code', '') <> 'outcome_unknown')
  )`
  const { freshFrom } = await tx.one<{ freshFrom: number }>(sql`
    select coalesce(max(d.id) + 1, 0) as fresh_from from deliveries d where d.job_id = ${jobId} and not ${isRest}`)
  const count = await tx.run(sql`
    update deliveries d
    set ${untried}, not_before = case when d.id >= ${freshFrom} then 'epoch' else clock_now() end
    where d.job_id = ${jobId} and ${isRest}`)
  if (count > 0) await tx.run(sql`update jobs set fresh_from = ${freshFrom} where id = ${jobId}`)
  return count
}
