import { beforeEach, expect, test } from 'vitest'
import { serve } from '../test/server.ts'
import { daysUntil, formatAgo, formatDateTime, formatDay, formatDuration, truncate } from './format.ts'
import { showLanguage } from './i18n/i18n.ts'

// Another file may have left the process in another language.
beforeEach(async () => {
  serve({})
  await showLanguage('en')
})

test('times are shown in Vietnam’s time zone', () => {
  expect(formatDateTime('2026-11-20T18:30:00.000Z')).toBe('11/21/26, 1:30 AM')
  expect(formatDateTime(null)).toBe('')
})

const now = new Date('2026-11-21T10:00:00.000Z')
test.each([
  ['2026-11-21T16:59:59.000Z', 0],
  ['2026-11-21T17:00:00.000Z', 1],
  ['2026-11-20T16:59:59.000Z', -1],
  ['2026-11-28T16:59:59.000Z', 7],
])('%s is %i days away', (at, days) => {
  expect(daysUntil(at, now)).toBe(days)
})

test.each([
  [0, '0 sec'],
  [59_400, '59 sec'],
  [65_000, '1 min 5 sec'],
  [7_200_000, '2 hr'],
  [7_530_000, '2 hr 5 min'],
  [200_000_000, '2 days 7 hr'],
])('%i ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

test.each([
  ['2026-11-21T10:00:30.000Z', 'now'],
  ['2026-11-21T09:59:30.000Z', '30 seconds ago'],
  ['2026-11-21T08:01:00.000Z', '1 hour ago'],
  ['2026-11-20T09:59:00.000Z', 'yesterday'],
  ['2026-11-01T10:00:00.000Z', '20 days ago'],
])('%s is %s', (at, words) => {
  expect(formatAgo(at, now.getTime())).toBe(words)
})

// R-2206
test('Chinese has a space between a number and its unit', async () => {
  await showLanguage('cn')
  expect(formatDuration(65_000)).toBe('1 分钟 5 秒')
  expect(formatAgo('2026-11-21T08:01:00.000Z', now.getTime())).toBe('1 小时前')
  expect(formatDay('2031-01-02')).toBe('2031 年 1 月 2 日')
})

test.each([
  ['a', 'letters'],
  ['ẽ', 'letters of two code points'],
  ['😀', 'emoji'],
  ['👨‍👩‍👧‍👦', 'emoji of many code points'],
  //
])('a long text is cut after fifty characters, never inside one: %s (%s)', (one) => {
  expect(truncate(one.repeat(50), 50)).toBe(one.repeat(50))
  expect(truncate(one.repeat(51), 50)).toBe(`${one.repeat(50)}...`)
})
