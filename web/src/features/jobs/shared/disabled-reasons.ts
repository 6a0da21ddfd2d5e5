import { type JobAction, type JobStatus, jobActions, jobCan } from '@sendroom/contract/job-life'

type JobState = {
  status: JobStatus
  isPaused: boolean
  hasRemaining: boolean
  areRecipientsDeleted: boolean
}

/** For each action the translation key of the reason why it is unavailable; undefined if it is available. */
export function jobDisabledReasons(job: JobState, isAllowed: boolean) {
  const reasonOf = (action: JobAction) => {
    if (!isAllowed) return 'JOB.NOT_ALLOWED'
    if (job.areRecipientsDeleted && (action === 'restart' || action === 'retry'))
      return 'ERROR.job_recipients_deleted'
    return jobCan(action, job) ? undefined : `ERROR.${jobActions[action].refusal}`
  }
  return {
    restart: reasonOf('restart'),
    cancel: reasonOf('cancel'),
    pause: reasonOf('pause'),
    resume: reasonOf('resume'),
    retry: reasonOf('retry') ?? (job.hasRemaining ? undefined : 'ERROR.job_nothing_to_retry'),
    remove: reasonOf('delete'),
  }
}
