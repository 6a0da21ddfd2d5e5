import type { JobRow } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { Caller } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import type { Tx } from '../../platform/database/connection.ts'
import { findRecordedJobs, type RecordedJob } from './jobs.queries.ts'

/** An entry with all that the log keeps of a job: what was sent must be found when the job is gone. */
export const wholeEntry = (
  action: 'job.create' | 'job.update' | 'job.cancel' | 'job.delete',
  job: RecordedJob,
  formerText?: string,
): Entry => ({
  action,
  object: objectOf(job.id, job.textContent),
  details: {
    text: job.textContent,
    formerText,
    image: job.imageUrl,
    jobType: job.jobType,
    recipients: job.recipientCount,
    instance: job.instanceName,
    createdBy: action === 'job.create' ? undefined : job.createdByUserName,
    scheduledAt: job.scheduledAt,
  },
})

export async function recordCreation(tx: Tx, caller: Caller, id: number): Promise<void> {
  const jobs = await findRecordedJobs(tx, caller, [id])
  await record(tx, caller, ...jobs.map((job) => wholeEntry('job.create', job)))
}

/** Records a changed job as it is now, with the text that it had. */
export async function recordChange(tx: Tx, caller: Caller, { id, textContent }: RecordedJob): Promise<void> {
  const jobs = await findRecordedJobs(tx, caller, [id])
  const formerText = (text: string) => (text === textContent ? undefined : textContent)
  await record(tx, caller, ...jobs.map((job) => wholeEntry('job.update', job, formerText(job.textContent))))
}

/** Records what was done with a job that stays. */
export const recordAction = (tx: Tx, caller: Caller, action: Entry['action'], job: JobRow, details = {}) =>
  record(tx, caller, { action, object: objectOf(job.id, job.messageTitle), details })

const objectOf = (id: number, text: string): Entry['object'] => ({
  type: 'job',
  id,
  name: [...text].slice(0, limits.titleLength).join(''),
})
