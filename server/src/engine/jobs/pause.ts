import { unfinishedStatuses } from '@sendroom/contract/job-life'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { join, json, sql } from '../../platform/database/sql.ts'
import { insertLogLines, logJob, reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'
import { allows, type JobAnswer } from './lifecycle.ts'

/**
 * Holds back the sends of a job that has not ended. No intent is written once this is committed, as with a cancel; a
 * message whose intent was written before is sent, settled and recorded. The job still becomes Running when it is due.
 */
export async function pauseJob(tx: Tx, jobId: number, byName: string): Promise<JobAnswer> {
  await lockInstancesOfJobs(tx, [jobId])
  const count = await tx.run(sql`
    update jobs set paused_at = clock_now()
    where id = ${jobId} and ${allows('pause')}`)
  if (count === 0) return 'not_allowed'
  await logJob(tx, jobId, reason('job_paused', { user: byName }))
  return 'done'
}

/** Resumes a paused job. */
export async function resumeJob(tx: Tx, jobId: number, byName: string): Promise<JobAnswer> {
  await lockInstancesOfJobs(tx, [jobId])
  const count = await tx.run(sql`
    update jobs set paused_at = null, resumed_at = clock_now()
    where id = ${jobId} and ${allows('resume')}`)
  if (count === 0) return 'not_allowed'
  await logJob(tx, jobId, reason('job_resumed', { user: byName }))
  await wakeWorkers(tx)
  return 'done'
}

/**
 * Pauses every job that has not ended, in the caller's transaction, because it has just been restored from a backup.
 * Nobody else uses that database yet, so no instance is locked.
 *
 * @returns how many jobs were paused
 */
export const pauseRestoredJobs = (tx: Db): Promise<number> =>
  tx.run(sql`
    with paused as (
      update jobs set paused_at = clock_now()
      where paused_at is null and status in (${join([...unfinishedStatuses])})
      returning id
    )
    ${insertLogLines(sql`select id, 'Info', ${json(reason('job_paused_by_restore'))} from paused`)}`)
