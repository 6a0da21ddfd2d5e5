import type { Db, Pool } from '../../platform/database/connection.ts'
import { isLockTimedOut } from '../../platform/database/errors.ts'
import { sql } from '../../platform/database/sql.ts'

/*
 * The row of an instance is the lock for everything that concerns it: whoever begins, settles, cancels or ends
 * something locks it first, then jobs and deliveries. See README.md.
 *
 * `no key update` lets rows refer to the instance meanwhile, so that inserting a large job does not wait for it.
 */

/** A statement may wait for a locked instance, or skip it. */
export type Locking = 'wait' | 'skip'

/** Ends a query and locks the rows `i` of instances that it finds. */
export const lockInstances = (locking: Locking) =>
  locking === 'wait' ? sql`for no key update of i` : sql`for no key update of i skip locked`

export const lockInstance = (tx: Db, instanceId: number) =>
  tx.run(sql`select from instances where id = ${instanceId} for no key update`)

/** Returns whether the instance is locked now; false while somebody else holds its lock. */
export const tryLockInstance = async (tx: Db, instanceId: number): Promise<boolean> =>
  (await tx.run(sql`select from instances i where id = ${instanceId} ${lockInstances('skip')}`)) > 0

/**
 * Works under the instance's lock. While somebody else has it, each attempt gives its connection to the next one that
 * waits after a second (see INSTANCE_CONNECTIONS in engine.ts).
 *
 * @throws an error for `isLockTimedOut` if the instance is still locked when `isGivingUp`; nothing has changed then.
 */
export const underLock = <T>(
  db: Pool,
  instanceId: number,
  isGivingUp: () => boolean,
  work: (tx: Db) => Promise<T>,
): Promise<T> =>
  repeatWhileLocked(isGivingUp, () =>
    db.begin(async (tx) => {
      await tx.run(sql`select set_config('lock_timeout', '1s', true)`)
      await lockInstance(tx, instanceId)
      await tx.run(sql`select set_config('lock_timeout', '0', true)`)
      return work(tx)
    }),
  )

/** Repeats an attempt that waits for a lock for a while. */
export async function repeatWhileLocked<T>(isGivingUp: () => boolean, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLockTimedOut(error) || isGivingUp()) throw error
    }
  }
}

/** Longer than any of our transactions on one instance should take. A caller that gives up can repeat the command. */
const LOCK_TIMEOUT = '5s'

/**
 * Locks the instances of these jobs, and another one, in the order of their ids, so that two callers never deadlock.
 * The transaction then waits for no lock longer than five seconds: while it waits it holds a connection that others
 * need.
 *
 * @throws an error for `isLockTimedOut` after that time; nothing has changed then.
 */
export async function lockInstancesOfJobs(tx: Db, jobIds: number[], other?: number): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
  for (let isMoved = true; isMoved; ) {
    const locked = await tx.many<{ id: number }>(sql`
      select i.id from instances i
      where i.id in (select instance_id from jobs where id = any(${jobIds})) or i.id = ${other ?? null}
      order by i.id for no key update`)
    // While we waited, somebody may have moved a job to another instance (jobs/change.ts).
    isMoved =
      (await tx.run(sql`
        select from jobs where id = any(${jobIds}) and instance_id <> all(${locked.map(({ id }) => id)})`)) >
      0
  }
}
