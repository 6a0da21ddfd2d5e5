import type { Occurrence } from './occurrences.ts'
import { type QuietHours, quietTimes } from './quiet-hours.ts'
import { DAY_MS, wallClock } from './wall-clock.ts'

/** A run that falls into a quiet time is moved to its end, or left out. */
export type QuietPolicy = 'move' | 'skip'

export type QuietRules = {
  /** Those of the account. */
  quietHours: QuietHours | null
  /** Dates (YYYY-MM-DD) in the zone of the series. */
  quietDays: readonly string[]
  timeZone: string
  policy: QuietPolicy
}

/**
 * Returns when an occurrence is to run: at its time, at the first moment after that is neither on a quiet day nor in
 * the quiet hours, or not at all. Times are ISO 8601, UTC.
 */
export function moveOrSkip(
  { dueAt }: Pick<Occurrence, 'dueAt'>,
  { quietHours, quietDays, timeZone, policy }: QuietRules,
): { runsAt: string } | { skipped: 'quiet_day' | 'quiet_hours' } {
  const afterQuietDay = quietDays.length > 0 ? endsOfDays(new Set(quietDays), timeZone) : unmoved
  const afterQuietHours = quietHours === null ? unmoved : endsOfHours(quietHours)

  const due = Date.parse(dueAt)
  if (policy === 'skip' && afterQuietDay(due) > due) return { skipped: 'quiet_day' }
  if (policy === 'skip' && afterQuietHours(due) > due) return { skipped: 'quiet_hours' }

  let moment = due
  for (let next = moment; ; moment = next) {
    next = afterQuietHours(afterQuietDay(moment))
    if (next === moment) return { runsAt: new Date(moment).toISOString() }
  }
}

const unmoved = (moment: number) => moment

/** Maps a moment on one of the days to the midnight after, and others to themselves. */
function endsOfDays(days: ReadonlySet<string>, timeZone: string): (moment: number) => number {
  const clock = wallClock(timeZone)
  return (moment) => {
    const day = Math.floor((moment + clock.offsetAt(moment)) / DAY_MS)
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    return days.has(date) ? clock.firstInstantOf((day + 1) * DAY_MS) : moment
  }
}

/** Maps a moment in the quiet hours to their end, and others to themselves. */
function endsOfHours(hours: QuietHours): (moment: number) => number {
  const quietAt = quietTimes(hours)
  return (moment) => {
    const quiet = quietAt(moment)
    return quiet.from <= moment ? quiet.to : moment
  }
}
