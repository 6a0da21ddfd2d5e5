import { tellChanges } from '../platform/changes.ts'
import type { Pool } from '../platform/database/connection.ts'
import { gatherer } from '../platform/gather.ts'

/** Often enough to look alive. A NOTIFY for every message would hold up the commits of all others. */
const TELL_EVERY_MS = 300

export type JobRef = { jobId: number; instanceId: number }

export type Progress = {
  /** The deliveries of this job do not stand as they did. */
  moved: (job: JobRef) => void
  stop: () => Promise<void>
}

/** Tells the open pages that jobs moved on: all of this worker together, however fast it sends. */
export function openProgress(db: Pool, complain: (error: unknown) => void): Progress {
  const jobs = gatherer<JobRef>(TELL_EVERY_MS, (moved) =>
    tellChanges(
      db,
      moved.map(({ jobId, instanceId }) => ({ feature: 'deliveries', id: jobId, instanceId })),
    ).catch(complain),
  )
  return { moved: (job) => jobs.add(String(job.jobId), job), stop: jobs.stop }
}
