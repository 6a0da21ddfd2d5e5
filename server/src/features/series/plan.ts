import { limits } from '@sendroom/contract/limits'
import { moveOrSkip, type QuietRules } from '@sendroom/contract/move-or-skip'
import { type Occurrence, occurrences } from '@sendroom/contract/occurrences'
import type { SeriesRule } from '@sendroom/contract/series-rule'
import { DAY_MS, wallClock } from '@sendroom/contract/wall-clock'

/*
 * Which runs a series has. Pure functions: runs.queries.ts writes them.
 */

export type Quiet = Pick<QuietRules, 'quietDays' | 'quietHours'> & { quietPolicy: QuietRules['policy'] }

export type PlannedRun = Occurrence & { isSkipped: boolean }

/** The later one of two instants of one form. */
export const latest = (one: string, other: string) => (one > other ? one : other)

const later = (moment: string, ms: number) => new Date(Date.parse(moment) + ms).toISOString()

/** The date of an instant by the wall clock of a zone. */
export const localDay = (moment: string, timeZone: string) => {
  const ms = Date.parse(moment)
  return new Date(ms + wallClock(timeZone).offsetAt(ms)).toISOString().slice(0, 10)
}

export type Plan = {
  runs: PlannedRun[]
  /** The rule has no others until then. Null if it has none for ever. */
  until: string | null
}

/**
 * The runs later than `after`, 62 days ahead of `now`. If there are none, the next one, however far it is.
 */
export function planRuns(
  rule: SeriesRule,
  quiet: Quiet,
  { after, now }: { after: string; now: string },
): Plan {
  const horizon = later(now, limits.seriesDaysAhead * DAY_MS)
  const ahead = [...occurrences(rule, { after, until: horizon })]
  const found = ahead.length > 0 ? ahead : firstOf(rule, after)
  const last = found.at(-1)?.dueAt
  return {
    runs: found.map((occurrence) => withQuiet(occurrence, rule, quiet)),
    until: last === undefined ? null : latest(last, horizon),
  }
}

function firstOf(rule: SeriesRule, after: string): Occurrence[] {
  for (const occurrence of occurrences(rule, { after })) return [occurrence]
  return []
}

function withQuiet(occurrence: Occurrence, { timeZone }: SeriesRule, quiet: Quiet): PlannedRun {
  const moved = moveOrSkip(occurrence, { ...quiet, timeZone, policy: quiet.quietPolicy })
  const dueAt = 'runsAt' in moved ? moved.runsAt : occurrence.dueAt
  return { ...occurrence, dueAt, isSkipped: 'skipped' in moved }
}

/** The first day of the day's week, month or year, or the day itself. Both YYYY-MM-DD. */
export function periodOf(day: string, frequency: SeriesRule['frequency']): string {
  if (frequency === 'year') return day.slice(0, 4)
  if (frequency === 'month') return day.slice(0, 7)
  if (frequency === 'day') return day
  const monday = (Math.floor((Date.parse(day) / DAY_MS + 3) / 7) * 7 - 3) * DAY_MS
  return new Date(monday).toISOString().slice(0, 10)
}

export type KnownRun = { localTime: string; isToCome: boolean }

const dayOf = ({ localTime }: { localTime: string }) => localTime.slice(0, 10)

/**
 * The runs of a changed rule that may be planned beside the known ones, which are as they were before the change. They
 * begin after the present day, whose runs stay. A week (month, year) in which the former rule has run by the end of
 * this day, and would not run again, is over: a user who moves a weekly run from Monday to Thursday on a Tuesday does
 * not want it twice in that week. A day with a run that was made or skipped ahead gets no other.
 */
export function runsAfterChange<Run extends { localTime: string }>(
  runs: readonly Run[],
  known: readonly KnownRun[],
  { frequency }: Pick<SeriesRule, 'frequency'>,
  today: string,
): Run[] {
  const periods = (some: readonly KnownRun[]) => new Set(some.map((run) => periodOf(dayOf(run), frequency)))
  const isOpen = (run: KnownRun) => run.isToCome && dayOf(run) > today
  const begun = periods(known.filter((run) => !isOpen(run)))
  const unfinished = periods(known.filter(isOpen))
  const isOver = (period: string) => begun.has(period) && !unfinished.has(period)
  const settledDays = new Set(known.filter(({ isToCome }) => !isToCome).map(dayOf))
  return runs.filter(
    (run) => dayOf(run) > today && !settledDays.has(dayOf(run)) && !isOver(periodOf(dayOf(run), frequency)),
  )
}
