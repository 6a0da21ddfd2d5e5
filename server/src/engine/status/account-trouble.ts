import { expiryDays } from '@sendroom/contract/limits'
import type { ReasonCode } from '@sendroom/contract/reasons'
import { json, sql } from '../../platform/database/sql.ts'
import { capFreeAt } from '../shared/daily-cap.ts'
import { isRunning } from '../shared/pace.ts'
import { hasOpenDelivery } from '../shared/queue.ts'

/** A provider that answers again within this time was busy, and nobody need know. */
const OUTAGE_AFTER = sql`interval '15 minutes'`

/**
 * SQL condition: the provider has neither taken nor refused a message of the instance `i` for 15 minutes, although a job
 * has open deliveries. Between two attempts nothing is due, so what is due does not matter. A job that began later counts
 * from then. In quiet hours and beyond the cap nothing is tried, so only an attempt as late as that proves an outage.
 */
const hasOutage = sql`(
  i.busy is not null and exists (
    select from jobs j
      cross join lateral (select greatest(i.busy_since, j.started_at, j.resumed_at) + ${OUTAGE_AFTER} as at) alarm
    where j.instance_id = i.id and ${isRunning} and j.paused_at is null and alarm.at <= clock_now()
      and (alarm.at <= i.last_intent_at
        or quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now()) is null and ${capFreeAt} is null)
      and ${hasOpenDelivery})
)`

/**
 * SQL condition: the active instance `i` can't send, or not to people, until a person or the provider steps in. An
 * account that was never linked has not dropped out.
 */
export const isDown = sql`(
  i.is_active and (i.waiting is not null or i.restricted_until > clock_now()
    or (i.last_sync_at is not null and i.status in ('NeedsLogin', 'BadToken', 'Unpaid', 'Disconnected'))
    or ${hasOutage})
)`

/** Why the instance `i` is down, as a `Reason`. Only meaningful where `isDown` holds. */
export const downBecause = sql`
  coalesce(i.waiting, case
    when i.restricted_until > clock_now() then ${because('account_restricted')}
    when i.last_sync_at is not null and i.status = 'BadToken' then ${because('account_bad_token')}
    when i.last_sync_at is not null and i.status = 'Unpaid' then ${because('account_unpaid')}
    when i.last_sync_at is not null and i.status = 'Disconnected' then ${because('provider_unreachable')}
    when i.last_sync_at is not null and i.status = 'NeedsLogin' or i.busy is null
      then ${because('account_not_linked')}
    else i.busy end)`

function because(code: ReasonCode) {
  return json({ code, params: {} })
}

/** SQL condition: the active instance `i` expires soon or has expired. */
export const expiresSoon = sql`(
  i.is_active and i.expired_time < clock_now() + ${expiryDays.warning} * interval '1 day'
)`
