import { batcher } from '../../platform/batcher.ts'
import { notifyChanges } from '../../platform/changes.ts'
import type { Pool } from '../../platform/database/connection.ts'

/** Often enough to look continuous. A NOTIFY with every message would make all other commits wait for each other. */
const NOTIFY_EVERY_MS = 300

export type JobRef = { jobId: number; instanceId: number }

export type Progress = {
  /** Call it when deliveries of this job have changed. */
  moved: (job: JobRef) => void
  stop: () => Promise<void>
}

/** Notifies open pages that deliveries of these jobs have changed. A job may be listed twice. */
export async function notifyMoved(db: Pool, jobs: readonly JobRef[]): Promise<void> {
  const changes = new Map(
    jobs.map(({ jobId, instanceId }) => [jobId, { feature: 'deliveries', id: jobId, instanceId } as const]),
  )
  if (changes.size > 0) await notifyChanges(db, [...changes.values()])
}

/** Notifies open pages about progress of sending: all jobs of this worker together, three times a second at most. */
export function openProgress(db: Pool, reportError: (error: unknown) => void): Progress {
  const jobs = batcher<JobRef>(NOTIFY_EVERY_MS, (moved) => notifyMoved(db, moved).catch(reportError))
  return { moved: (job) => jobs.add(String(job.jobId), job), stop: jobs.stop }
}
