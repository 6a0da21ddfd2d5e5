import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { jobStatuses, jobTypes } from './job-life.ts'
import { limits } from './limits.ts'
import { TestMessage } from './messages.ts'
import { listQuery, page } from './paging.ts'
import { Id, Instant, idParams, key, Named, Reason } from './values.ts'

export const JobRow = z
  .object({
    id: z.number(),
    jobType: z.enum(jobTypes),
    messageId: z.number().nullable(),
    /** The beginning of the job's own text. */
    messageTitle: z.string(),
    instanceId: z.number(),
    instanceName: z.string(),
    status: z.enum(jobStatuses),
    isPaused: z.boolean(),
    createdByUserName: z.string(),
    scheduledAt: Instant.nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
  })
  .meta({ id: 'JobRow' })
export type JobRow = z.output<typeof JobRow>

/** How the recipients of the job's present run stand: total = waiting + sent + failed + skipped. */
export const RecipientCounts = z
  .object({
    total: z.number(),
    waiting: z.number(),
    sent: z.number(),
    /** Of the sent: those of the last 60 seconds. How fast the job is now. */
    sentLastMinute: z.number(),
    failed: z.number(),
    skipped: z.number(),
    /** Of the failed: those of whom nobody knows whether the message arrived. */
    unknown: z.number(),
    /** Of the sent: those whose phone has it (of a group: anybody's), and those who read it. */
    delivered: z.number(),
    read: z.number(),
  })
  .meta({ id: 'RecipientCounts' })
export type RecipientCounts = z.output<typeof RecipientCounts>

export const SentMessage = z
  .object({
    id: z.number(),
    recipientName: z.string(),
    /** The chat's id at WhatsApp, or the phone number. */
    recipientId: z.string(),
    status: z.enum(['Sent', 'Failed']),
    sentAt: Instant.nullable(),
    /** When the first got it and the first read it, by their phones' receipts. */
    deliveredAt: Instant.nullable(),
    readAt: Instant.nullable(),
    /** Of a group: how many of its `members` (ourselves left out) got it and read it; null for a person. */
    deliveredTo: z.number().nullable(),
    readBy: z.number().nullable(),
    /** Null also where the group's size is not known. */
    members: z.number().nullable(),
    /** The reason in English; `reason` is the same for translation. */
    errorMessage: z.string().nullable(),
    reason: Reason.nullable(),
  })
  .meta({ id: 'SentMessage' })
export type SentMessage = z.output<typeof SentMessage>

export const JobLog = z
  .object({
    id: z.number(),
    createdAt: Instant,
    logLevel: z.enum(['Info', 'Warning', 'Error']),
    message: z.string(),
    reason: Reason,
  })
  .meta({ id: 'JobLog' })
export type JobLog = z.output<typeof JobLog>

export const Job = JobRow.extend({
  textContent: z.string(),
  imageUrl: z.string().nullable(),
  /** The first 1,000; `recipients.total` counts them all. */
  assignedGroups: z.array(Named),
  /** The first 1,000. */
  targetPhoneNumbers: z.array(z.string()),
  totalSentMessages: z.number(),
  /** Percent, 2 decimals. */
  progress: z.number(),
  recipients: RecipientCounts,
  /** Why nothing is sent at the moment; null when the job has ended or nothing holds it back. */
  waiting: Reason.nullable(),
  nextSendAt: Instant.nullable(),
  /** When its last message is expected to go; null when that is not known, or the job has ended. */
  endsAt: Instant.nullable(),
  /** The newest 200. */
  sentMessages: z.array(SentMessage),
  /** The newest 200. */
  logs: z.array(JobLog),
}).meta({ id: 'Job' })
export type Job = z.output<typeof Job>

const newJobFields = {
  jobType: z.enum(jobTypes, key('JOB.JOB_TYPE_REQUIRED')).default('SendToGroups'),
  messageId: z.number(key('JOB.MESSAGE_REQUIRED')).int().positive(key('JOB.MESSAGE_REQUIRED')),
  instanceId: z.number(key('JOB.INSTANCE_REQUIRED')).int().positive(key('JOB.INSTANCE_REQUIRED')),
  scheduledAt: z
    .union(
      [z.literal('').transform(() => null), z.iso.datetime(key('JOB.SCHEDULED_AT_INVALID'))],
      key('JOB.SCHEDULED_AT_INVALID'),
    )
    .nullish(),
  groupIds: z.array(Id).max(limits.recipients, key('JOB.RECIPIENTS_TOO_MANY')).default([]),
  /** One text: numbers apart by commas, semicolons, tabs or new lines. */
  phoneNumbers: z.string().max(4_000_000, key('JOB.RECIPIENTS_TOO_MANY')).default(''),
}

/** A new job while its form is being filled in: what is not chosen yet is left out. */
export const JobDraft = z.object({
  ...newJobFields,
  messageId: newJobFields.messageId.nullish(),
  instanceId: newJobFields.instanceId.nullish(),
})
export type JobDraft = z.output<typeof JobDraft>

/** Some of a kind: how many there are, and the first 50 of them. */
const firstOf = <S extends z.ZodType>(one: S) => z.object({ total: z.number(), first: z.array(one) })

/** What would become of a job that is created as it stands. */
export const JobPreview = z
  .object({
    /** Whom it would send to: without doubles, unreadable numbers and groups left. */
    recipients: z.number(),
    doubles: z.number(),
    /** As they were written. Such a job is refused. */
    unreadable: firstOf(z.string()),
    /** Groups that the account has left. Such a job is refused. */
    leftGroups: firstOf(Named),
    /** Groups in which only admins write, and the account is none: counted as recipients, but they would fail. */
    closedGroups: firstOf(Named),
    /** From its beginning to its last message, at the account's pace and beside its other jobs; null: not known. */
    durationSeconds: z.number().nullable(),
    endsAt: Instant.nullable(),
  })
  .meta({ id: 'JobPreview' })
export type JobPreview = z.output<typeof JobPreview>

export const NewJob = z
  .object({
    ...newJobFields,
    /** So that a lost answer makes no second job. */
    requestId: z
      .uuid()
      .nullish()
      .describe('Of your making. The same again is the same job, unless that was cancelled.'),
  })
  .superRefine((job, context) => {
    if (job.jobType === 'SendToGroups' && job.groupIds.length === 0)
      context.addIssue({ code: 'custom', path: ['groupIds'], message: key('JOB.GROUP_REQUIRED') })
    if (job.jobType === 'SendToUsers' && job.phoneNumbers.trim() === '')
      context.addIssue({ code: 'custom', path: ['phoneNumbers'], message: key('JOB.PHONE_REQUIRED') })
  })
export type NewJob = z.output<typeof NewJob>

/** `includeUnknown`: also to those of whom nobody knows whether the message arrived; they may get it twice. */
export const RetryFailed = z.object({ includeUnknown: z.boolean().default(false) })

export const JobListQuery = listQuery(
  ['id', 'jobType', 'messageTitle', 'status', 'scheduledAt', 'createdAt'],
  {
    sortBy: 'id',
    sortDirection: 'desc',
  },
)
export type JobListQuery = z.output<typeof JobListQuery>

/** Rows of one job, newest first. */
export const JobRowsQuery = listQuery(['id'], { sortBy: 'id', sortDirection: 'desc' })
export type JobRowsQuery = z.output<typeof JobRowsQuery>

export const jobs = {
  list: endpoint({
    method: 'GET',
    path: '/jobs',
    access: 'signedIn',
    summary: 'List the jobs you may see',
    query: JobListQuery,
    response: page(JobRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/jobs/:id',
    access: 'signedIn',
    summary: 'One job, with its counts and its newest deliveries and log lines',
    params: idParams,
    response: Job,
  }),
  sentMessages: endpoint({
    method: 'GET',
    path: '/jobs/:id/sent-messages',
    access: 'signedIn',
    summary: 'All sent and failed deliveries of a job',
    params: idParams,
    query: JobRowsQuery,
    response: page(SentMessage),
  }),
  logs: endpoint({
    method: 'GET',
    path: '/jobs/:id/logs',
    access: 'signedIn',
    summary: 'The whole log of a job',
    params: idParams,
    query: JobRowsQuery,
    response: page(JobLog),
  }),
  create: endpoint({
    method: 'POST',
    path: '/jobs',
    access: 'canCreateJobs',
    summary: 'Create a job: now, or at a set time',
    body: NewJob,
    response: JobRow,
    status: 201,
  }),
  preview: endpoint({
    method: 'POST',
    path: '/jobs/preview',
    access: 'canCreateJobs',
    summary: 'What a job would be: its recipients, what is wrong with them, and how long it would take',
    body: JobDraft,
    response: JobPreview,
  }),
  test: endpoint({
    method: 'POST',
    path: '/jobs/test',
    access: 'canCreateJobs',
    summary: 'Send a message as it stands, saved or not, to one phone number: a job like any other',
    body: TestMessage,
    response: JobRow,
    status: 201,
    upload: 'imageFile',
  }),
  restart: endpoint({
    method: 'POST',
    path: '/jobs/:id/restart',
    access: 'canCreateJobs',
    summary: 'Run an ended job again from the start; clears its deliveries and log',
    params: idParams,
    response: JobRow,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/jobs/:id/cancel',
    access: 'canCreateJobs',
    summary: 'Cancel a job: no new message begins after the answer',
    params: idParams,
    response: JobRow,
  }),
  pause: endpoint({
    method: 'POST',
    path: '/jobs/:id/pause',
    access: 'canCreateJobs',
    summary: 'Pause a job that has not ended: no new message begins after the answer',
    params: idParams,
    response: JobRow,
  }),
  resume: endpoint({
    method: 'POST',
    path: '/jobs/:id/resume',
    access: 'canCreateJobs',
    summary: 'Let a paused job go on',
    params: idParams,
    response: JobRow,
  }),
  retryFailed: endpoint({
    method: 'POST',
    path: '/jobs/:id/retry-failed',
    access: 'canCreateJobs',
    summary: 'Send an ended job to its failed and skipped recipients; the sent stay as they are',
    params: idParams,
    body: RetryFailed,
    response: JobRow,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/jobs/:id',
    access: 'canCreateJobs',
    summary: 'Delete a job; one that runs is cancelled first',
    params: idParams,
  }),
  bulkDelete: endpoint({
    method: 'POST',
    path: '/jobs/bulk-delete',
    access: 'canCreateJobs',
    summary: 'Delete several jobs, all or none',
    body: z.object({ jobIds: z.array(Id).min(1).max(limits.pageSizeMax) }),
  }),
}
