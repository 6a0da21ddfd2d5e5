import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { JobApproval, jobApproval } from './job-approval.ts'
import { jobActions, jobReviews, jobStatuses, jobTypes } from './job-life.ts'
import { jobPoll } from './job-poll.ts'
import { JobLog, jobRows, SentMessage } from './job-rows.ts'
import { limits } from './limits.ts'
import { jobFilters } from './list-filters.ts'
import { MessageContent } from './message-content.ts'
import { TestMessage } from './messages.ts'
import { JobChange, JobDraft, JobPreview, NewJob } from './new-jobs.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Instant, idList, idParams, Named, Reason } from './values.ts'

/** A job as lists show it. */
export const JobRow = z
  .object({
    id: z.number(),
    /** For the lists. Empty if nobody gave the job a name. */
    name: z.string(),
    /** Grows with each change by a form. */
    version: z.number(),
    jobType: z.enum(jobTypes),
    messageId: z.number().nullable(),
    /** The beginning of the job's own copy of the text. */
    messageTitle: z.string(),
    instanceId: z.number(),
    instanceName: z.string(),
    status: z.enum(jobStatuses),
    isPaused: z.boolean(),
    /** The state of its approval. Null if the job needs none, or has ended without one. */
    review: z.enum(jobReviews).nullable(),
    imageUrl: z.string().nullable(),
    /** A file, a poll or a place. Null for a text, and for a text with an image. */
    content: MessageContent.nullable(),
    /** How many recipients the job has, and how many of them got the message in the current run. */
    recipientCount: z.number(),
    sentCount: z.number(),
    /** How many recipients of the current run have failed so far. */
    failedCount: z.number(),
    /** Whether a recipient of the current run has failed or was skipped, so that a retry has somebody to send to. */
    hasRemaining: z.boolean(),
    /** Whether its recipients were deleted because of their age. The counts stay, but the job can't be sent again. */
    areRecipientsDeleted: z.boolean(),
    /** Whether its message mentions all members of the groups. */
    mentionsAll: z.boolean(),
    /** The series of whose run this is the job. */
    series: Named.nullable(),
    createdByUserName: z.string(),
    scheduledAt: Instant.nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
  })
  .meta({ id: 'JobRow' })
export type JobRow = z.output<typeof JobRow>

/** The recipients of the job's current run by state: total = waiting + sent + failed + skipped. */
export const RecipientCounts = z
  .object({
    total: z.number(),
    waiting: z.number(),
    sent: z.number(),
    /** The part of `sent` in the last 60 seconds, which is the current rate. */
    sentLastMinute: z.number(),
    failed: z.number(),
    skipped: z.number(),
    /** The part of `failed` that is in doubt: nobody knows whether the message arrived. */
    unknown: z.number(),
    /** The parts of `sent` that were delivered to a phone and read. For a group, the first member counts. */
    delivered: z.number(),
    read: z.number(),
  })
  .meta({ id: 'RecipientCounts' })
export type RecipientCounts = z.output<typeof RecipientCounts>

/** A single job with its counts and newest rows. */
export const Job = JobRow.extend({
  textContent: z.string(),
  /** Whether the text has variables, and each recipient a text of their own. */
  isPersonal: z.boolean(),
  /** Grows with each restart, which clears the log. */
  run: z.number(),
  /** The first 1,000 of each. `recipients.total` is the full number. */
  assignedGroups: z.array(Named),
  targetPhoneNumbers: z.array(z.string()),
  totalSentMessages: z.number(),
  /** In percent with 2 decimals, see `progressOf`. */
  progress: z.number(),
  recipients: RecipientCounts,
  /** Why nothing is sent at the moment. Null if the job has ended or is not held back. */
  waiting: Reason.nullable(),
  /** Null for a job that never needed an approval. */
  approval: JobApproval.nullable(),
  nextSendAt: Instant.nullable(),
  /** When the last message is expected to be sent. Null if that is unknown or the job has ended. */
  endsAt: Instant.nullable(),
  /** The newest 200 rows of each. */
  sentMessages: z.array(SentMessage),
  logs: z.array(JobLog),
  /** Whether the log has been deleted because of its age. */
  isLogDeleted: z.boolean(),
}).meta({ id: 'Job' })
export type Job = z.output<typeof Job>

/** The fields of a job that can change while it is shown. `logs` has the lines after the one that the caller knows. */
export const JobChanges = Job.omit({
  textContent: true,
  assignedGroups: true,
  targetPhoneNumbers: true,
  sentMessages: true,
}).meta({ id: 'JobChanges' })
export type JobChanges = z.output<typeof JobChanges>

export const JobChangesQuery = z.object({ afterLog: blankable(z.coerce.number().int().min(0).default(0)) })

/** `includeUnknown` also sends to the recipients in doubt, who may then get the message twice. */
export const RetryFailed = z.object({ includeUnknown: z.boolean().default(false) })

const jobSortFields = ['id', 'jobType', 'messageTitle', 'status', 'scheduledAt', 'createdAt'] as const
export const JobListQuery = listQuery(jobSortFields, { sortBy: 'id', sortDirection: 'desc' }).extend({
  only: blankable(
    z
      .enum(jobFilters)
      .optional()
      .describe(
        '`stuck`: jobs that should send and have not for a minute or longer. `failures`: jobs that ended within seven days, have failed recipients and were not sent again. `running` and `pending`: jobs of this status. `in_review`: jobs that wait for approval. `to_approve`: those of them that you may approve',
      ),
  ),
})
export type JobListQuery = z.output<typeof JobListQuery>

export const jobs = {
  list: endpoint({
    method: 'GET',
    path: '/jobs',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'List the jobs you may see',
    query: JobListQuery,
    response: page(JobRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/jobs/:id',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'One job, with its counts and its newest deliveries and log lines',
    params: idParams,
    response: Job,
  }),
  changes: endpoint({
    method: 'GET',
    path: '/jobs/:id/changes',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'What can change of a job while it is shown, and the log lines after the given one',
    params: idParams,
    query: JobChangesQuery,
    response: JobChanges,
  }),
  ...jobRows,
  ...jobPoll,
  create: endpoint({
    method: 'POST',
    path: '/jobs',
    access: 'canCreateJobs',
    allowsApiKeys: true,
    summary: 'Create a job that starts now or at a set time, of a saved message or together with one',
    body: NewJob,
    response: JobRow,
    status: 201,
    upload: 'imageFile',
    form: 'job',
  }),
  change: endpoint({
    method: 'PUT',
    path: '/jobs/:id',
    access: jobActions.change.access,
    summary:
      'Change a job that waits: its name, message, recipients, time or account. A running one: its name',
    params: idParams,
    body: JobChange,
    response: JobRow,
    form: 'job',
  }),
  preview: endpoint({
    method: 'POST',
    path: '/jobs/preview',
    access: 'canCreateJobs',
    allowsApiKeys: true,
    summary: 'Preview a job: its recipients, the problems with them, and how long it would take',
    body: JobDraft,
    response: JobPreview,
  }),
  test: endpoint({
    method: 'POST',
    path: '/jobs/test',
    access: 'canSendTests',
    summary:
      'Send a message, saved or not, to one phone number; creates an ordinary job. An equal request within 3 seconds returns the same job',
    body: TestMessage,
    response: JobRow,
    status: 201,
    upload: 'imageFile',
  }),
  restart: endpoint({
    method: 'POST',
    path: '/jobs/:id/restart',
    access: jobActions.restart.access,
    summary: 'Run an ended job again from the start; clears its deliveries and log',
    params: idParams,
    response: JobRow,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/jobs/:id/cancel',
    access: jobActions.cancel.access,
    allowsApiKeys: true,
    summary: 'Cancel a job; no message is started after the answer',
    params: idParams,
    response: JobRow,
  }),
  pause: endpoint({
    method: 'POST',
    path: '/jobs/:id/pause',
    access: jobActions.pause.access,
    allowsApiKeys: true,
    summary: 'Pause a job that has not ended; no message is started after the answer',
    params: idParams,
    response: JobRow,
  }),
  resume: endpoint({
    method: 'POST',
    path: '/jobs/:id/resume',
    access: jobActions.resume.access,
    allowsApiKeys: true,
    summary: 'Resume a paused job',
    params: idParams,
    response: JobRow,
  }),
  retryFailed: endpoint({
    method: 'POST',
    path: '/jobs/:id/retry-failed',
    access: jobActions.retry.access,
    allowsApiKeys: true,
    summary: 'Send an ended job to its failed and skipped recipients only',
    params: idParams,
    body: RetryFailed,
    response: JobRow,
  }),
  ...jobApproval(JobRow),
  remove: endpoint({
    method: 'DELETE',
    path: '/jobs/:id',
    access: jobActions.delete.access,
    summary: 'Delete a job; a running job is cancelled first',
    params: idParams,
  }),
  bulkDelete: endpoint({
    method: 'POST',
    path: '/jobs/bulk-delete',
    access: jobActions.delete.access,
    summary: 'Delete several jobs, all or none',
    body: z.object({ jobIds: idList(limits.pageSizeMax, { min: 1 }) }),
  }),
}
