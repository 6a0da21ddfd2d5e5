import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { hasDoubt, hasInFlight } from '../shared/queue.ts'

/** Whether a message of these jobs is being sent or in doubt. */
export async function unsettledIn(db: Db, jobIds: number[]): Promise<boolean> {
  const count = await db.run(sql`
    select from jobs j where j.id = any(${jobIds}) and (${hasInFlight} or ${hasDoubt}) limit 1`)
  return count > 0
}

/**
 * Whether a message of the instance is being sent or in doubt. In a transaction the instance stays locked until the
 * commit, so that no send begins before it, for example with a new token.
 */
export async function hasUnsettled(db: Db, instanceId: number): Promise<boolean> {
  const instance = await db.maybeOne<{ inFlight: number | null }>(sql`
    select in_flight from instances where id = ${instanceId} for no key update`)
  const count = await db.run(sql`
    select from deliveries where instance_id = ${instanceId} and doubt_since is not null limit 1`)
  return (instance?.inFlight ?? null) !== null || count > 0
}
