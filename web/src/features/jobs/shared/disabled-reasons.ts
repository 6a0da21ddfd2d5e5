import { type JobStatus, jobCan, jobCanPause, jobCanResume } from '@sendroom/contract/job-life'

type JobState = {
  status: JobStatus
  isPaused: boolean
  /** Left out where they are unknown, as in lists. */
  recipients?: { failed: number; skipped: number }
}

/** For each action the translation key of the reason why it is unavailable; undefined if it is available. */
export function jobDisabledReasons(job: JobState, isAllowed: boolean) {
  const hasNobodyLeft = job.recipients && job.recipients.failed + job.recipients.skipped === 0
  const notAllowed = isAllowed ? undefined : 'JOB.NOT_ALLOWED'
  return {
    restart: notAllowed ?? (jobCan('restart', job) ? undefined : 'ERROR.job_not_restartable'),
    cancel: notAllowed ?? (jobCan('cancel', job) ? undefined : 'ERROR.job_not_cancellable'),
    pause: notAllowed ?? (jobCanPause(job) ? undefined : 'ERROR.job_not_pausable'),
    resume: notAllowed ?? (jobCanResume(job) ? undefined : 'ERROR.job_not_resumable'),
    retry:
      notAllowed ??
      (!jobCan('retry', job)
        ? 'ERROR.job_not_retryable'
        : hasNobodyLeft
          ? 'ERROR.job_nothing_to_retry'
          : undefined),
    remove: notAllowed,
  }
}
