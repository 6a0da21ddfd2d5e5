import { DAY_MS } from '@sendroom/contract/wall-clock'
import { spaced } from '../../format.ts'
import { currentLocale } from '../../i18n/i18n.ts'

// Days such as 2026-11-30 and months such as 2026-11, of Vietnam's calendar, as all dates of the pages.

export const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

export const monthOf = (day: string) => day.slice(0, 7)

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

/** The same day of another month, or its last day if it is shorter. */
export function addMonthsTo(day: string, months: number): string {
  const { from, days } = daysOfMonth(addMonths(monthOf(day), months))
  return addDays(from, Math.min(Number(day.slice(8)), days) - 1)
}

/** How many days a day is after the Monday of its week. */
const afterMonday = (day: string) => (new Date(day).getUTCDay() + 6) % 7

const weekend = 6

/** The day to which a key leads, as in a grid of dates. Null for other keys. */
export function dayByKey(day: string, key: string): string | null {
  if (key === 'ArrowLeft') return addDays(day, -1)
  if (key === 'ArrowRight') return addDays(day, 1)
  if (key === 'ArrowUp') return addDays(day, -7)
  if (key === 'ArrowDown') return addDays(day, 7)
  if (key === 'Home') return addDays(day, -afterMonday(day))
  if (key === 'End') return addDays(day, weekend - afterMonday(day))
  if (key === 'PageUp') return addMonthsTo(day, -1)
  if (key === 'PageDown') return addMonthsTo(day, 1)
  return null
}

/** The days that a call asks for. */
export type Span = { from: string; days: number }

export function daysOfMonth(month: string): Span {
  const from = `${month}-01`
  return { from, days: (Date.parse(`${addMonths(month, 1)}-01`) - Date.parse(from)) / DAY_MS }
}

/** The whole weeks, from Monday on, in which the month has days. */
export function weeksOfMonth(month: string): Span {
  const { from, days } = daysOfMonth(month)
  const before = afterMonday(from)
  return { from: addDays(from, -before), days: Math.ceil((before + days) / 7) * 7 }
}

const inWords = (day: string, options: Intl.DateTimeFormatOptions) =>
  spaced(new Date(day).toLocaleDateString(currentLocale(), { ...options, timeZone: 'UTC' }))

/** Such as `November 2026`. */
export const monthInWords = (month: string) => inWords(`${month}-01`, { month: 'long', year: 'numeric' })

/** Such as `Monday, November 30, 2026`. */
export const dayInWords = (day: string) => inWords(day, { dateStyle: 'full' })

export const weekdayOf = (day: string, weekday: 'short' | 'long') => inWords(day, { weekday })
