import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { ProviderConnection } from '../context.ts'
import { wakeWorkers } from '../wake.ts'

/** Asks whether WhatsApp restricts the instance, and saves the answer. */
export async function checkRestriction(
  db: Pool,
  connection: ProviderConnection,
  instanceId: number,
): Promise<void> {
  const restriction = await readRestriction(db, connection, instanceId)
  if (restriction !== undefined) await saveRestriction(db, instanceId, restriction)
}

/**
 * Returns null without a restriction. The provider is asked only where the answer matters, since every call counts on a
 * trial channel. Returns undefined if it was not asked.
 */
export async function readRestriction(
  db: Db,
  { provider, credentials }: ProviderConnection,
  instanceId: number,
): Promise<Restriction | undefined> {
  const matters = await db.run(sql`
    select from instances i where i.id = ${instanceId} and (i.restricted_until is not null or exists (
      select from jobs j where j.instance_id = i.id and j.status = 'Running' and j.job_type = 'SendToUsers'))`)
  return matters === 0 ? undefined : provider.restriction(credentials)
}

/**
 * While an instance is restricted, jobs to phone numbers wait until the restriction ends, and jobs to groups continue.
 * A restriction without an end is asked about again within the hour, like every other one.
 */
export async function saveRestriction(db: Db, instanceId: number, restriction: Restriction): Promise<void> {
  const changed = await db.run(sql`
    with now as (
      select case when ${restriction !== null}
        then coalesce(${restriction?.until ?? null}::timestamptz, clock_now() + interval '1 hour') end as until
    )
    update instances i
    set restricted_until = now.until,
      -- The restriction has an end of its own, so ACCOUNT_WAIT no longer counts.
      waiting = case when not ${isConfirmed} then i.waiting end,
      waiting_since = case when not ${isConfirmed} then i.waiting_since end
    from now where i.id = ${instanceId} and i.restricted_until is distinct from now.until`)
  if (changed > 0) await wakeWorkers(db)
}

type Restriction = { until: string | null } | null

/** Condition: a refusal looked like a restriction, and the provider has confirmed it. */
const isConfirmed = sql`(
  now.until is not null and coalesce(i.waiting->>'code' = 'account_restricted', false)
)`
