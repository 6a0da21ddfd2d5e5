import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { cancelJob, lockAccountOfJobs } from './life.ts'
import { unsettledIn } from './unsettled.ts'

/** How long what is in flight gets to settle: as long as one send may take. */
const SETTLE_MS = 20_000
const LOOK_AGAIN_MS = 200

/**
 * Cancels the jobs, waits until what is in flight has settled, and deletes them.
 *
 * `busy`: after 20 seconds something is still on its way or in doubt. Then nothing is deleted, and the jobs
 * stay, cancelled: a row in doubt is the only thing that knows that a message may be in that chat. Without it
 * a later look-up could credit this message to another delivery, which then would never be sent.
 * It can be tried again; a doubt lasts ten minutes or so at most.
 */
export async function deleteJobs(
  db: Pool,
  jobIds: number[],
  byName: string,
  settleMs = SETTLE_MS,
): Promise<'done' | 'busy'> {
  for (const id of jobIds) await cancelJob(db, id, byName)
  const giveUpAt = performance.now() + settleMs
  while (!(await deleteSettled(db, jobIds))) {
    if (performance.now() >= giveUpAt) return 'busy'
    await delay(LOOK_AGAIN_MS)
  }
  return 'done'
}

/** The same for all jobs of an account. */
export async function deleteJobsOfInstance(
  db: Pool,
  instanceId: number,
  byName: string,
  settleMs = SETTLE_MS,
): Promise<'done' | 'busy'> {
  const jobs = await db.many<{ id: number }>(sql`select id from jobs where instance_id = ${instanceId}`)
  return deleteJobs(
    db,
    jobs.map((job) => job.id),
    byName,
    settleMs,
  )
}

/** All or none: under the accounts' locks nothing can begin between the test and the delete. */
const deleteSettled = (db: Pool, jobIds: number[]) =>
  db.begin(async (tx) => {
    await lockAccountOfJobs(tx, jobIds)
    if (await unsettledIn(tx, jobIds)) return false
    await tx.run(sql`delete from jobs where id = any(${jobIds})`)
    return true
  })
