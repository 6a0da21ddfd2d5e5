import { type JobAction, jobActions, progressOf } from '@sendroom/contract/job-life'
import type { Job, JobChanges, JobRow } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import {
  decideReviews,
  deleteJobs,
  expectEnd,
  type JobAnswer,
  recipientCounts,
  setEditor,
  whyWaiting,
} from '../../engine/index.ts'
import { type Begin, type Caller, requireRight } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Pool, Tx } from '../../platform/database/connection.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { recordAction, wholeEntry } from './audit.ts'
import { findRecipients, newestDeliveries, newestLogs } from './job-rows.queries.ts'
import { findJobContent, findJobRow, findRecordedJobs } from './jobs.queries.ts'
import { findApproval } from './review.queries.ts'

/** Reads everything on a job's page in a constant number of queries, however large the job is. */
export async function getJob(db: Pool, caller: Caller, id: number): Promise<Job> {
  const job = orNotFound(await findJobContent(db, caller, id))
  const [state, named, sentMessages, logs] = await Promise.all([
    readState(db, caller, id),
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
    readState(db, caller, id),
    newestLogs(db, id, limits.jobDetailRows, afterLog),
  ])
  return { ...job, ...state, logs }
}

async function readState(db: Pool, caller: Caller, id: number) {
  const [recipients, why, approval] = await Promise.all([
    recipientCounts(db, id),
    whyWaiting(db, id),
    findApproval(db, caller, id),
  ])
  const expected = await expectEnd(db, id, recipients.waiting)
  return {
    ...why,
    approval,
    endsAt: expected?.endsAt ?? null,
    totalSentMessages: recipients.sent,
    progress: progressOf(recipients.sent, recipients.total),
    recipients,
  }
}

/** The refusals for any action, beside its own (contract/src/job-life.ts). */
const refusals = {
  settling: 'job_settling',
  deleted: 'job_recipients_deleted',
  nothing: 'job_nothing_to_retry',
} as const

/** Lets the engine change a job, and records that in the same transaction. */
export const changeJob = (
  begin: Begin,
  id: number,
  action: JobAction,
  change: (tx: Tx, jobId: number, byName: string) => Promise<JobAnswer>,
  details?: object,
): Promise<JobRow> =>
  begin(async (tx, caller) => {
    const { audit, refusal } = jobActions[action]
    const job = orNotFound(await findJobRow(tx, caller, id))
    if (action === 'restart' && job.mentionsAll) requireRight(caller, 'canMentionAll')
    // Sends again: whoever decides that is not the one who approves it.
    if (action === 'restart' || action === 'retry') await setEditor(tx, id, caller)
    const answer = await change(tx, id, caller.username)
    if (answer === 'not_allowed') throw new Refusal(refusal)
    if (answer !== 'done') throw new Refusal(refusals[answer])
    await decideReviews(tx)
    await recordAction(tx, caller, audit, job, details)
    return orNotFound(await findJobRow(tx, caller, id))
  })

/**
 * Deletes all of the jobs, or none if the caller does not see one of them. Of an unfinished job the cancel is recorded,
 * too.
 *
 * The caller needs the right `canCreateJobs` (`jobActions.delete` in contract/src/job-life.ts), which `begin` checks
 * again, and must see the instance of each job (`findRecordedJobs`). Who made the job does not matter.
 */
export async function removeJobs(db: Pool, begin: Begin, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  const { caller, jobs } = await begin(async (tx, caller) => {
    const jobs = await findRecordedJobs(tx, caller, wanted)
    if (jobs.length !== wanted.length) throw new Refusal('not_found')
    return { caller, jobs }
  })
  const answer = await deleteJobs(db, wanted, caller.username, (tx, changedIds, change) => {
    const { audit } = jobActions[change === 'cancelled' ? 'cancel' : 'delete']
    const changed = jobs.filter(({ id }) => changedIds.includes(id))
    return record(tx, caller, ...changed.map((job) => wholeEntry(audit, job)))
  })
  if (answer === 'busy') throw new Refusal(jobActions.delete.refusal)
}
