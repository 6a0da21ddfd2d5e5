import { type JobStatus, jobCan, jobCanPause, jobCanResume } from '@sendroom/contract/job-life'

type JobState = {
  status: JobStatus
  isPaused: boolean
  hasRemaining: boolean
  areRecipientsDeleted: boolean
}

/** For each action the translation key of the reason why it is unavailable; undefined if it is available. */
export function jobDisabledReasons(job: JobState, isAllowed: boolean) {
  const notAllowed = isAllowed ? undefined : 'JOB.NOT_ALLOWED'
  const notAgain = notAllowed ?? (job.areRecipientsDeleted ? 'ERROR.job_recipients_deleted' : undefined)
  return {
    restart: notAgain ?? (jobCan('restart', job) ? undefined : 'ERROR.job_not_restartable'),
    cancel: notAllowed ?? (jobCan('cancel', job) ? undefined : 'ERROR.job_not_cancellable'),
    pause: notAllowed ?? (jobCanPause(job) ? undefined : 'ERROR.job_not_pausable'),
    resume: notAllowed ?? (jobCanResume(job) ? undefined : 'ERROR.job_not_resumable'),
    retry:
      notAgain ??
      (!jobCan('retry', job)
        ? 'ERROR.job_not_retryable'
        : job.hasRemaining
          ? undefined
          : 'ERROR.job_nothing_to_retry'),
    remove: notAllowed,
  }
}
