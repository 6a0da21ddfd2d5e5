import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { ProviderConnection } from '../context.ts'
import { wakeWorkers } from '../wake.ts'

/**
 * Asks whether WhatsApp restricts the instance. If it does, jobs to phone numbers wait until the restriction ends, and
 * jobs to groups continue. The provider is asked only where the answer matters, since every call counts on a trial
 * channel. A restriction without an end is asked about again within the hour, like every other one.
 */
export async function checkRestriction(
  db: Pool,
  { provider, credentials }: ProviderConnection,
  instanceId: number,
): Promise<void> {
  const matters = await db.run(sql`
    select from instances i where i.id = ${instanceId} and (i.restricted_until is not null or exists (
      select from jobs j where j.instance_id = i.id and j.status = 'Running' and j.job_type = 'SendToUsers'))`)
  if (matters === 0) return
  const restriction = await provider.restriction(credentials)
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

/** Condition: a refusal looked like a restriction, and the provider has confirmed it. */
const isConfirmed = sql`(
  now.until is not null and coalesce(i.waiting->>'code' = 'account_restricted', false)
)`
