import { sql } from '../../platform/database/sql.ts'
import { capFreeAt } from '../shared/daily-cap.ts'
import { isRunning } from '../shared/pace.ts'
import { hasDueDelivery, hasOpenDelivery } from '../shared/queue.ts'

/** The instance `i` should have sent for a minute and has not, for none of its jobs: those may take turns. */
const isOverdue = sql`(
  greatest(i.next_due_at, i.last_intent_at, j.started_at, j.resumed_at) < clock_now() - interval '1 minute'
)`

/** The provider holds the instance back. Its attempts meanwhile look like sending, so they do not count. */
const isHeldBack = sql`(
  not i.is_active or i.waiting is not null or i.busy is not null
  or (j.job_type = 'SendToUsers' and i.restricted_until > clock_now())
)`

/**
 * SQL condition: the job `j` of the instance `i` sends nothing at the moment, although neither its pace, its quiet hours
 * and its cap nor a pause by a person hold it back. A job may stand still for some seconds now and then.
 */
export const standsStill = sql`(
  ${isRunning} and j.paused_at is null and (${isHeldBack} or ${isOverdue})
  and quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now()) is null
  and ${capFreeAt} is null
  -- Between two attempts of an outage nothing is due.
  and (${hasDueDelivery} or (i.busy is not null and ${hasOpenDelivery}))
)`

/** Why the instance `i` can send nothing to people, or nothing at all; null if only the job shows that. */
export const heldBackBy = sql`
  case
    when not i.is_active then jsonb_build_object('code', 'account_inactive', 'params', jsonb_build_object())
    when i.waiting is not null then i.waiting
    when i.restricted_until > clock_now()
      then jsonb_build_object('code', 'account_restricted', 'params', jsonb_build_object())
    else i.busy
  end`
