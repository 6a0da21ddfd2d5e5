import type { Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import type { EngineDeps } from '../context.ts'
import { isDurable, STILL_AFTER_MS } from '../shared/era.ts'

export const BEAT_EVERY_MS = 2_000
/**
 * After a promotion, a message whose intent was lost may still be on its way: 5 s from its intent to its send, 20 s for
 * the send (sending/sender.ts), and 5 s until the provider lists it.
 */
const SENDS_END_MS = 30_000
/** A standby that is promoted lacks moments. With an older beat, hours may be missing, as in a copy or a backup. */
const MOMENTS_MS = 120_000
/** Two database servers agree on the time to this. */
const CLOCK_SLACK_MS = 5_000

/** A running worker adds a beat every two seconds, so two of its beats may come late. */
const WATCH_MS = 5_000
/** More than any beat: no intent is written in a database that is behind it (sending/intent.ts). */
const NEVER = Number.MAX_SAFE_INTEGER

/** Why a new era begins. */
type EraReason = 'still' | 'promoted' | 'set_back'

export type Heartbeat = {
  /** Adds a beat, and begins a new era where the last beats show that commits may be missing. */
  beat: () => Promise<void>
  /** The number of the last beat that this worker saw committed. While it may not send, more than any beat. */
  lastSeen: () => number
  /** False until it is known whether other workers run, and while the database may lose what it has committed. */
  maySend: () => boolean
}

/**
 * Opens the heartbeat of one worker. Without `beatSeenBefore` the worker has just started, perhaps in a copy of a data
 * folder, which looks like the original after a stop. So it watches before its first beat. If another worker's beat
 * comes, this is the database in which the work goes on. If none comes, a new era begins.
 */
export function openHeartbeat({ db, log, beatSeenBefore }: Deps): Heartbeat {
  let lastSeen = beatSeenBefore ?? 0
  let watch: { beat: number; since: number } | 'over' | null = beatSeenBefore === undefined ? null : 'over'
  let isSafe = true

  /** Returns the beat that was the last one all the time. Null if another came. Undefined to go on watching. */
  async function watchOthers(): Promise<number | null | undefined> {
    const now = performance.now()
    const { beat, isOld } = await readBeat(db)
    watch ??= { beat, since: now }
    // A database that is set back meanwhile has another beat too, an earlier one.
    lastSeen = Math.max(lastSeen, beat)
    if (watch === 'over' || watch.beat !== beat) return null
    return isOld || now - watch.since >= WATCH_MS ? beat : undefined
  }

  return {
    lastSeen: () => (watch === 'over' && isSafe ? lastSeen : NEVER),
    maySend: () => watch === 'over' && isSafe,
    async beat() {
      const lonely = watch === 'over' ? null : await watchOthers()
      if (lonely === undefined) return
      const added = await addBeat(db, lastSeen, lonely)
      lastSeen = Math.max(lastSeen, added.beat)
      watch = 'over'
      if (added.reason !== null) log.info({ reason: added.reason }, eraSentences[added.reason])
      if (isSafe && !added.isDurable) log.error({}, NOT_DURABLE)
      isSafe = added.isDurable
    },
  }
}

type Deps = Pick<EngineDeps, 'db' | 'log' | 'beatSeenBefore'>

const NOT_DURABLE =
  'Nothing is sent: PostgreSQL runs with fsync or synchronous_commit off, and would lose what was sent. Switch both on'

const eraSentences: Record<EraReason, string> = {
  still: 'No worker has run for a while: chat histories are checked before messages are sent',
  promoted: 'The database server was replaced: chat histories are checked before messages are sent',
  set_back: 'The database was set back: chat histories are checked before messages are sent',
}

/** A beat is old when the next one begins an era anyway. */
const readBeat = (db: Pool) =>
  db.one<{ beat: number; isOld: boolean }>(sql`
    select beat, beat_at <= clock_now() - ${STILL_AFTER_MS} * interval '1 ms' or timeline <> current_timeline() as is_old
    from heartbeat`)

/**
 * `lonely` is the last beat of a time in which no other worker was seen. The reason is null if no era began, or if it
 * concerns nobody: without a job there is nothing to find in a history.
 *
 * After a promotion, an instance whose pause lasts beyond the beginning of the era enters it unchecked, if it was
 * checked in the era before: no intent of it can be missing, as it would have been written before the pause was over.
 * In hours a person may have shortened the pause. An instance that somebody has locked is checked.
 */
const addBeat = (db: Pool, lastSeen: number, lonely: number | null) =>
  db.one<{ beat: number; reason: EraReason | null; isDurable: boolean }>(sql`
    with last as materialized (
      select h.beat, h.beat_at, h.era, h.history_complete_at, case
          when h.timeline not in ('', current_timeline()) then 'promoted'
          when h.beat < ${lastSeen} then 'set_back'
          -- The last reason, because a standby that lagged has an old beat too, and messages may be on their way.
          when h.beat_at <= clock_now() - ${STILL_AFTER_MS} * interval '1 ms' or h.beat = ${lonely} then 'still'
        end as reason
      from heartbeat h for update
    ), beaten as (
      update heartbeat h
      set beat = greatest(last.beat, ${lastSeen}) + 1, beat_at = clock_now(), timeline = current_timeline(),
        era = case when reason is null then last.era else gen_random_uuid() end,
        history_complete_at = case
          when reason is null then last.history_complete_at
          -- A worker that is replaced during the wait after a promotion begins that wait anew.
          when reason = 'still' and last.history_complete_at <= clock_now() then clock_now()
          else clock_now() + ${SENDS_END_MS} * interval '1 ms'
        end
      from last
      returning h.beat, h.era, reason
    ), pausing as materialized (
      select i.id from instances i
      where exists (
          select from last where reason = 'promoted' and beat_at > clock_now() - ${MOMENTS_MS} * interval '1 ms')
        and i.next_due_at > clock_now() + ${CLOCK_SLACK_MS} * interval '1 ms'
        and i.checked_era = (select era from last)
      for no key update of i skip locked
    ), unaffected as (
      update instances i set checked_era = beaten.era from beaten, pausing
      where i.id = pausing.id and ${knowsContent}
    )
    select beat, (select reason where exists (select from jobs)) as reason,
      ${isDurable} as is_durable
    from beaten`)
