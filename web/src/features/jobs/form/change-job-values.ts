import type { Job } from '@sendroom/contract/jobs'
import { JobChange as Change } from '@sendroom/contract/new-jobs'
import { z } from 'zod'
import type { InputOf } from '../../../api/client.ts'
import { blank, fallbacksOf, isInFuture, recipientsOf, type Values } from './new-job-values.ts'

/** The values of the form for a job that waits. Without a `messageId` the text stays. */
export type ChangeValues = Values & { keepsRecipients: boolean }

export const valuesOf = (job: Job): ChangeValues => ({
  ...blank,
  name: job.name,
  jobType: job.jobType,
  instanceId: job.instanceId,
  scheduledAt: job.scheduledAt ?? '',
  mentionsAll: job.mentionsAll,
  keepsRecipients: true,
})

export type JobChange = InputOf<'PUT /jobs/:id'>['body']

/**
 * The changes that the form makes. The rest is left out, so that it stays as it is. An overdue job needs a new time,
 * because its own has passed.
 */
export function changeOf(values: ChangeValues, job: Job): JobChange {
  const { name, messageId, instanceId, scheduledAt, mentionsAll, keepsRecipients } = values
  const start = valuesOf(job)
  return {
    ...(name.trim() !== start.name && { name }),
    ...(messageId !== 0 && { messageId }),
    ...(instanceId !== start.instanceId && { instanceId }),
    ...((scheduledAt !== start.scheduledAt || job.review === 'overdue') && { scheduledAt }),
    ...(mentionsAll !== start.mentionsAll && { mentionsAll }),
    ...(!keepsRecipients && { recipients: recipientsOf(values) }),
    ...fallbacksOf(values),
  }
}

/** A time that has passed is a mistake, unless it is the job's own. */
const FutureChange = Change.refine(({ scheduledAt }) => !scheduledAt || isInFuture(scheduledAt), {
  path: ['scheduledAt'],
  error: 'JOB.SCHEDULED_AT_PASSED',
})

export const changeFormOf = (job: Job) =>
  z.preprocess((values) => changeOf(values as ChangeValues, job), FutureChange)
