import type { Db } from '../../platform/database/connection.ts'
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

/** Locks the instances of these jobs, in the order of their ids, so that two callers never deadlock. */
export const lockInstancesOfJobs = (tx: Db, jobIds: number[]) =>
  tx.run(sql`
    select i.id from instances i
    where i.id in (select instance_id from jobs where id = any(${jobIds}))
    order by i.id for no key update`)
