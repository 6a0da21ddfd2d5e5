import type { JobRow } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { Caller } from '../../platform/access.ts'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import type { Tx } from '../../platform/database/connection.ts'
import { findRecordedJobs, type RecordedJob } from './jobs.queries.ts'

/** An entry with all that the log keeps of a job: what was sent must be found when the job is gone. */
export const wholeEntry = (action: 'job.create' | 'job.cancel' | 'job.delete', job: RecordedJob): Entry => ({
  action,
  object: objectOf(job.id, job.textContent),
  details: {
    text: job.textContent,
    name: job.name || undefined,
    image: job.imageUrl,
    content: job.content ?? undefined,
    jobType: job.jobType,
    recipients: job.recipientCount,
    instance: job.instanceName,
    createdBy: action === 'job.create' ? undefined : job.createdByUserName,
    scheduledAt: job.scheduledAt,
    mentionsAll: job.mentionsAll || undefined,
  },
})

export async function recordCreation(tx: Tx, caller: Caller, id: number): Promise<void> {
  const jobs = await findRecordedJobs(tx, caller, [id])
  await record(tx, caller, ...jobs.map((job) => wholeEntry('job.create', job)))
}

/** Records what differs in a job from before, and both texts if they differ. */
export async function recordChange(
  tx: Tx,
  caller: Caller,
  before: RecordedJob,
  details: { fields?: ['recipients'] } = {},
): Promise<void> {
  const [after] = await findRecordedJobs(tx, caller, [before.id])
  if (!after) return
  const [former, present] = [settingsOf(before), settingsOf(after)]
  await record(tx, caller, {
    action: 'job.update',
    object: objectOf(after.id, after.textContent),
    details: {
      ...(after.textContent !== before.textContent && {
        text: after.textContent,
        formerText: before.textContent,
      }),
      changes: changesOf(former, present, Object.keys(present) as (keyof typeof present)[]),
      ...details,
    },
  })
}

const settingsOf = ({
  name,
  instanceName: instance,
  recipientCount: recipients,
  scheduledAt,
  mentionsAll,
}: RecordedJob) => ({
  name,
  instance,
  recipients,
  scheduledAt,
  mentionsAll,
})

/** Records what was done with a job that stays. */
export const recordAction = (tx: Tx, caller: Caller, action: Entry['action'], job: JobRow, details = {}) =>
  record(tx, caller, { action, object: objectOf(job.id, job.messageTitle), details })

const objectOf = (id: number, text: string): Entry['object'] => ({
  type: 'job',
  id,
  name: [...text].slice(0, limits.titleLength).join(''),
})
