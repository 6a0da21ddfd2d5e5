import fc from 'fast-check'
import type { MonthDay, SeriesRule } from '../src/series-rule.ts'
import { SeriesRule as schema, weekdayPlaces, weekdays } from '../src/series-rule.ts'

/** Daylight saving at 02:00, at midnight, by half an hour, the other way round, formerly, and never. */
export const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Ho_Chi_Minh',
  'Asia/Kolkata',
]

const padded = (number: number) => String(number).padStart(2, '0')
const time = fc.oneof(
  // Around the hours at which clocks change.
  fc.constantFrom('00:00', '00:15', '00:30', '01:30', '01:45', '02:00', '02:15', '02:30', '02:59', '03:00'),
  fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${padded(hour)}:${padded(minute)}`),
)
/** These years have the clock changes that some of the zones have given up. */
const day = fc
  .date({ min: new Date('2005-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

const monthDay: fc.Arbitrary<MonthDay> = fc.oneof(
  fc.record({ kind: fc.constant('day' as const), day: fc.integer({ min: 1, max: 28 }) }),
  fc.record({ kind: fc.constant('day' as const), day: fc.integer({ min: 29, max: 31 }) }),
  fc.constant({ kind: 'last' as const }),
  fc.record({
    kind: fc.constant('weekday' as const),
    nth: fc.constantFrom(...weekdayPlaces),
    weekday: fc.constantFrom(...weekdays),
  }),
)

/** Random rules, as the schema lets them through. */
export const seriesRules: fc.Arbitrary<SeriesRule> = fc
  .record({
    frequency: fc.constantFrom('day', 'week', 'month', 'year'),
    every: fc.oneof(fc.integer({ min: 1, max: 4 }), {
      weight: 2,
      arbitrary: fc.integer({ min: 1, max: 99 }),
    }),
    weekdays: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
    month: fc.integer({ min: 1, max: 12 }),
    monthDay,
    times: fc.uniqueArray(time, { minLength: 1, maxLength: 4 }),
    startsOn: day,
    daysToEnd: fc.option(fc.nat(5000), { freq: 2 }),
    runLimit: fc.option(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 9999 })), {
      freq: 2,
    }),
    timeZone: fc.constantFrom(...zones),
  })
  .map(({ daysToEnd, ...rule }) =>
    schema.safeParse({ ...rule, endsOn: daysToEnd === null ? null : later(rule.startsOn, daysToEnd) }),
  )
  .filter(({ success }) => success)
  .map(({ data }) => data as SeriesRule)
