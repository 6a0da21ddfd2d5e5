import { identifier, sql } from '../../platform/database/sql.ts'
import { capFreeAt } from './daily-cap.ts'
import { historyIsKnown } from './era.ts'
import { incomingIsKnown } from './incoming.ts'
import { limitsAllow, privatePauseMs, whatsAppAllows } from './private-pace.ts'

/*
 * Whether a message may be sent now, by the database's clock. Quiet hours and caps are SQL functions (see `quiet_until`
 * and `cap_free_at` in the schema), so that they are evaluated in the statement that writes an intent.
 */

/** Condition: the instance `i` itself allows a message now. */
export const instanceMaySend = sql`(
  i.is_active and i.waiting is null and i.in_flight is null and i.next_due_at <= clock_now() and ${historyIsKnown}
  and quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now()) is null
)`

/**
 * Condition: the job `j` is Running. Written so that PostgreSQL uses the index jobs_live and not jobs_status: with
 * statistics older than the jobs it believes that hardly one is Running, and would read all of them for each instance.
 */
export const isRunning = sql`(
  (j.status in ('Pending', 'Running') or j.settling) and (j.status = 'Running') is true
)`

/** Condition: the job `j` of the instance `i` may have its turn now. */
export const jobMaySend = sql`(
  ${isRunning} and j.paused_at is null
  and ${whatsAppAllows} and ${incomingIsKnown} and ${capFreeAt} is null and ${limitsAllow}
)`

/** The pause after a message, as an interval drawn at random. `jobType` names a column; the instance is `i`. */
export const drawPause = (jobType: string) => sql`(
  case ${identifier(jobType)}
    when 'SendToGroups'
    then i.group_pause_from_ms + random() * (i.group_pause_to_ms - i.group_pause_from_ms)
    else ${privatePauseMs}
  end * interval '1 ms'
)`
