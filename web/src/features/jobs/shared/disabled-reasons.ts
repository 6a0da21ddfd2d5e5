import { type JobStatus, jobCan, jobCanPause, jobCanResume } from '@sendroom/contract/job-life'

type JobState = {
  status: JobStatus
  isPaused: boolean
  failedCount: number
  /** Left out where they are unknown, as in lists. */
  recipients?: { failed: number; skipped: number }
}

/** Whether a recipient of an ended job has failed or was skipped. Only a cancel skips recipients. */
const hasRemaining = ({ status, failedCount, recipients }: JobState) =>
  recipients ? recipients.failed + recipients.skipped > 0 : failedCount > 0 || status === 'Cancelled'

/** For each action the translation key of the reason why it is unavailable; undefined if it is available. */
export function jobDisabledReasons(job: JobState, isAllowed: boolean) {
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
        : hasRemaining(job)
          ? undefined
          : 'ERROR.job_nothing_to_retry'),
    remove: notAllowed,
  }
}
