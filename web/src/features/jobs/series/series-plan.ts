import { moveOrSkip, type QuietRules } from '@sendroom/contract/move-or-skip'
import { type Occurrence, occurrences } from '@sendroom/contract/occurrences'
import type { SeriesRule } from '@sendroom/contract/series-rule'
import { DAY_MS, wallClock } from '@sendroom/contract/wall-clock'

export type PlannedRun = Occurrence & {
  /** Null if a quiet time leaves the run out. */
  runsAt: string | null
}

/** A run whose local time daylight saving skips or repeats. */
export type ClockChange = { kind: 'skipped' | 'twice'; localTime: string; dueAt: string }

type Quiet = Omit<QuietRules, 'timeZone'>

/** Enough to see the rhythm. */
const RUNS = 5
/** A year has both changes of daylight saving. */
const CLOCK_DAYS = 366

/** The next runs of a rule, with what quiet times do to them. */
export function nextRuns(rule: SeriesRule, quiet: Quiet, now: number): PlannedRun[] {
  const quietRules = { ...quiet, timeZone: rule.timeZone }
  const runs: PlannedRun[] = []
  for (const occurrence of occurrences(rule, { after: new Date(now).toISOString() })) {
    const decided = moveOrSkip(occurrence, quietRules)
    runs.push({ ...occurrence, runsAt: 'runsAt' in decided ? decided.runsAt : null })
    if (runs.length === RUNS) break
  }
  return runs
}

/** The first run of the coming year for each kind of clock change that meets one. */
export function clockChanges(rule: SeriesRule, now: number): ClockChange[] {
  const clock = wallClock(rule.timeZone)
  const found = new Map<ClockChange['kind'], ClockChange>()
  for (let day = now; day < now + CLOCK_DAYS * DAY_MS; day += DAY_MS) {
    const shift = clock.offsetAt(day + DAY_MS) - clock.offsetAt(day)
    if (shift === 0) continue
    const [after, until] = [day - DAY_MS, day + 2 * DAY_MS].map((moment) => new Date(moment).toISOString())
    for (const { localTime, dueAt } of occurrences(rule, {
      after: after as string,
      until: until as string,
    })) {
      const kind = clockChangeOf(localTime, dueAt, shift)
      if (kind && Date.parse(dueAt) > now && !found.has(kind)) found.set(kind, { kind, localTime, dueAt })
    }
  }
  return [...found.values()]

  function clockChangeOf(localTime: string, dueAt: string, shift: number) {
    const wall = Date.parse(`${localTime}Z`)
    const due = Date.parse(dueAt)
    if (due + clock.offsetAt(due) !== wall) return 'skipped'
    const again = due - shift
    return again > due && again + clock.offsetAt(again) === wall ? 'twice' : null
  }
}
