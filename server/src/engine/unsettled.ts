import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { hasDoubt, hasInFlight } from './queue.ts'

/** Whether a message of these jobs is on its way or in doubt. */
export async function unsettledIn(db: Db, jobIds: number[]): Promise<boolean> {
  const count = await db.run(sql`
    select from jobs j where j.id = any(${jobIds}) and (${hasInFlight} or ${hasDoubt}) limit 1`)
  return count > 0
}

/**
 * Whether a message of the account is on its way or in doubt. In a transaction it also takes the account's
 * lock, so that none can begin before the commit (for example of a new token).
 */
export async function hasUnsettled(db: Db, instanceId: number): Promise<boolean> {
  const account = await db.maybeOne<{ inFlight: number | null }>(sql`
    select in_flight from instances where id = ${instanceId} for no key update`)
  const count = await db.run(sql`
    select from deliveries where instance_id = ${instanceId} and doubt_since is not null limit 1`)
  return (account?.inFlight ?? null) !== null || count > 0
}
