import { isLive } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react'
import type { jobBarriers } from './job-barriers.ts'
import type { JobActions } from './use-job-actions.ts'

type Job = Pick<JobRow, 'status' | 'isPaused'>

/**
 * Pauses the job, lets it go on, or sends it to the rest: whichever fits now. It is one button, so that whoever
 * pressed it can press it again: a button that gives way to another takes the focus with it.
 */
export function jobStep(job: Job, actions: JobActions, barriers: ReturnType<typeof jobBarriers>) {
  if (!isLive(job))
    return { label: 'JOB.RETRY', icon: IconSend, action: actions.retry, barrier: barriers.retry }
  if (job.isPaused)
    return { label: 'JOB.RESUME', icon: IconPlayerPlay, action: actions.resume, barrier: barriers.resume }
  return { label: 'JOB.PAUSE', icon: IconPlayerPause, action: actions.pause, barrier: barriers.pause }
}
