import { expect, test } from 'vitest'
import { addMonths, weeksOfMonth } from './calendar-days.ts'
import { readCalendarSearch } from './calendar-search.ts'

test.each([
  ['2026-11', '2026-10-26', 42],
  ['2027-02', '2027-02-01', 28],
  ['2026-06', '2026-06-01', 35],
  ['2028-02', '2028-01-31', 35],
])('the weeks of %s begin on Monday %s and have %i days', (month, from, days) => {
  expect(weeksOfMonth(month)).toEqual({ from, days })
})

test('months go on over the end of a year', () => {
  expect([addMonths('2026-12', 1), addMonths('2027-01', -1)]).toEqual(['2027-01', '2026-12'])
})

test.each([
  [
    { month: '2026-11', view: 'agenda', instance: '3' },
    { month: '2026-11', view: 'agenda', instance: 3 },
  ],
  [{ day: '2026-02-28' }, { day: '2026-02-28' }],
  [{ month: '2026-13', day: '2026-02-30', view: 'week', instance: '-1' }, {}],
  [{ month: '9999-01' }, {}],
])('%o in the address is read as %o', (raw, search) => {
  expect(readCalendarSearch(raw)).toEqual(search)
})
