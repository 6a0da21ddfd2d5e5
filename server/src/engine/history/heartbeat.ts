import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { EngineDeps } from '../context.ts'
import { STILL_AFTER_MS } from '../shared/era.ts'

export const BEAT_EVERY_MS = 2_000
/**
 * After a promotion, a message whose intent was lost may still be on its way: 5 s from its intent to its send, 20 s for
 * the send (sending/sender.ts), and 5 s until the provider lists it.
 */
const SENDS_END_MS = 30_000
/** Two database servers agree on the time to this. */
const CLOCK_SLACK_MS = 5_000

/** Why a new era begins. */
type EraReason = 'still' | 'promoted' | 'set_back'

export type Heartbeat = {
  /** Adds a beat, and begins a new era where the last beats show that commits may be missing. */
  beat: () => Promise<void>
  /** The number of the last beat that this worker saw committed. */
  lastSeen: () => number
}

/** Opens the heartbeat of one worker. */
export function openHeartbeat({ db, log }: Pick<EngineDeps, 'db' | 'log'>): Heartbeat {
  let lastSeen = 0
  return {
    lastSeen: () => lastSeen,
    async beat() {
      const { beat, reason } = await addBeat(db, lastSeen)
      lastSeen = Math.max(lastSeen, beat)
      if (reason !== null) log.info({ reason }, eraSentences[reason])
    },
  }
}

const eraSentences: Record<EraReason, string> = {
  still: 'No worker has run for a while: chat histories are checked before messages are sent',
  promoted: 'The database server was replaced: chat histories are checked before messages are sent',
  set_back: 'The database was set back: chat histories are checked before messages are sent',
}

/**
 * The reason is null if no era began, or if it concerns nobody: without a job there is nothing to find in a history.
 *
 * An instance whose pause lasts beyond the beginning of an era enters it unchecked: no intent of it can be missing, as it
 * would have been written before the pause was over. An instance that somebody has locked is checked instead.
 */
const addBeat = (db: Pool, lastSeen: number) =>
  db.one<{ beat: number; reason: EraReason | null }>(sql`
    with last as materialized (
      select h.beat, h.era, h.history_complete_at, case
          when h.timeline not in ('', current_timeline()) then 'promoted'
          when h.beat < ${lastSeen} then 'set_back'
          -- The last reason, because a standby that lagged has an old beat too, and messages may be on their way.
          when h.beat_at <= clock_now() - ${STILL_AFTER_MS} * interval '1 ms' then 'still'
        end as reason
      from heartbeat h for update
    ), beaten as (
      update heartbeat h
      set beat = greatest(last.beat, ${lastSeen}) + 1, beat_at = clock_now(), timeline = current_timeline(),
        era = case when reason is null then last.era else gen_random_uuid() end,
        history_complete_at = case reason
          when 'still' then clock_now()
          when 'promoted' then clock_now() + ${SENDS_END_MS} * interval '1 ms'
          when 'set_back' then clock_now() + ${SENDS_END_MS} * interval '1 ms'
          else last.history_complete_at
        end
      from last
      returning h.beat, h.era, reason
    ), pausing as materialized (
      select i.id from instances i
      where exists (select from last where reason is not null)
        and i.next_due_at > clock_now() + ${CLOCK_SLACK_MS} * interval '1 ms'
      for no key update of i skip locked
    ), unaffected as (
      update instances i set checked_era = beaten.era from beaten, pausing where i.id = pausing.id
    )
    select beat, (select reason where exists (select from jobs)) as reason from beaten`)
