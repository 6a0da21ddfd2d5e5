import { isUnfinished } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react'
import type { jobDisabledReasons } from './disabled-reasons.ts'
import type { JobActions } from './use-job-actions.ts'

type Job = Pick<JobRow, 'status' | 'isPaused'>

/**
 * The job's first button: pause, resume or retry, depending on its status. Rendering these as one button keeps the
 * focus when the status changes; three separate buttons would lose it.
 */
export function primaryAction(
  job: Job,
  actions: JobActions,
  disabledReasons: ReturnType<typeof jobDisabledReasons>,
) {
  if (!isUnfinished(job))
    return {
      label: 'JOB.RETRY',
      icon: IconSend,
      action: actions.retry,
      disabledReason: disabledReasons.retry,
    }
  if (job.isPaused)
    return {
      label: 'JOB.RESUME',
      icon: IconPlayerPlay,
      action: actions.resume,
      disabledReason: disabledReasons.resume,
    }
  return {
    label: 'JOB.PAUSE',
    icon: IconPlayerPause,
    action: actions.pause,
    disabledReason: disabledReasons.pause,
  }
}
