import { spaced } from '../../../format.ts'
import { currentLocale } from '../../../i18n/i18n.ts'

/** Names a weekday, from 1 for Monday, in the current language. */
export const weekdayName = (weekday: number, style: 'short' | 'long') =>
  // 5 January 1970 was a Monday.
  new Date(Date.UTC(1970, 0, 4 + weekday)).toLocaleDateString(currentLocale(), {
    weekday: style,
    timeZone: 'UTC',
  })

/** Names a month, from 1 for January. */
export const monthName = (month: number) =>
  spaced(
    new Date(Date.UTC(1970, month - 1)).toLocaleDateString(currentLocale(), {
      month: 'long',
      timeZone: 'UTC',
    }),
  )

/** When a run is due by the clock of the series: `Mon, 11/30/2026, 09:00`. */
export const formatRun = (instant: string, timeZone: string) =>
  spaced(
    new Date(instant).toLocaleString(currentLocale(), {
      ...{ weekday: 'short', day: 'numeric', month: 'numeric', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone },
    }),
  )
