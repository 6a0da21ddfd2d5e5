/** Free of zod: the lists need these rules without the schemas. */
export const jobTypes = ['SendToGroups', 'SendToUsers'] as const
export type JobType = (typeof jobTypes)[number]

export const jobStatuses = ['Pending', 'Running', 'Completed', 'Failed', 'Cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** The whole life of a job. The server enforces it in SQL; the web greys out buttons by it. */
export const jobTransitions = {
  start: { from: ['Pending'], to: 'Running' },
  complete: { from: ['Running'], to: 'Completed' },
  fail: { from: ['Running'], to: 'Failed' },
  cancel: { from: ['Pending', 'Running'], to: 'Cancelled' },
  restart: { from: ['Completed', 'Failed', 'Cancelled'], to: 'Pending' },
  /** To those whom the run did not reach: it goes on, and those it reached stay as they are. */
  retry: { from: ['Completed', 'Failed', 'Cancelled'], to: 'Pending' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>

export type JobAction = keyof typeof jobTransitions

/** Whether a job may make this move now. */
export const jobCan = (action: JobAction, job: { status: JobStatus }): boolean =>
  (jobTransitions[action].from as readonly JobStatus[]).includes(job.status)

/** The statuses of a job that has not ended. */
export const liveStatuses = ['Pending', 'Running'] as const satisfies readonly JobStatus[]

/** Whether a job has not ended yet. */
export const isLive = ({ status }: { status: JobStatus }) =>
  (liveStatuses as readonly JobStatus[]).includes(status)

/** Pause is no status: it only stops the sends of a job that has not ended. */
export const jobCanPause = (job: { status: JobStatus; isPaused: boolean }): boolean =>
  isLive(job) && !job.isPaused

export const jobCanResume = (job: { status: JobStatus; isPaused: boolean }): boolean =>
  isLive(job) && job.isPaused

/**
 * Progress in percent with 2 decimals: sent messages by number of recipients (0 when there are none).
 */
export const progressOf = (sent: number, recipients: number): number =>
  recipients === 0 ? 0 : Math.round((sent * 10_000) / recipients) / 100
