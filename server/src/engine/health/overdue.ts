import { setTimeout as delay } from 'node:timers/promises'
import type { Reason } from '@sendroom/contract/values'
import { LOCKS, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { failNext } from '../jobs/fail-queued.ts'
import { finishJobs } from '../jobs/lifecycle.ts'
import { stoppedByFailures } from '../shared/instance-change.ts'
import { reason } from '../shared/job-log.ts'
import { lockInstances } from '../shared/lock.ts'
import { hasQueuedDelivery } from '../shared/queue.ts'

/** Jobs in one transaction, for jobs of few recipients. */
const MAX_JOBS = 500

/**
 * Fails the queued deliveries of jobs whose instance has been in trouble for `accountWaitMs` (ACCOUNT_WAIT). The time
 * counts from the start or the last resume of the job at the earliest: earlier trouble is not held against it.
 * Instances stopped by failures, inactive instances and paused jobs have no such end, because they wait for a person.
 *
 * Works in slices, with rests of the same length. An instance that recovers or is resumed meanwhile sends what is left.
 */
export async function failOverdue(db: Pool, accountWaitMs: number, signal?: AbortSignal): Promise<void> {
  let hasFailed = false
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const began = performance.now()
    isMore = (await db.begin((tx) => failSlice(tx, accountWaitMs))) > 0
    hasFailed ||= isMore
    if (isMore) await delay(performance.now() - began, undefined, { signal }).catch(() => {})
  }
  if (hasFailed) await finishJobs(db)
}

/** Fails a slice, in a single worker at a time. Locked instances are left for later, so that it waits for none. */
async function failSlice(tx: Db, accountWaitMs: number): Promise<number> {
  if (!(await tryLock(tx, LOCKS.overdueJobs))) return 0
  await forBulkWrites(tx)
  const overdue = await tx.many<{ id: number; waiting: Reason }>(sql`
    select j.id, i.waiting from jobs j join instances i on i.id = j.instance_id
    where j.status = 'Running' and j.paused_at is null and i.waiting is not null and not ${stoppedByFailures('i')}
      and i.is_active
      and greatest(i.waiting_since, j.started_at, j.resumed_at) + ${accountWaitMs} * interval '1 ms' <= clock_now()
      and ${hasQueuedDelivery}
    order by i.id, j.id
    limit ${MAX_JOBS}
    ${lockInstances('skip')}`)
  if (overdue.length === 0) return 0
  const jobs = overdue.map(({ id, waiting }) => ({
    id,
    why: reason('account_wait_over', { ...waiting.params, why: waiting.code }),
  }))
  return failNext(tx, jobs)
}
