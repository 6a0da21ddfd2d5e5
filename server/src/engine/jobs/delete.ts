import { setTimeout as delay } from 'node:timers/promises'
import { unfinishedStatuses } from '@sendroom/contract/job-life'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { isLockTimedOut } from '../../platform/database/errors.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { join, sql } from '../../platform/database/sql.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { releaseMentions } from '../shared/mentions.ts'
import { cancelJob } from './lifecycle.ts'
import { unsettledIn } from './unsettled.ts'

/** As long as one send may take. */
const SETTLE_MS = 20_000
const LOOK_AGAIN_MS = 200

/** Recipients that one transaction deletes, unless a single job has more. Their instance waits for so long. */
const SLICE_RECIPIENTS = 10_000

/** Runs in each transaction that cancels or deletes jobs, with their ids. */
type WhenChanged = (tx: Tx, jobIds: number[], change: 'cancelled' | 'deleted') => Promise<unknown>

/**
 * Cancels the jobs that have not ended, waits up to `settleMs` until messages that are being sent have settled, and
 * deletes the jobs: in slices, each of one instance, whose lock it takes. Who may do so is decided by `removeJobs`
 * (features/jobs/jobs.service.ts).
 *
 * `busy`: a message is still being sent or in doubt, or somebody has locked the instance. The jobs stay cancelled then,
 * and none is deleted, unless one was started again meanwhile. A delivery in doubt is the only record that its message
 * may be in that chat: without it a later look-up could match this message to another delivery, which would then never
 * be sent. A doubt lasts about ten minutes at most.
 */
export async function deleteJobs(
  db: Pool,
  jobIds: number[],
  byName: string,
  whenChanged: WhenChanged,
  settleMs = SETTLE_MS,
): Promise<'done' | 'busy'> {
  for (const { id } of await findUnfinished(db, jobIds))
    await db.begin(async (tx) => {
      if ((await cancelJob(tx, id, byName)) === 'done') await whenChanged(tx, [id], 'cancelled')
    })
  const giveUpAt = performance.now() + settleMs
  const until = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) {
      if (performance.now() >= giveUpAt) return false
      await delay(LOOK_AGAIN_MS)
    }
    return true
  }
  // After its cancel a job gets no new intent. So what has settled stays settled, and all slices can be deleted.
  if (!(await until(async () => !(await unsettledIn(db, jobIds))))) return 'busy'
  for (const slice of await findSlices(db, jobIds))
    if (!(await until(() => deleteSettled(db, slice, whenChanged)))) return 'busy'
  return 'done'
}

const findUnfinished = (db: Pool, jobIds: number[]) =>
  db.many<{ id: number }>(sql`
    select id from jobs where id = any(${jobIds}) and status in (${join([...unfinishedStatuses])}) order by instance_id, id`)

/** The jobs, divided by instance and into slices. */
async function findSlices(db: Pool, jobIds: number[]): Promise<number[][]> {
  const jobs = await db.many<{ id: number; instanceId: number; recipientCount: number }>(sql`
    select id, instance_id, recipient_count from jobs where id = any(${jobIds}) order by instance_id, id`)
  const slices: number[][] = []
  let last = { instanceId: 0, recipients: 0 }
  for (const { id, instanceId, recipientCount } of jobs) {
    const recipients = last.recipients + recipientCount
    if (instanceId === last.instanceId && recipients <= SLICE_RECIPIENTS) {
      slices.at(-1)?.push(id)
      last = { instanceId, recipients }
    } else {
      slices.push([id])
      last = { instanceId, recipients: recipientCount }
    }
  }
  return slices
}

/** Deletes all jobs of an instance in the same way. */
export async function deleteJobsOfInstance(
  db: Pool,
  instanceId: number,
  byName: string,
  whenChanged: WhenChanged,
): Promise<'done' | 'busy'> {
  const jobs = await db.many<{ id: number }>(sql`select id from jobs where instance_id = ${instanceId}`)
  return deleteJobs(
    db,
    jobs.map((job) => job.id),
    byName,
    whenChanged,
  )
}

/** Under the instance's lock no send begins between the test and the delete. */
const deleteSettled = (db: Pool, jobIds: number[], whenChanged: WhenChanged) =>
  db
    .begin(async (tx) => {
      await forBulkWrites(tx)
      await lockInstancesOfJobs(tx, jobIds)
      if (await unsettledIn(tx, jobIds)) return false
      await releaseMentions(tx, jobIds)
      await tx.run(sql`delete from jobs where id = any(${jobIds})`)
      await whenChanged(tx, jobIds, 'deleted')
      return true
    })
    .catch((error) => {
      if (isLockTimedOut(error)) return false
      throw error
    })
