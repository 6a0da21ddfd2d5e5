import type { Language } from './languages.ts'
import { type CalendarDay, type RuleWords, ruleWords } from './rule-words.ts'
import type { SeriesRule } from './series-rule.ts'
import { wallClock } from './wall-clock.ts'

/**
 * Says in words when a series sends, such as *Every Monday and Thursday at 09:00 (Asia/Ho_Chi_Minh time), from 30
 * November 2026, next on Monday, 30 November 2026 at 09:00*. `nextAt` is the next instant, or null if none is left.
 * Without it the sentence says nothing of the next run.
 */
export function describeRule(
  rule: SeriesRule,
  language: Language,
  { nextAt }: { nextAt?: string | null } = {},
): string {
  const words = ruleWords[language]
  return [
    rhythm(rule, words),
    words.at(rule.times, rule.timeZone),
    words.from(calendarDay(Date.parse(rule.startsOn))),
    rule.endsOn === null ? '' : words.until(calendarDay(Date.parse(rule.endsOn))),
    rule.runLimit === null ? '' : words.atMost(rule.runLimit),
    nextAt === undefined ? '' : nextRun(nextAt, rule.timeZone, words),
  ].join('')
}

function rhythm(rule: SeriesRule, words: RuleWords): string {
  switch (rule.frequency) {
    case 'day':
      return words.days(rule.every)
    case 'week':
      return words.weeks(rule.every, rule.weekdays)
    case 'month':
      return words.months(rule.every, rule.monthDay)
    case 'year':
      return words.years(rule.every, rule.month, rule.monthDay)
  }
}

function nextRun(nextAt: string | null, timeZone: string, words: RuleWords): string {
  if (nextAt === null) return words.noNext
  const moment = Date.parse(nextAt)
  const wall = moment + wallClock(timeZone).offsetAt(moment)
  return words.next(calendarDay(wall), new Date(wall).toISOString().slice(11, 16))
}

function calendarDay(wall: number): CalendarDay {
  const date = new Date(wall)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay() || 7,
  }
}
