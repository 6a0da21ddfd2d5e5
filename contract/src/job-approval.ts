import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { jobActions, reviewSteps } from './job-life.ts'
import { limits } from './limits.ts'
import { firstOf, Instant, idParams, key, ReadVersion } from './values.ts'

// The approval of a job by a second person, on an account that needs one.

/** A step in the history of a job's approval. */
export const ReviewEntry = z
  .object({
    at: Instant,
    what: z.enum(reviewSteps),
    /** Empty for what happened by itself. */
    by: z.string(),
    /** The changes that were asked for, or the reason of an override. Empty for other steps. */
    words: z.string(),
  })
  .meta({ id: 'ReviewEntry' })
export type ReviewEntry = z.output<typeof ReviewEntry>

export const JobApproval = z
  .object({
    /** When the job is overdue without an approval. Null: the job is sent as soon as somebody approves it. */
    approveBy: Instant.nullable(),
    /** Whether the caller may approve this job, or ask for changes, as it is now. */
    canReview: z.boolean(),
    /** The names of the first few who may. With none only an override is left. */
    approvers: firstOf(z.string()),
    /** The newest 100 steps, the newest first. */
    history: z.array(ReviewEntry),
  })
  .meta({ id: 'JobApproval' })
export type JobApproval = z.output<typeof JobApproval>

/** The changes that are asked for, or the reason of an override. */
export const reviewWords = z
  .string(key('JOB.WORDS_REQUIRED'))
  .trim()
  .min(1, key('JOB.WORDS_REQUIRED'))
  .max(limits.reviewWords, key('JOB.WORDS_TOO_LONG'))

const Version = z.object({ version: ReadVersion })

/** A job that has changed since somebody read it is not approved. So the version is required here. */
const SeenVersion = z.object({ version: ReadVersion.unwrap() })

/** The endpoints for the approval of a job. */
export const jobApproval = <Row extends z.ZodType>(response: Row) => ({
  takeBack: endpoint({
    method: 'POST',
    path: '/jobs/:id/take-back',
    access: jobActions.takeBack.access,
    summary: 'Take back a job that is in review, so that it can be changed',
    params: idParams,
    body: Version,
    response,
  }),
  ask: endpoint({
    method: 'POST',
    path: '/jobs/:id/ask-approval',
    access: jobActions.ask.access,
    summary: 'Ask again for the approval of a job that nobody has changed. A change asks by itself',
    params: idParams,
    body: Version,
    response,
  }),
  approve: endpoint({
    method: 'POST',
    path: '/jobs/:id/approve',
    access: jobActions.approve.access,
    summary: 'Approve a job of another user. Any change of it voids the approval',
    params: idParams,
    body: SeenVersion,
    response,
  }),
  askChanges: endpoint({
    method: 'POST',
    path: '/jobs/:id/ask-changes',
    access: jobActions.askChanges.access,
    summary: 'Ask for changes of a job in review',
    params: idParams,
    body: SeenVersion.extend({ words: reviewWords }),
    response,
  }),
  override: endpoint({
    method: 'POST',
    path: '/jobs/:id/override-approval',
    access: jobActions.override.access,
    summary: 'Let a job be sent without an approval, for a reason that all who can approve read',
    params: idParams,
    body: SeenVersion.extend({ words: reviewWords }),
    response,
  }),
})
