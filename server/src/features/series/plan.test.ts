import type { SeriesRule } from '@sendroom/contract/series-rule'
import { describe, expect, test } from 'vitest'
import { planRuns, type Quiet, runsAfterChange } from './plan.ts'

const now = '2026-11-30T00:00:00.000Z' // a Monday
const daily: SeriesRule = {
  frequency: 'day',
  every: 1,
  times: ['09:00'],
  startsOn: '2026-11-01',
  endsOn: null,
  runLimit: null,
  timeZone: 'UTC',
}
const noQuiet: Quiet = { quietDays: [], quietPolicy: 'move', quietHours: null }
const plan = (rule: SeriesRule, quiet = noQuiet) => planRuns(rule, quiet, { after: now, now })

describe('the runs of a rule', () => {
  // R-1301
  test('are planned 62 days ahead', () => {
    const { runs, until } = plan(daily)
    expect([runs.length, runs[0]?.localTime, runs.at(-1)?.localTime, until]).toEqual([
      62,
      '2026-11-30T09:00',
      '2027-01-30T09:00',
      '2027-01-31T00:00:00.000Z',
    ])
  })

  // R-1301
  test('have the next one, however far it is', () => {
    const { runs, until } = plan({
      ...daily,
      frequency: 'year',
      every: 99,
      month: 2,
      monthDay: { kind: 'day', day: 29 },
      startsOn: '2024-02-29',
    })
    expect([runs.map(({ localTime }) => localTime), until]).toEqual([
      ['2123-02-28T09:00'],
      '2123-02-28T09:00:00.000Z',
    ])
  })

  // R-1302
  test.each([
    ['its date', { endsOn: '2026-11-30' }, 1],
    ['its number of runs', { runLimit: 31 }, 2],
    ['a date that is over', { endsOn: '2026-11-29' }, 0],
  ])('end with %s', (_, end, count) => {
    const { runs } = plan({ ...daily, ...end })
    expect(runs).toHaveLength(count)
    const last = runs.at(-1)?.dueAt ?? now
    expect(planRuns({ ...daily, ...end }, noQuiet, { after: last, now }).until).toBeNull()
  })
})

const hours = { from: '22:00', to: '10:00', timeZone: 'UTC' }

// R-1344
test.each([
  ['a quiet day moves to the next day', { quietDays: ['2026-11-30'] }, '2026-12-01T00:00:00.000Z'],
  ['quiet hours move to their end', { quietHours: hours }, '2026-11-30T10:00:00.000Z'],
  [
    'a quiet day that ends in quiet hours moves to their end',
    { quietDays: ['2026-11-30'], quietHours: hours },
    '2026-12-01T10:00:00.000Z',
  ],
  ['quiet days follow one another', { quietDays: ['2026-11-30', '2026-12-01'] }, '2026-12-02T00:00:00.000Z'],
  ['a quiet day is skipped', { quietDays: ['2026-11-30'], quietPolicy: 'skip' as const }, null],
  ['quiet hours are skipped', { quietHours: hours, quietPolicy: 'skip' as const }, null],
  [
    'other days stay',
    { quietDays: ['2026-12-01'], quietPolicy: 'skip' as const },
    '2026-11-30T09:00:00.000Z',
  ],
])('%s', (_, quiet, dueAt) => {
  const [run] = plan(daily, { ...noQuiet, ...quiet }).runs
  expect(run).toMatchObject({
    localTime: '2026-11-30T09:00',
    isSkipped: dueAt === null,
    ...(dueAt && { dueAt }),
  })
})

// R-1320: today is Tuesday, 1 December.
test.each([
  ['the present day keeps its runs', 'day', [], ['2026-12-01T12:00'], []],
  ['a day later has the new ones', 'day', [], ['2026-12-02T12:00'], ['2026-12-02T12:00']],
  [
    'a weekly run moved from Monday to Thursday comes next week',
    'week',
    [['2026-11-30T09:00', false]],
    ['2026-12-03T09:00', '2026-12-10T09:00'],
    ['2026-12-10T09:00'],
  ],
  [
    'a weekly run that is still to come today counts for this week',
    'week',
    [['2026-12-01T23:00', true]],
    ['2026-12-03T09:00', '2026-12-08T09:00'],
    ['2026-12-08T09:00'],
  ],
  [
    'Monday has run, and Thursday moves to Friday in this week',
    'week',
    [
      ['2026-11-30T09:00', false],
      ['2026-12-03T09:00', true],
    ],
    ['2026-12-04T09:00'],
    ['2026-12-04T09:00'],
  ],
  [
    'a week that has not run yet runs',
    'week',
    [['2026-12-05T09:00', true]],
    ['2026-12-03T09:00'],
    ['2026-12-03T09:00'],
  ],
  [
    'a run that was skipped ahead stays skipped at another time of that day',
    'day',
    [['2026-12-24T09:00', false]],
    ['2026-12-24T11:00', '2026-12-25T11:00'],
    ['2026-12-25T11:00'],
  ],
  [
    'a month that has run is over',
    'month',
    [['2026-12-01T09:00', false]],
    ['2026-12-15T09:00', '2027-01-15T09:00'],
    ['2027-01-15T09:00'],
  ],
  [
    'a year that has run is over',
    'year',
    [['2026-02-01T09:00', false]],
    ['2026-12-15T09:00', '2027-12-15T09:00'],
    ['2027-12-15T09:00'],
  ],
] as const)('after a change %s', (_, frequency, known, runs, planned) => {
  const found = runsAfterChange(
    runs.map((localTime) => ({ localTime })),
    known.map(([localTime, isToCome]) => ({ localTime, isToCome })),
    { frequency },
    '2026-12-01',
  )
  expect(found.map(({ localTime }) => localTime)).toEqual(planned)
})
