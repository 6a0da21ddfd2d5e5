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
import { record } from '../../platform/audit.ts'
import type { Pool } from '../../platform/database/connection.ts'
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

/**
 * Throws unless the caller still has the right and sees the job. The engine then acts in transactions of its own, which
 * lock instances first.
 */
const requireJob = (begin: Begin, id: number): Promise<{ caller: Caller; job: JobRow }> =>
  begin(async (tx, caller) => ({ caller, job: orNotFound(await findJobRow(tx, caller, id)) }))

export async function restart(db: Pool, begin: Begin, id: number): Promise<JobRow> {
  const { caller, job } = await requireJob(begin, id)
  const answer = await restartJob(db, id, caller.username)
  if (answer === 'settling') throw new Refusal('job_settling')
  if (answer === 'not_allowed') throw new Refusal('job_not_restartable')
  if (answer === 'deleted') throw new Refusal('job_recipients_deleted')
  await recordAction(db, caller, 'job.restart', job)
  return orNotFound(await findJobRow(db, caller, id))
}

export async function cancel(db: Pool, begin: Begin, id: number): Promise<JobRow> {
  const { caller, job } = await requireJob(begin, id)
  const answer = await cancelJob(db, id, caller.username)
  if (answer === 'not_allowed') throw new Refusal('job_not_cancellable')
  await recordAction(db, caller, 'job.cancel', job)
  return orNotFound(await findJobRow(db, caller, id))
}

export async function pause(db: Pool, begin: Begin, id: number): Promise<JobRow> {
  const { caller, job } = await requireJob(begin, id)
  const answer = await pauseJob(db, id, caller.username)
  if (answer === 'not_allowed') throw new Refusal('job_not_pausable')
  await recordAction(db, caller, 'job.pause', job)
  return orNotFound(await findJobRow(db, caller, id))
}

export async function resume(db: Pool, begin: Begin, id: number): Promise<JobRow> {
  const { caller, job } = await requireJob(begin, id)
  const answer = await resumeJob(db, id, caller.username)
  if (answer === 'not_allowed') throw new Refusal('job_not_resumable')
  await recordAction(db, caller, 'job.resume', job)
  return orNotFound(await findJobRow(db, caller, id))
}

export async function retry(
  db: Pool,
  begin: Begin,
  id: number,
  whom: { includeUnknown: boolean },
): Promise<JobRow> {
  const { caller, job } = await requireJob(begin, id)
  const answer = await retryFailed(db, id, caller.username, whom)
  if (answer === 'settling') throw new Refusal('job_settling')
  if (answer === 'not_allowed') throw new Refusal('job_not_retryable')
  if (answer === 'deleted') throw new Refusal('job_recipients_deleted')
  if (answer === 'nothing') throw new Refusal('job_nothing_to_retry')
  await recordAction(db, caller, 'job.retry', job, whom)
  return orNotFound(await findJobRow(db, caller, id))
}

/** Deletes all of the jobs, or none if the caller does not see one of them. */
export async function removeJobs(db: Pool, begin: Begin, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  const { caller, jobs } = await begin(async (tx, caller) => {
    const jobs = await findRecordedJobs(tx, caller, wanted)
    if (jobs.length !== wanted.length) throw new Refusal('not_found')
    return { caller, jobs }
  })
  const deleted = new Set<number>()
  const answer = await deleteJobs(db, wanted, caller.username, undefined, async (tx, slice) => {
    const gone = jobs.filter(({ id }) => slice.includes(id))
    await record(tx, caller, ...gone.map((job) => wholeEntry('job.delete', job)))
    for (const id of slice) deleted.add(id)
  })
  if (answer === 'done') return
  const cancelled = jobs.filter(
    ({ id, status }) => !deleted.has(id) && (status === 'Pending' || status === 'Running'),
  )
  await record(db, caller, ...cancelled.map((job) => wholeEntry('job.cancel', job)))
  throw new Refusal('account_busy')
}
