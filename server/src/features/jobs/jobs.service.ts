import type { ErrorCode } from '@sendroom/contract/errors'
import { progressOf } from '@sendroom/contract/job-life'
import type { Job, JobChanges, JobRow } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import {
  cancelJob,
  deleteJobs,
  expectEnd,
  pauseJob,
  recipientCounts,
  restartJob,
  resumeJob,
  retryFailed,
  whyWaiting,
} from '../../engine/index.ts'
import type { Begin, Caller } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { recordAction, wholeEntry } from './audit.ts'
import { findRecipients, newestDeliveries, newestLogs } from './job-rows.queries.ts'
import { findJobContent, findJobRow, findRecordedJobs } from './jobs.queries.ts'

/** Reads everything on a job's page in a constant number of queries, however large the job is. */
export async function getJob(db: Pool, caller: Caller, id: number): Promise<Job> {
  const job = orNotFound(await findJobContent(db, caller, id))
  const [state, named, sentMessages, logs] = await Promise.all([
    readState(db, id),
    findRecipients(db, id, limits.jobDetailRecipients),
    newestDeliveries(db, id, limits.jobDetailRows),
    newestLogs(db, id, limits.jobDetailRows),
  ])
  return {
    ...job,
    ...state,
    assignedGroups: named.flatMap(({ groupId, name }) => (groupId === null ? [] : [{ id: groupId, name }])),
    targetPhoneNumbers:
      job.jobType === 'SendToUsers' ? named.map(({ chatId }) => chatId.split('@')[0] ?? chatId) : [],
    sentMessages,
    logs,
  }
}

/** Reads what can change of a job, which is far less than `getJob` reads of a large one. */
export async function getChanges(
  db: Pool,
  caller: Caller,
  id: number,
  afterLog: number,
): Promise<JobChanges> {
  const { textContent, ...job } = orNotFound(await findJobContent(db, caller, id))
  const [state, logs] = await Promise.all([
    readState(db, id),
    newestLogs(db, id, limits.jobDetailRows, afterLog),
  ])
  return { ...job, ...state, logs }
}

async function readState(db: Pool, id: number) {
  const [recipients, why] = await Promise.all([recipientCounts(db, id), whyWaiting(db, id)])
  const expected = await expectEnd(db, id, recipients.waiting)
  return {
    ...why,
    endsAt: expected?.endsAt ?? null,
    totalSentMessages: recipients.sent,
    progress: progressOf(recipients.sent, recipients.total),
    recipients,
  }
}

type Answer = 'done' | 'not_allowed' | 'settling' | 'deleted' | 'nothing'
type Change = (tx: Tx, jobId: number, byName: string) => Promise<Answer>

/** Lets the engine change a job, and records that in the same transaction. */
const changeJob = (
  begin: Begin,
  id: number,
  change: Change,
  { action, notAllowed, details }: { action: Entry['action']; notAllowed: ErrorCode; details?: object },
): Promise<JobRow> =>
  begin(async (tx, caller) => {
    const job = orNotFound(await findJobRow(tx, caller, id))
    const answer = await change(tx, id, caller.username)
    if (answer === 'settling') throw new Refusal('job_settling')
    if (answer === 'deleted') throw new Refusal('job_recipients_deleted')
    if (answer === 'nothing') throw new Refusal('job_nothing_to_retry')
    if (answer === 'not_allowed') throw new Refusal(notAllowed)
    await recordAction(tx, caller, action, job, details)
    return orNotFound(await findJobRow(tx, caller, id))
  })

export const restart = (begin: Begin, id: number): Promise<JobRow> =>
  changeJob(begin, id, restartJob, { action: 'job.restart', notAllowed: 'job_not_restartable' })

export const cancel = (begin: Begin, id: number): Promise<JobRow> =>
  changeJob(begin, id, cancelJob, { action: 'job.cancel', notAllowed: 'job_not_cancellable' })

export const pause = (begin: Begin, id: number): Promise<JobRow> =>
  changeJob(begin, id, pauseJob, { action: 'job.pause', notAllowed: 'job_not_pausable' })

export const resume = (begin: Begin, id: number): Promise<JobRow> =>
  changeJob(begin, id, resumeJob, { action: 'job.resume', notAllowed: 'job_not_resumable' })

export const retry = (begin: Begin, id: number, whom: { includeUnknown: boolean }): Promise<JobRow> =>
  changeJob(begin, id, (tx, jobId, byName) => retryFailed(tx, jobId, byName, whom), {
    action: 'job.retry',
    notAllowed: 'job_not_retryable',
    details: whom,
  })

/** Deletes all of the jobs, or none if the caller does not see one of them. Of a live job the cancel is recorded, too. */
export async function removeJobs(db: Pool, begin: Begin, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  const { caller, jobs } = await begin(async (tx, caller) => {
    const jobs = await findRecordedJobs(tx, caller, wanted)
    if (jobs.length !== wanted.length) throw new Refusal('not_found')
    return { caller, jobs }
  })
  const answer = await deleteJobs(db, wanted, caller.username, (tx, changedIds, change) => {
    const action = change === 'cancelled' ? 'job.cancel' : 'job.delete'
    const changed = jobs.filter(({ id }) => changedIds.includes(id))
    return record(tx, caller, ...changed.map((job) => wholeEntry(action, job)))
  })
  if (answer === 'busy') throw new Refusal('account_busy')
}
