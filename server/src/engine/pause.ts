import { liveStatuses } from '@sendroom/contract/job-life'
import type { Pool } from '../platform/database/connection.ts'
import { join, sql } from '../platform/database/sql.ts'
import { lockAccountOfJobs, tellJob } from './life.ts'
import { nudge } from './nudge.ts'

/**
 * Stops the sends of a job that has not ended. After the answer no new one begins, as with a cancel; what was in
 * flight is settled and recorded. It still becomes Running when it is due: a pause holds back its sends only.
 */
export async function pauseJob(db: Pool, jobId: number, byName: string): Promise<'done' | 'not_allowed'> {
  return db.begin(async (tx) => {
    await lockAccountOfJobs(tx, [jobId])
    const count = await tx.run(sql`
      update jobs set paused_at = clock_now()
      where id = ${jobId} and paused_at is null and status in (${join([...liveStatuses])})`)
    if (count === 0) return 'not_allowed'
    await tellJob(tx, jobId, 'job_paused', { user: byName })
    return 'done'
  })
}

/** Lets a paused job go on. */
export async function resumeJob(db: Pool, jobId: number, byName: string): Promise<'done' | 'not_allowed'> {
  return db.begin(async (tx) => {
    await lockAccountOfJobs(tx, [jobId])
    const count = await tx.run(sql`
      update jobs set paused_at = null, resumed_at = clock_now()
      where id = ${jobId} and paused_at is not null and status in (${join([...liveStatuses])})`)
    if (count === 0) return 'not_allowed'
    await tellJob(tx, jobId, 'job_resumed', { user: byName })
    await nudge(tx)
    return 'done'
  })
}
