import { type JobStatus, jobCan, jobCanPause, jobCanResume } from '@sendroom/contract/job-life'

type Standing = {
  status: JobStatus
  isPaused: boolean
  /** Where they are known. */
  recipients?: { failed: number; skipped: number }
}

/** For each action the key of why it can't be done, if it can't. */
export function jobBarriers(job: Standing, isAllowed: boolean) {
  const isForNobody = job.recipients && job.recipients.failed + job.recipients.skipped === 0
  const flag = isAllowed ? undefined : 'JOB.NOT_ALLOWED'
  return {
    restart: flag ?? (jobCan('restart', job) ? undefined : 'ERROR.job_not_restartable'),
    cancel: flag ?? (jobCan('cancel', job) ? undefined : 'ERROR.job_not_cancellable'),
    pause: flag ?? (jobCanPause(job) ? undefined : 'ERROR.job_not_pausable'),
    resume: flag ?? (jobCanResume(job) ? undefined : 'ERROR.job_not_resumable'),
    retry:
      flag ??
      (!jobCan('retry', job)
        ? 'ERROR.job_not_retryable'
        : isForNobody
          ? 'ERROR.job_nothing_to_retry'
          : undefined),
    remove: flag,
  }
}
