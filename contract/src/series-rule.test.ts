import { expect, test } from 'vitest'
import { SeriesRule } from './series-rule.ts'

const rule = {
  ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00'] },
  ...{ startsOn: '2026-11-30', endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
}
const monthly = { ...rule, frequency: 'month', monthDay: { kind: 'day', day: 31 } }
const yearly = { ...monthly, frequency: 'year', month: 2, monthDay: { kind: 'day', day: 29 } }

const issuesOf = (value: object) =>
  SeriesRule.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []

test('times and weekdays are put in order, and fields of another frequency left out', () => {
  const parsed = SeriesRule.parse({ ...rule, month: 2, weekdays: [4, 1, 4], times: ['18:30', '09:00'] })
  expect(parsed).toEqual({ ...rule, times: ['09:00', '18:30'] })
})

test.each([
  rule,
  { ...rule, frequency: 'day' },
  monthly,
  { ...monthly, monthDay: { kind: 'last' } },
  { ...monthly, monthDay: { kind: 'weekday', nth: -1, weekday: 5 } },
  yearly,
  { ...rule, endsOn: rule.startsOn, runLimit: 9999, timeZone: 'UTC' },
])('%j is a rule', (value) => {
  expect(issuesOf(value)).toEqual([])
})

// R-1340
test.each<[object, ...string[]]>([
  [{ ...rule, frequency: 'hour' }, 'frequency SERIES_FORM.FREQUENCY_REQUIRED'],
  [{ ...rule, every: 0 }, 'every SERIES_FORM.EVERY_INVALID'],
  [{ ...rule, every: 1.5 }, 'every SERIES_FORM.EVERY_INVALID'],
  [{ ...rule, every: 100 }, 'every SERIES_FORM.EVERY_INVALID'],
  [{ ...rule, weekdays: [] }, 'weekdays SERIES_FORM.WEEKDAYS_REQUIRED'],
  [{ ...rule, weekdays: [8] }, 'weekdays.0 SERIES_FORM.WEEKDAYS_REQUIRED'],
  [{ ...monthly, monthDay: undefined }, 'monthDay SERIES_FORM.MONTH_DAY_REQUIRED'],
  [{ ...monthly, monthDay: { kind: 'day', day: 32 } }, 'monthDay.day SERIES_FORM.DAY_INVALID'],
  [
    { ...monthly, monthDay: { kind: 'weekday', nth: 5, weekday: 1 } },
    'monthDay.nth SERIES_FORM.MONTH_DAY_REQUIRED',
  ],
  [{ ...yearly, month: 13 }, 'month SERIES_FORM.MONTH_REQUIRED'],
  [{ ...yearly, monthDay: { kind: 'day', day: 30 } }, 'monthDay.day SERIES_FORM.DAY_NOT_IN_MONTH'],
  [{ ...yearly, month: 4, monthDay: { kind: 'day', day: 31 } }, 'monthDay.day SERIES_FORM.DAY_NOT_IN_MONTH'],
  [{ ...rule, times: [] }, 'times SERIES_FORM.TIMES_INVALID'],
  [{ ...rule, times: ['01:00', '02:00', '03:00', '04:00', '05:00'] }, 'times SERIES_FORM.TIMES_INVALID'],
  [{ ...rule, times: ['09:00', '24:00'] }, 'times.1 SERIES_FORM.TIME_INVALID'],
  [{ ...rule, times: ['10:00', '09:00', '10:00'] }, 'times.2 SERIES_FORM.TIME_TWICE'],
  [{ ...rule, startsOn: '2026-02-30' }, 'startsOn SERIES_FORM.DATE_INVALID'],
  [{ ...rule, startsOn: '0026-02-03' }, 'startsOn SERIES_FORM.DATE_INVALID'],
  [{ ...rule, endsOn: '2026-11-29' }, 'endsOn SERIES_FORM.ENDS_TOO_EARLY'],
  [{ ...rule, runLimit: 10_000 }, 'runLimit SERIES_FORM.RUNS_INVALID'],
  [{ ...rule, timeZone: '+07:00' }, 'timeZone ACCOUNT_FORM.TIME_ZONE_INVALID'],
  // A comparison of two fields does not hide behind the mistake in a third.
  [
    { ...rule, every: 0, endsOn: '2026-11-29' },
    'every SERIES_FORM.EVERY_INVALID',
    'endsOn SERIES_FORM.ENDS_TOO_EARLY',
  ],
])('%j is refused at its field', (value, ...issues) => {
  expect(issuesOf(value)).toEqual(issues)
})
