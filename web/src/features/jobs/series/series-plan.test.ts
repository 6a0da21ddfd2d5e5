import type { SeriesRule } from '@sendroom/contract/series-rule'
import { expect, test } from 'vitest'
import { clockChanges, nextRuns } from './series-plan.ts'
import { minutesIn } from './zone-minutes.ts'

const daily: SeriesRule = {
  ...{ frequency: 'day', every: 1, times: ['02:30'], startsOn: '2026-01-01', endsOn: null, runLimit: null },
  timeZone: 'Europe/Berlin',
}
const now = Date.parse('2026-02-01T00:00:00Z')

// R-1500
test('a quiet day moves or skips a run of the five that are shown', () => {
  const rule = { ...daily, times: ['09:00'], timeZone: 'Asia/Ho_Chi_Minh' }
  const quiet = { quietHours: null, quietDays: ['2026-02-02'] }
  const moved = nextRuns(rule, { ...quiet, policy: 'move' }, now)
  expect(moved.map(({ runsAt }) => runsAt)).toEqual([
    '2026-02-01T02:00:00.000Z',
    '2026-02-02T17:00:00.000Z',
    '2026-02-03T02:00:00.000Z',
    '2026-02-04T02:00:00.000Z',
    '2026-02-05T02:00:00.000Z',
  ])
  expect(nextRuns(rule, { ...quiet, policy: 'skip' }, now)[1]?.runsAt).toBeNull()
})

// R-1500
test.each([
  [daily, ['skipped 2026-03-29T02:30 01:00', 'twice 2026-10-25T02:30 00:30']],
  [{ ...daily, times: ['09:00'] }, []],
  [{ ...daily, timeZone: 'Asia/Ho_Chi_Minh' }, []],
  [{ ...daily, endsOn: '2026-10-01' }, ['skipped 2026-03-29T02:30 01:00']],
] as const)('times that daylight saving skips or repeats are found', (rule, expected) => {
  const found = clockChanges(rule as SeriesRule, now)
  expect(found.map(({ kind, localTime, dueAt }) => `${kind} ${localTime} ${dueAt.slice(11, 16)}`)).toEqual(
    expected,
  )
})

// R-1503
test('a minute of a zone becomes its instant and back', () => {
  const { minuteOf, instantAt } = minutesIn('Europe/Berlin')
  expect(instantAt('2026-07-01T09:00')).toBe('2026-07-01T07:00:00.000Z')
  expect(minuteOf(Date.parse('2026-07-01T07:00:30Z'))).toBe('2026-07-01T09:00')
  expect(instantAt('')).toBe('')
})
