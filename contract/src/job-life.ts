// This file does not import zod, because list pages need these rules without the schemas.

export const jobTypes = ['SendToGroups', 'SendToUsers'] as const
export type JobType = (typeof jobTypes)[number]

export const jobStatuses = ['Pending', 'Running', 'Completed', 'Failed', 'Cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** All status transitions of a job. The server enforces them in SQL, and the web app disables buttons by them. */
export const jobTransitions = {
  start: { from: ['Pending'], to: 'Running' },
  complete: { from: ['Running'], to: 'Completed' },
  fail: { from: ['Running'], to: 'Failed' },
  cancel: { from: ['Pending', 'Running'], to: 'Cancelled' },
  restart: { from: ['Completed', 'Failed', 'Cancelled'], to: 'Pending' },
  /** Sends to the failed and skipped recipients only. Those who got the message keep their result. */
  retry: { from: ['Completed', 'Failed', 'Cancelled'], to: 'Pending' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>

export type JobAction = keyof typeof jobTransitions

/** Whether a job's status allows this action. */
export const jobCan = (action: JobAction, job: { status: JobStatus }): boolean =>
  (jobTransitions[action].from as readonly JobStatus[]).includes(job.status)

/** The statuses of a job that has not ended. */
export const liveStatuses = ['Pending', 'Running'] as const satisfies readonly JobStatus[]

/** Whether a job has not ended yet. */
export const isLive = ({ status }: { status: JobStatus }) =>
  (liveStatuses as readonly JobStatus[]).includes(status)

/** Whether a job can be paused. Pausing does not change the status, it only holds back a live job's messages. */
export const jobCanPause = (job: { status: JobStatus; isPaused: boolean }): boolean =>
  isLive(job) && !job.isPaused

/** Whether a job can be resumed after a pause. */
export const jobCanResume = (job: { status: JobStatus; isPaused: boolean }): boolean =>
  isLive(job) && job.isPaused

/** The share of recipients who got the message, in percent with 2 decimals. 0 without recipients. */
export const progressOf = (sent: number, recipients: number): number =>
  recipients === 0 ? 0 : Math.round((sent * 10_000) / recipients) / 100
