import { expiryDays } from '@sendroom/contract/limits'
import { sql } from '../../platform/database/sql.ts'

/**
 * SQL condition: the active instance `i` can't send, or not to people, until a person or the provider steps in. An
 * account that was never linked has not dropped out.
 */
export const isDown = sql`(
  i.is_active and (i.waiting is not null or i.restricted_until > clock_now()
    or (i.last_sync_at is not null and i.status in ('NeedsLogin', 'BadToken', 'Unpaid', 'Disconnected')))
)`

/** Why the instance `i` is down, as a `Reason`. Only meaningful where `isDown` holds. */
export const downBecause = sql`
  coalesce(i.waiting, jsonb_build_object('params', jsonb_build_object(), 'code', case
    when i.restricted_until > clock_now() then 'account_restricted'
    when i.status = 'BadToken' then 'account_bad_token'
    when i.status = 'Unpaid' then 'account_unpaid'
    when i.status = 'Disconnected' then 'provider_unreachable'
    else 'account_not_linked' end))`

/** SQL condition: the active instance `i` expires soon or has expired. */
export const expiresSoon = sql`(
  i.is_active and i.expired_time < clock_now() + ${expiryDays.warning} * interval '1 day'
)`
