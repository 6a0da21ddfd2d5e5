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

/** Notifies open pages about progress: all jobs of this worker together, three times a second at most. */
export function openProgress(db: Pool, reportError: (error: unknown) => void): Progress {
  const jobs = batcher<JobRef>(NOTIFY_EVERY_MS, (moved) =>
    notifyChanges(
      db,
      moved.map(({ jobId, instanceId }) => ({ feature: 'deliveries', id: jobId, instanceId })),
    ).catch(reportError),
  )
  return { moved: (job) => jobs.add(String(job.jobId), job), stop: jobs.stop }
}
