import { idOf } from '../../address.ts'

/** The calendar in its address: the month, or a single day of it; the present month without either. */
export type CalendarSearch = {
  month?: string
  day?: string
  view?: 'agenda'
  instance?: number
}

/** Reads it. Invalid values are dropped, since anybody can type an address. */
export function readCalendarSearch(raw: Record<string, unknown>): CalendarSearch {
  const instance = idOf({ id: String(raw.instance) })
  const [month, day] = [String(raw.month), String(raw.day)]
  return {
    ...(isMonth(month) && { month }),
    ...(isDay(day) && { day }),
    ...(raw.view === 'agenda' && { view: 'agenda' }),
    ...(instance && { instance }),
  }
}

const isDay = (text: string) => /^2[01]\d\d-\d\d-\d\d$/.test(text) && isInCalendar(text)

const isMonth = (text: string) => isDay(`${text}-01`)

/** JavaScript reads 30 February as a day of March. */
function isInCalendar(day: string): boolean {
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
