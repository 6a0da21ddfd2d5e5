import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { cancelJob } from './lifecycle.ts'
import { unsettledIn } from './unsettled.ts'

/** As long as one send may take. */
const SETTLE_MS = 20_000
const LOOK_AGAIN_MS = 200

/**
 * Cancels the jobs, waits up to `settleMs` until messages that are being sent have settled, and deletes the jobs.
 *
 * `busy`: a message is still being sent or in doubt. Nothing is deleted then, and the jobs stay cancelled. A delivery in
 * doubt is the only record that its message may be in that chat: without it a later look-up could match this message to
 * another delivery, which would then never be sent. A doubt lasts about ten minutes at most.
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

/** Deletes all jobs of an instance in the same way. */
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

/** Deletes all jobs or none. Under the instances' locks no send begins between the test and the delete. */
const deleteSettled = (db: Pool, jobIds: number[]) =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    await lockInstancesOfJobs(tx, jobIds)
    if (await unsettledIn(tx, jobIds)) return false
    await tx.run(sql`delete from jobs where id = any(${jobIds})`)
    return true
  })
