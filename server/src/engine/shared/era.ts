import { sql } from '../../platform/database/sql.ts'

/** A heartbeat that is older than this belongs to a worker that has died, or to another time: a copy or a backup. */
export const STILL_AFTER_MS = 30_000

/**
 * Condition: it is known what the instance `i` has sent so far, so it may send (see README.md, 'Eras'). The statement
 * that writes an intent tests it, because a promoted standby may serve that statement before any worker has noticed.
 */
export const historyIsKnown = sql`(
  i.checked_era = (
    select h.era from heartbeat h
    where h.beat_at > clock_now() - ${STILL_AFTER_MS} * interval '1 ms' and h.timeline = current_timeline())
)`

/** Condition: a worker has seen this database. A standby that was promoted has none of its beats at first. */
export const hasBeat = sql`exists (select from heartbeat h where h.timeline = current_timeline())`

/** Condition: what the instance `i` has sent before the present era still has to be found out. */
export const needsHistoryCheck = sql`(i.checked_era is distinct from current_era())`

/** Condition: the database keeps what it has committed, whatever happens. Otherwise it could lose intents unnoticed. */
export const isDurable = sql`(
  current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off'
)`
