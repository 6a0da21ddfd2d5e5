import type { MonthDay, SeriesRule } from './series-rule.ts'
import { DAY_MS, wallClock } from './wall-clock.ts'

export type Occurrence = {
  /** YYYY-MM-DDTHH:MM by the wall clock of the rule's zone. Daylight saving may skip it: `dueAt` is later then. */
  localTime: string
  dueAt: string
  /** From 1 for the first of the series. */
  number: number
}

/**
 * Yields when a series is due, in order: later than `after`, until `until` (both ISO 8601, UTC). Without `until` an
 * endless rule has no end.
 *
 * A local time that daylight saving skips is due at the first instant after the gap, one that occurs twice at the
 * first. Of several that a gap moves to one instant only the first is yielded. The others keep their numbers, so that
 * the number of an occurrence is arithmetic, and a late `after` costs as much as an early one.
 */
export function* occurrences(
  rule: SeriesRule,
  { after, until }: { after: string; until?: string },
): Generator<Occurrence> {
  const clock = wallClock(rule.timeZone)
  const last = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
  let previous = Date.parse(after)
  // Whatever is due later has a later local time, too.
  const from = Math.floor((previous + clock.offsetAt(previous)) / DAY_MS)
  for (const { localTime, number } of localTimes(rule, from)) {
    const due = clock.firstInstantOf(Date.parse(`${localTime}Z`))
    if (due > last) return
    if (due > previous) {
      yield { localTime, dueAt: new Date(due).toISOString(), number }
      previous = due
    }
  }
}

/** Yields the local times of the period of the day `from` and of all later ones. Ends with the rule. */
function* localTimes(rule: SeriesRule, from: Day): Generator<Omit<Occurrence, 'dueAt'>> {
  const { unitOf, daysOf } = calendarOf(rule)
  const startsOn = dayOf(rule.startsOn)
  const endsOn = rule.endsOn === null ? Number.POSITIVE_INFINITY : dayOf(rule.endsOn)
  const firstUnit = unitOf(startsOn)
  // Every unit has the same number of days. In the first one those before the start do not count.
  const daysBeforeStart = daysOf(firstUnit).filter((day) => day < startsOn).length

  const firstPeriod = Math.max(0, Math.floor((unitOf(from) - firstUnit) / rule.every))
  for (let period = firstPeriod; ; period += 1) {
    const days = daysOf(firstUnit + period * rule.every)
    for (const [d, day] of days.entries()) {
      if (day < startsOn) continue
      if (day > endsOn) return
      for (const [t, time] of rule.times.entries()) {
        const number = (period * days.length + d - daysBeforeStart) * rule.times.length + t + 1
        if (rule.runLimit !== null && number > rule.runLimit) return
        yield { localTime: `${dateOf(day)}T${time}`, number }
      }
    }
  }
}

/** Days since 1 January 1970. */
type Day = number
/** Days, weeks, months or years since then. */
type Unit = number

const dayOf = (date: string): Day => Date.parse(date) / DAY_MS
const dateOf = (day: Day): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The units in which the rule counts, and its days in one of them. */
function calendarOf(rule: SeriesRule): { unitOf: (day: Day) => Unit; daysOf: (unit: Unit) => Day[] } {
  switch (rule.frequency) {
    case 'day':
      return { unitOf: (day) => day, daysOf: (day) => [day] }
    case 'week':
      return {
        unitOf: weekOf,
        daysOf: (week) => rule.weekdays.map((weekday) => mondayOf(week) + weekday - 1),
      }
    case 'month':
      return { unitOf: monthOf, daysOf: (month) => [dayOfMonth(month, rule.monthDay)] }
    case 'year':
      return {
        unitOf: (day) => Math.floor(monthOf(day) / 12),
        daysOf: (year) => [dayOfMonth(year * 12 + rule.month - 1, rule.monthDay)],
      }
  }
}

// 1 January 1970 was a Thursday.
const weekOf = (day: Day): Unit => Math.floor((day + 3) / 7)
const mondayOf = (week: Unit): Day => week * 7 - 3
const weekdayOf = (day: Day): number => day - mondayOf(weekOf(day)) + 1

function monthOf(day: Day): Unit {
  const date = new Date(day * DAY_MS)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

const firstOf = (month: Unit): Day => Date.UTC(1970, month) / DAY_MS

function dayOfMonth(month: Unit, monthDay: MonthDay): Day {
  const first = firstOf(month)
  const last = firstOf(month + 1) - 1
  if (monthDay.kind === 'last') return last
  if (monthDay.kind === 'day') return Math.min(first + monthDay.day - 1, last)
  const { nth, weekday } = monthDay
  if (nth === -1) return last - ((weekdayOf(last) - weekday + 7) % 7)
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7
}
