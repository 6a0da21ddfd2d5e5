import type { Db, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { logJob, reason } from '../shared/job-log.ts'
import { lockInstancesOfJobs } from '../shared/lock.ts'
import { releaseMatches } from '../shared/matched-ids.ts'
import { isUnreachable, skipUnreachable } from '../shared/opt-out.ts'
import { wakeWorkers } from '../wake.ts'
import { allows, findGroupsAgain, type JobAnswer, moveJob, resetDelivery } from './lifecycle.ts'
import { unsettledIn } from './unsettled.ts'

/**
 * Sends an ended job to its remaining recipients: failed and skipped deliveries are queued again, sent ones stay, and
 * the same run continues with its log. Those who have opted out stay as they are. Deliveries with an unknown outcome
 * are included only with `includeUnknown`, since their recipients may get the message twice.
 *
 * `settling`: a message is still being sent or in doubt, or what a cancel left is not skipped yet. `deleted`: the
 * recipients are too old and have been deleted. `nothing`: no delivery is left to send. In all three cases nothing has
 * changed.
 */
export async function retryFailed(
  tx: Tx,
  jobId: number,
  byName: string,
  { includeUnknown }: { includeUnknown: boolean },
): Promise<JobAnswer> {
  await forBulkWrites(tx)
  await lockInstancesOfJobs(tx, [jobId])
  const job = await tx.maybeOne<{ isAllowed: boolean; settling: boolean; isDeleted: boolean }>(sql`
    select ${allows('retry')} as is_allowed, settling, final_counts is not null as is_deleted from jobs where id = ${jobId} for update`)
  if (!job?.isAllowed) return 'not_allowed'
  if (job.isDeleted) return 'deleted'
  if (job.settling || (await unsettledIn(tx, [jobId]))) return 'settling'
  await skipUnreachable(tx, jobId)
  const isRemaining = remaining(includeUnknown)
  // A message that was accepted and failed later has an id. No look-up may take it for the new message.
  await releaseMatches(tx, [jobId], sql`d.status = 'failed' and ${isRemaining}`)
  const count = await requeue(tx, jobId, isRemaining)
  if (count === 0) return 'nothing'
  await findGroupsAgain(tx, jobId)
  await moveJob(tx, jobId, 'retry')
  await tx.run(sql`
    update jobs
    set completed_at = null, paused_at = null, resumed_at = clock_now(), media_id = null, last_turn_at = 'epoch',
      has_logs = true
    where id = ${jobId}`)
  await logJob(tx, jobId, reason('job_retried', { user: byName, count }))
  await wakeWorkers(tx)
  return 'done'
}

/** Condition: the delivery `d` of an ended job is to be sent again. */
const remaining = (includeUnknown: boolean) => sql`(
  (d.status = 'skipped'
    or d.status = 'failed' and (${includeUnknown} or coalesce(d.reason->>'code', '') <> 'outcome_unknown'))
  and not ${isUnreachable}
)`

/**
 * Queues the remaining deliveries again and returns how many. All behind the last one that was sent or stays failed
 * count as untried (see queue.ts), which after a cancel is nearly everybody. The few before it are requeued one by one.
 */
async function requeue(tx: Db, jobId: number, isRemaining: Sql): Promise<number> {
  const { cursor } = await tx.one<{ cursor: number }>(sql`
    select coalesce(max(d.id) + 1, 0) as cursor from deliveries d
    where d.job_id = ${jobId} and d.status <> 'skipped' and not ${isRemaining}`)
  const count = await tx.run(sql`
    update deliveries d
    set ${resetDelivery}, not_before = case when d.id >= ${cursor} then 'epoch' else clock_now() end
    where d.job_id = ${jobId} and ${isRemaining}`)
  if (count > 0) await tx.run(sql`update jobs set cursor = ${cursor} where id = ${jobId}`)
  return count
}
