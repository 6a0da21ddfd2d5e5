// This file does not import zod, because list pages need these rules without the schemas.
import type { AuditAction } from './audit-actions.ts'
import type { ErrorCode } from './errors.ts'
import type { Right } from './rights.ts'

export const jobTypes = ['SendToGroups', 'SendToUsers'] as const
export type JobType = (typeof jobTypes)[number]

export const jobStatuses = ['Pending', 'Running', 'Completed', 'Failed', 'Cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** The statuses of a job that has not ended. */
export const unfinishedStatuses = ['Pending', 'Running'] as const satisfies readonly JobStatus[]
const endedStatuses = ['Completed', 'Failed', 'Cancelled'] as const satisfies readonly JobStatus[]

/**
 * The approval of a job that waits, on an account that needs one. Null: none is needed. `changes_asked` and
 * `taken_back` are drafts: a change asks for approval anew. `overdue`: the job was not approved by its time, and needs
 * a new one.
 */
export const jobReviews = ['in_review', 'changes_asked', 'taken_back', 'approved', 'overdue'] as const
export type JobReview = (typeof jobReviews)[number]

/** The steps that the history of a job's approval records. `voided`: a change has ended an approval. */
export const reviewSteps = [
  'asked',
  'taken_back',
  'approved',
  'changes_asked',
  'overridden',
  'voided',
  'overdue',
] as const
export type ReviewStep = (typeof reviewSteps)[number]

/** The steps of a job that the engine takes by itself. */
export const jobSteps = {
  start: { from: ['Pending'], to: 'Running' },
  complete: { from: ['Running'], to: 'Completed' },
  fail: { from: ['Running'], to: 'Failed' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>

type ActionRule = {
  /** In which statuses the action is allowed. */
  from: readonly JobStatus[]
  /** Whether the job has to be paused, or must not be. Without it, either will do. */
  isPaused?: boolean
  /** In which states of its approval the action is allowed. Without it, in any. */
  review?: readonly JobReview[]
  /** The status that follows at once. A pause only holds messages back, and leaves the status. */
  to?: JobStatus
  /** The right that the user needs, beside seeing the job. */
  access: Right | 'admin'
  /** The entry in the audit log. */
  audit: AuditAction
  /** The refusal while the state of the job does not allow the action. */
  refusal: ErrorCode
}

const access = 'canCreateJobs'

/**
 * All that users do with a job: in which state, with which right, under which name it is recorded, and how it is
 * refused. The endpoints and the buttons follow this table, and the engine tests the state in its SQL. The user must
 * also see the job's instance (`canSeeJob`, server/src/features/jobs); who made the job does not matter.
 */
export const jobActions = {
  pause: {
    from: unfinishedStatuses,
    isPaused: false,
    access,
    audit: 'job.pause',
    refusal: 'job_not_pausable',
  },
  resume: {
    from: unfinishedStatuses,
    isPaused: true,
    access,
    audit: 'job.resume',
    refusal: 'job_not_resumable',
  },
  cancel: {
    from: unfinishedStatuses,
    to: 'Cancelled',
    access,
    audit: 'job.cancel',
    refusal: 'job_not_cancellable',
  },
  restart: {
    from: endedStatuses,
    to: 'Pending',
    access,
    audit: 'job.restart',
    refusal: 'job_not_restartable',
  },
  /** Sends to the failed and skipped recipients only. Those who got the message keep their result. */
  retry: { from: endedStatuses, to: 'Pending', access, audit: 'job.retry', refusal: 'job_not_retryable' },
  /** Only before its first message. The name can be changed at any time. */
  change: { from: ['Pending'], access, audit: 'job.update', refusal: 'job_not_changeable' },
  takeBack: {
    from: ['Pending'],
    review: ['in_review'],
    access,
    audit: 'job.take_back',
    refusal: 'not_in_review',
  },
  /** A change asks by itself. */
  ask: {
    from: ['Pending'],
    review: ['changes_asked', 'taken_back'],
    access,
    audit: 'job.ask_approval',
    refusal: 'approval_not_askable',
  },
  /** By somebody who neither made the job nor changed it last. */
  approve: {
    from: ['Pending'],
    review: ['in_review'],
    access: 'canApproveJobs',
    audit: 'job.approve',
    refusal: 'not_in_review',
  },
  askChanges: {
    from: ['Pending'],
    review: ['in_review'],
    access: 'canApproveJobs',
    audit: 'job.ask_changes',
    refusal: 'not_in_review',
  },
  /** Sends the job without an approval. All who can approve are told. */
  override: {
    from: ['Pending'],
    review: ['in_review', 'changes_asked', 'taken_back'],
    access: 'admin',
    audit: 'job.override_approval',
    refusal: 'not_in_review',
  },
  /** An unfinished job is cancelled first. The refusal is for a message that is on its way. */
  delete: { from: jobStatuses, access, audit: 'job.delete', refusal: 'account_busy' },
} as const satisfies Record<string, ActionRule>

export type JobAction = keyof typeof jobActions

/** Whether the state of a job allows this action. */
export function jobCan(
  action: JobAction,
  job: { status: JobStatus; isPaused: boolean; review?: JobReview | null },
): boolean {
  const { from, isPaused = job.isPaused, review }: ActionRule = jobActions[action]
  const isInState = !review || (job.review != null && review.includes(job.review))
  return from.includes(job.status) && job.isPaused === isPaused && isInState
}

/** Whether a job has not ended yet. */
export const isUnfinished = ({ status }: { status: JobStatus }) =>
  (unfinishedStatuses as readonly JobStatus[]).includes(status)

/** The share of recipients who got the message, in percent with 2 decimals. 0 without recipients. */
export const progressOf = (sent: number, recipients: number): number =>
  recipients === 0 ? 0 : Math.round((sent * 10_000) / recipients) / 100
