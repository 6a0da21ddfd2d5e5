import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { NewChatLimit } from '../../providers/provider.ts'
import type { ProviderConnection } from '../context.ts'
import { reason } from '../shared/job-log.ts'
import { isRunning } from '../shared/pace.ts'
import { wakeWorkers } from '../wake.ts'

/**
 * The limits that WhatsApp sets to an instance. Null where there is none, and where it can't be read: then sending goes
 * on.
 */
export type WhatsAppLimits = {
  /** The instance may write to no person until then. A null end is unknown. */
  restriction: { until: string | null } | null
  newChats: NewChatLimit | null
}

/** Asks for the limits of WhatsApp where they matter, and saves the answer. */
export async function checkLimits(
  db: Pool,
  connection: ProviderConnection,
  instanceId: number,
): Promise<void> {
  const limits = await readLimitsThatMatter(db, connection, instanceId)
  if (limits) await saveLimits(db, instanceId, limits)
}

/**
 * The provider is asked only while a job to people runs or a limit is known, since each call counts on a trial channel.
 * Returns undefined if it was not asked.
 */
export async function readLimitsThatMatter(
  db: Db,
  connection: ProviderConnection,
  instanceId: number,
): Promise<WhatsAppLimits | undefined> {
  const matters = await db.run(sql`
    select from instances i where i.id = ${instanceId} and (
      coalesce(i.restricted_until, i.capped_until, i.warned_until, i.new_people_until) is not null or exists (
        select from jobs j where j.instance_id = i.id and j.status = 'Running' and j.job_type = 'SendToUsers'))`)
  return matters === 0 ? undefined : readLimits(connection)
}

export async function readLimits({ provider, credentials }: ProviderConnection): Promise<WhatsAppLimits> {
  const [restriction, newChats] = await Promise.all([
    provider.restriction(credentials),
    provider.newChatLimit(credentials),
  ])
  return { restriction, newChats }
}

/** Why WhatsApp lets the instance write to nobody new; null if it does. */
export function whyLimited({ restriction, newChats }: WhatsAppLimits) {
  if (restriction) return reason('account_restricted')
  return newChats?.status === 'capped' ? reason('capped_by_whatsapp') : null
}

/**
 * While WhatsApp restricts or caps an instance, jobs to people wait until that ends, and jobs to groups continue.
 * A limit without an end is asked about again within the hour, like every other one. A warning halves the pace.
 */
export async function saveLimits(db: Db, instanceId: number, limits: WhatsAppLimits): Promise<void> {
  const { restriction, newChats } = limits
  const isCapped = newChats?.status === 'capped'
  const isWarned = newChats?.status === 'first_warning' || newChats?.status === 'second_warning'
  const endOf = (isThere: boolean, until: string | null | undefined, unknown: string) => sql`
    case when ${isThere} then coalesce(${until ?? null}::timestamptz, clock_now() + ${unknown}::text::interval) end`
  const left = newChats?.left ?? null
  const saved = await db.maybeOne<{ hasChanged: boolean }>(sql`
    with now as (
      select ${endOf(restriction !== null, restriction?.until, '1 hour')} as restricted_until,
        ${endOf(isCapped, newChats?.until, '1 hour')} as capped_until,
        ${endOf(isWarned, newChats?.until, '1 day')} as warned_until,
        ${endOf(left !== null, newChats?.until, '1 day')} as new_people_until
    ), before as (
      select (i.restricted_until, i.capped_until, i.warned_until, i.new_people_left)
        is distinct from (now.restricted_until, now.capped_until, now.warned_until, ${left}::int) as has_changed
      from instances i, now where i.id = ${instanceId}
    )
    update instances i
    set restricted_until = now.restricted_until, capped_until = now.capped_until, warned_until = now.warned_until,
      new_people_left = ${left}::int, new_people_until = now.new_people_until, limits_read_at = clock_now(),
      -- The restriction has an end of its own, so ACCOUNT_WAIT no longer counts.
      waiting = case when not ${isConfirmed} then i.waiting end,
      waiting_since = case when not ${isConfirmed} then i.waiting_since end
    from now, before where i.id = ${instanceId}
    returning before.has_changed`)
  if (saved?.hasChanged) await wakeWorkers(db)
}

/** Condition: a refusal looked like a restriction, and the provider has confirmed it. */
const isConfirmed = sql`(
  now.restricted_until is not null and coalesce(i.waiting->>'code' = 'account_restricted', false)
)`

/** Condition: a job of the instance `i` to people began or was resumed since the limits were last read before one. */
export const needsLimits = sql`exists (
  select from jobs j
  where j.instance_id = i.id and ${isRunning} and j.job_type = 'SendToUsers'
    and greatest(j.started_at, j.resumed_at) > i.limits_read_at
)`

/** The limits are read before the next message to a person: a refusal may come late, as a receipt. */
export const forgetLimits = (db: Db, instanceId: number) =>
  db.run(sql`update instances set limits_read_at = 'epoch' where id = ${instanceId}`)
