import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRule } from '../test/read-rule.ts'
import { seriesRules } from '../test/series-rules.ts'
import { describeRule } from './describe-rule.ts'
import { languages } from './languages.ts'
import { occurrences } from './occurrences.ts'
import type { SeriesRule } from './series-rule.ts'

const weekly: SeriesRule = {
  ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00'], startsOn: '2026-11-30' },
  ...{ endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
}

test.each([
  [
    'en',
    'Every Monday and Thursday at 09:00 (Asia/Ho_Chi_Minh time), from 30 November 2026, next on Thursday, 3 December 2026 at 09:00',
  ],
  [
    'vi',
    'Hằng tuần vào thứ Hai và thứ Năm lúc 09:00 (giờ Asia/Ho_Chi_Minh), từ ngày 30/11/2026, lần tới lúc 09:00 thứ Năm, 3/12/2026',
  ],
  [
    'cn',
    '每周一、周四 09:00（Asia/Ho_Chi_Minh 时间），自 2026 年 11 月 30 日起，下次为 2026 年 12 月 3 日（周四）09:00',
  ],
] as const)('a rule in words: %s', (language, words) => {
  expect(describeRule(weekly, language, { nextAt: '2026-12-03T02:00:00Z' })).toBe(words)
})

test.each([
  ['en', 'Every month on the 31st (in shorter months on the last day) at'],
  ['vi', 'Hằng tháng vào ngày 31 (tháng ngắn hơn thì vào ngày cuối tháng) lúc'],
  ['cn', '每月 31 日（没有 31 日的月份为最后一天）09:00'],
] as const)('months without the day are mentioned: %s', (language, words) => {
  const rule = { ...weekly, frequency: 'month', monthDay: { kind: 'day', day: 31 } } as const
  expect(describeRule(rule, language, { nextAt: null }).slice(0, words.length)).toBe(words)
})

test.each([
  ['en', 'Every year on 29 February (in other years on 28 February) at'],
  ['vi', 'Hằng năm vào ngày 29 tháng 2 (năm không nhuận thì vào ngày 28 tháng 2) lúc'],
  ['cn', '每年 2 月 29 日（非闰年为 28 日）09:00'],
] as const)('years without the day are mentioned: %s', (language, words) => {
  const rule = { ...weekly, frequency: 'year', month: 2, monthDay: { kind: 'day', day: 29 } } as const
  expect(describeRule(rule, language, { nextAt: null }).slice(0, words.length)).toBe(words)
})

// R-1345
test.each(languages)('200 random rules can be read back from their words: %s', (language) => {
  fc.assert(
    fc.property(seriesRules, fc.nat(2000), (rule, days) => {
      const after = new Date(Date.parse(rule.startsOn) + (days - 2) * 86_400_000).toISOString()
      const next = occurrences(rule, { after }).next().value
      const words = describeRule(rule, language, { nextAt: next?.dueAt ?? null })
      expect(readRule(words, language)).toEqual({
        ...rule,
        next: next ? clockAt(next.dueAt, rule.timeZone) : null,
        hasNote: isRare(rule),
      })
    }),
    { seed: 36, numRuns: 200 },
  )
})

/** Whether the rule names a day that some of its months lack. */
function isRare(rule: SeriesRule): boolean {
  if (!('monthDay' in rule) || rule.monthDay.kind !== 'day') return false
  return rule.frequency === 'month' ? rule.monthDay.day > 28 : rule.month === 2 && rule.monthDay.day === 29
}

const clockAt = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
    new Date(instant),
  )
