import { z } from 'zod'
import { limits } from './limits.ts'
import { isForm, key, TimeZone, timeOfDay } from './values.ts'

/** From Monday to Sunday, as ISO 8601 counts them. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

/** Which of a weekday's days in the month. -1 is the last. A fifth is missing in most months. */
export const weekdayPlaces = [1, 2, 3, 4, -1] as const
export type WeekdayPlace = (typeof weekdayPlaces)[number]

/** The most days of each month, in a leap year. */
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const whole = (max: number, wrong: Parameters<typeof key>[0]) =>
  z.number(key(wrong)).int(key(wrong)).min(1, key(wrong)).max(max, key(wrong))

/** Years before and after would only be mistakes in typing. */
const date = z.iso.date(key('SERIES_FORM.DATE_INVALID')).regex(/^20/, key('SERIES_FORM.DATE_INVALID'))

const weekday = z.literal(weekdays, key('SERIES_FORM.WEEKDAYS_REQUIRED'))

/** A day of a month. In a month without a 29th, 30th or 31st that day is the month's last. */
export const MonthDay = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('day'), day: whole(31, 'SERIES_FORM.DAY_INVALID') }),
    z.object({ kind: z.literal('last') }),
    z.object({
      kind: z.literal('weekday'),
      nth: z.literal(weekdayPlaces, key('SERIES_FORM.MONTH_DAY_REQUIRED')),
      weekday,
    }),
  ],
  key('SERIES_FORM.MONTH_DAY_REQUIRED'),
)
export type MonthDay = z.output<typeof MonthDay>

const Times = z
  .array(timeOfDay(key('SERIES_FORM.TIME_INVALID')), key('SERIES_FORM.TIMES_INVALID'))
  .min(1, key('SERIES_FORM.TIMES_INVALID'))
  .max(limits.seriesTimes, { error: key('SERIES_FORM.TIMES_INVALID'), abort: true })
  .superRefine((times, context) => {
    for (const [index, time] of times.entries())
      if (times.indexOf(time) < index)
        context.addIssue({ code: 'custom', path: [index], message: key('SERIES_FORM.TIME_TWICE') })
  })
  .overwrite((times) => times.toSorted())

const every = {
  every: whole(limits.seriesEvery, 'SERIES_FORM.EVERY_INVALID').meta({
    description: 'Every so many days, weeks, months or years, counted from `startsOn`',
  }),
  times: Times.meta({ description: 'The local times of each day, HH:MM' }),
  startsOn: date,
  endsOn: date.nullable().meta({ description: 'The last day. Null: no end' }),
  runLimit: whole(limits.seriesRuns, 'SERIES_FORM.RUNS_INVALID')
    .nullable()
    .meta({ description: 'The number of runs, counted from `startsOn`. Null: no limit' }),
  timeZone: TimeZone,
}

const Rule = z.discriminatedUnion(
  'frequency',
  [
    z.object({ frequency: z.literal('day'), ...every }),
    z.object({
      frequency: z.literal('week'),
      weekdays: z
        .array(weekday, key('SERIES_FORM.WEEKDAYS_REQUIRED'))
        .min(1, key('SERIES_FORM.WEEKDAYS_REQUIRED'))
        .max(weekdays.length, key('SERIES_FORM.WEEKDAYS_REQUIRED'))
        .overwrite((days) => [...new Set(days)].toSorted()),
      ...every,
    }),
    z.object({ frequency: z.literal('month'), monthDay: MonthDay, ...every }),
    z.object({
      frequency: z.literal('year'),
      month: whole(12, 'SERIES_FORM.MONTH_REQUIRED'),
      monthDay: MonthDay,
      ...every,
    }),
  ],
  key('SERIES_FORM.FREQUENCY_REQUIRED'),
)

/**
 * The days and times at which a series sends, by the wall clock of its zone. `occurrences` of the server has the
 * instants, `describeRule` the words.
 */
export const SeriesRule = Rule.refine(({ startsOn, endsOn }) => endsOn === null || !(endsOn < startsOn), {
  path: ['endsOn'],
  message: key('SERIES_FORM.ENDS_TOO_EARLY'),
  when: isForm,
})
  .refine(isDayOfMonth, {
    path: ['monthDay', 'day'],
    message: key('SERIES_FORM.DAY_NOT_IN_MONTH'),
  })
  .meta({ id: 'SeriesRule' })
export type SeriesRule = z.output<typeof SeriesRule>

/** Whether a day that a yearly rule names occurs in leap years at least. */
function isDayOfMonth(rule: z.output<typeof Rule>): boolean {
  if (rule.frequency !== 'year' || rule.monthDay.kind !== 'day') return true
  return rule.monthDay.day <= (DAYS_OF_MONTH[rule.month - 1] ?? 31)
}
