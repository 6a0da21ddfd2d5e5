import type { JobType } from '@sendroom/contract/job-life'
import type { QuietHours } from '@sendroom/contract/quiet-hours'
import { DAY_MS, wallClock } from '@sendroom/contract/wall-clock'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { privateCap } from '../shared/daily-cap.ts'
import { SEND_MS } from './forecast.ts'

const HOUR_MS = 3_600_000
const QUARTER_MS = HOUR_MS / 4

/** The pace of an instance for one kind of job. */
type KindPace = {
  /** The average pause after a message, in ms. */
  pauseMs: number
  /** Messages in 24 hours; 0 means no cap. */
  cap: number
}

/** An instance with its pace, for `aboutEnds`. */
export type RoughPace = {
  id: number
  name: string
  groups: KindPace
  people: KindPace & {
    perQuarter: number
    hoursPerDay: number
    /** From this many messages on, the pause is the slow one. 0 means never. */
    slowAfter: number
    slowPauseMs: number
  }
  quiet: QuietHours | null
}

/** Reads the names and paces of these instances, in one query. */
export const readRoughPaces = (db: Db, instanceIds: readonly number[]): Promise<readonly RoughPace[]> =>
  db.many<RoughPace>(sql`
    select i.id, i.name,
      jsonb_build_object('pauseMs', (i.group_pause_from_ms + i.group_pause_to_ms) / 2.0, 'cap', i.group_cap) as groups,
      jsonb_build_object('pauseMs', (i.private_pause_from_ms + i.private_pause_to_ms) / 2.0, 'cap', ${privateCap},
        'perQuarter', i.private_per_quarter, 'hoursPerDay', i.private_hours, 'slowAfter', i.private_slow_after,
        'slowPauseMs', (i.private_slow_pause_from_ms + i.private_slow_pause_to_ms) / 2.0) as people,
      case when i.quiet_from is not null then jsonb_build_object('from', left(i.quiet_from::text, 5),
        'to', left(i.quiet_to::text, 5), 'timeZone', i.time_zone) end as quiet
    from instances i where i.id = any(${instanceIds}::bigint[])`)

/**
 * Returns a function that says about when the last of so many messages is sent, if the first one may go at `from` (ms
 * since 1970). For hundreds of jobs at once: arithmetic in place of the simulation that `lastSendAt` makes. Pauses,
 * daily caps and quiet hours count. The other jobs of the instance, what it has sent today, limits for new people and
 * days of rest do not.
 */
export function aboutEnds() {
  const addWithoutQuiet = quietClock()
  return (from: number, messages: number, jobType: JobType, pace: RoughPace): number => {
    const { quiet } = pace
    const after = (ms: number) => (quiet ? addWithoutQuiet(from, ms, quiet) : from + ms)
    const pauses = Math.max(0, messages - 1)
    const { sendingMs, cap } = jobType === 'SendToGroups' ? toGroups(pace, pauses) : toPeople(pace, pauses)
    const uncapped = after(sendingMs)
    if (cap === 0) return uncapped
    const fullDays = Math.floor(pauses / cap)
    const lastDay = pauses === 0 ? 0 : (sendingMs / pauses) * (pauses % cap)
    return Math.max(uncapped, after(lastDay) + fullDays * DAY_MS)
  }
}

const toGroups = ({ groups: { pauseMs, cap } }: RoughPace, pauses: number) => ({
  sendingMs: pauses * Math.max(SEND_MS, pauseMs),
  cap,
})

function toPeople({ people }: RoughPace, pauses: number) {
  const shortest = people.perQuarter > 0 ? QUARTER_MS / people.perQuarter : SEND_MS
  const usual = Math.max(people.pauseMs, shortest)
  const slow = Math.max(people.slowPauseMs, shortest)
  const slowOnes = people.slowAfter > 0 ? Math.max(0, pauses - people.slowAfter) : 0
  const sendingMs = (pauses - slowOnes) * usual + slowOnes * slow
  const inHours =
    people.hoursPerDay > 0 && sendingMs > 0
      ? Math.max(1, Math.floor((people.hoursPerDay * HOUR_MS * pauses) / sendingMs))
      : 0
  const caps = [people.cap, inHours].filter((cap) => cap > 0)
  return { sendingMs, cap: caps.length === 0 ? 0 : Math.min(...caps) }
}

/** Adds sending time to a moment, leaving out quiet hours. When the clocks change, the end is an hour off. */
function quietClock() {
  const clocks = new Map<string, ReturnType<typeof wallClock>>()
  const offsets = new Map<string, number>()

  /** Kept by day: an offset takes longer than all the rest. */
  function offsetAt(moment: number, timeZone: string): number {
    const clock = clocks.get(timeZone) ?? wallClock(timeZone)
    clocks.set(timeZone, clock)
    const key = `${timeZone} ${Math.floor(moment / DAY_MS)}`
    const offset = offsets.get(key) ?? clock.offsetAt(moment)
    offsets.set(key, offset)
    return offset
  }

  return (moment: number, ms: number, { from, to, timeZone }: QuietHours): number => {
    const openMs = untilNext(msOfDay(to), msOfDay(from)) || DAY_MS
    const passed = untilNext(msOfDay(to), moment + offsetAt(moment, timeZone))
    const isQuiet = passed >= openMs
    const opened = isQuiet ? moment + DAY_MS - passed : moment - passed
    const total = ms + (isQuiet ? 0 : passed)
    const nights = ms === 0 ? 0 : Math.floor(total / openMs)
    return opened + nights * DAY_MS + (total - nights * openMs)
  }
}

/** From one time of day to the next occurrence of another, in ms. */
const untilNext = (from: number, to: number) => (((to - from) % DAY_MS) + DAY_MS) % DAY_MS

const msOfDay = (time: string) => Date.parse(`1970-01-01T${time}Z`)
