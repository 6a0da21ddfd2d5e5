import type { Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import type { Account, Provider } from '../providers/provider.ts'
import { nudge } from './nudge.ts'

/**
 * Asks whether WhatsApp restricts the account: then its jobs to people wait until that is over, those to groups go
 * on. Asked only where it matters, for each call counts on a trial channel. One without an end is asked about again
 * within the hour, as all that are restricted are.
 */
export async function checkRestriction(
  db: Pool,
  { provider, account }: { provider: Provider; account: Account },
  instanceId: number,
): Promise<void> {
  const matters = await db.run(sql`
    select from instances i where i.id = ${instanceId} and (i.restricted_until is not null or exists (
      select from jobs j where j.instance_id = i.id and j.status = 'Running' and j.job_type = 'SendToUsers'))`)
  if (matters === 0) return
  const restriction = await provider.restriction(account)
  const changed = await db.run(sql`
    with now as (
      select case when ${restriction !== null}
        then coalesce(${restriction?.until ?? null}::timestamptz, clock_now() + interval '1 hour') end as until
    )
    update instances i
    set restricted_until = now.until,
      -- It waits for its end now, not for us to give up.
      waiting = case when not ${provesRestricted} then i.waiting end,
      waiting_since = case when not ${provesRestricted} then i.waiting_since end
    from now where i.id = ${instanceId} and i.restricted_until is distinct from now.until`)
  if (changed > 0) await nudge(db)
}

/** What looked like a restriction is one. */
const provesRestricted = sql`(
  now.until is not null and coalesce(i.waiting->>'code' = 'account_restricted', false)
)`
