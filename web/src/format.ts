import { currentLocale } from './i18n/i18n.ts'

/** All times are shown in Vietnam's time zone (GMT+7), wherever the operator is. */
const timeZone = 'Asia/Ho_Chi_Minh'
const DAY_MS = 86_400_000

/** Short date and time, such as `11/21/26, 9:30 AM`; empty for null. */
export const formatDateTime = (iso: string | null) =>
  iso === null ? '' : format(iso, { dateStyle: 'short', timeStyle: 'short', timeZone })

/** Short date and time with seconds, for places where the order of events matters; empty for null. */
export const formatSecond = (iso: string | null) =>
  iso === null ? '' : format(iso, { dateStyle: 'short', timeStyle: 'medium', timeZone })

/** Short date, such as `11/21/26`; empty for null. */
export const formatDate = (iso: string | null) =>
  iso === null ? '' : format(iso, { dateStyle: 'short', timeZone })

/** A calendar day such as `2026-11-21`, with its whole year: `Nov 21, 2026`. */
export const formatDay = (day: string) =>
  spaced(new Date(day).toLocaleDateString(currentLocale(), { dateStyle: 'medium', timeZone: 'UTC' }))

export const formatNumber = (value: number) => value.toLocaleString(currentLocale())

/** Returns the sign between the thousands of a number, for numbers that are typed. */
export const thousandSeparator = () => formatNumber(11_111).replaceAll('1', '')

/** A percentage (0 to 100) with two decimals, such as `66.67%`. */
export const formatPercent = (percent: number) =>
  new Intl.NumberFormat(currentLocale(), {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(percent / 100)

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A number with its unit, such as `2 hr`. */
export function formatUnit(value: number, unit: string, unitDisplay: 'short' | 'long'): string {
  const text = new Intl.NumberFormat(currentLocale(), { style: 'unit', unit, unitDisplay }).format(value)
  return spaced(text)
}

/** Adds the space between digits and Chinese that our texts have. `Intl` writes none. */
export const spaced = (text: string) => text.replace(/\d(?=\p{sc=Han})|\p{sc=Han}(?=\d)/gu, '$& ')

/** A duration in its two largest units, such as `2 hr 5 min`. */
export function formatDuration(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / 1000))
  const largest = UNITS.findIndex(([, size]) => seconds >= size)
  return UNITS.slice(largest, largest === -1 ? undefined : largest + 2)
    .map(([unit, size], place) => {
      const amount = Math.floor(seconds / size)
      seconds -= amount * size
      return amount > 0 || place === 0 ? formatUnit(amount, unit, 'short') : ''
    })
    .join(' ')
    .trim()
}

/** The length of a video or audio as players show it, such as `2:05`. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 60) % 60, whole % 60]
  if (whole >= 3600) parts.unshift(Math.floor(whole / 3600))
  return parts.map((part, place) => (place === 0 ? `${part}` : `${part}`.padStart(2, '0'))).join(':')
}

/** The size of a file, such as `1.4 MB`. A megabyte has 1,024 kB, as in the limits of uploads. */
export function formatSize(bytes: number): string {
  const isSmall = bytes < 1024 * 1024
  const value = bytes / (isSmall ? 1024 : 1024 * 1024)
  const rounded = value < 10 ? Math.max(0.1, Math.round(value * 10) / 10) : Math.round(value)
  return formatUnit(rounded, isSmall ? 'kilobyte' : 'megabyte', 'short')
}

/** How long ago an instant was, in words, such as `2 hours ago`. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000))
  const [unit, size] = UNITS.find(([, unitSeconds]) => seconds >= unitSeconds) ?? (['second', 1] as const)
  const words = new Intl.RelativeTimeFormat(currentLocale(), { numeric: 'auto' })
  return spaced(words.format(-Math.floor(seconds / size), unit))
}

function format(iso: string, options: Intl.DateTimeFormatOptions) {
  const key = [currentLocale(), options.dateStyle, options.timeStyle].join()
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(currentLocale(), options)
  formatters.set(key, formatter)
  return formatter.format(new Date(iso))
}

/** Kept, because a page formats many dates and creating one takes a slow phone half a millisecond. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** The calendar day in Vietnam, as file names and date inputs write it: `2026-11-21`. */
export const dayOf = (instant: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(instant)

/** The minute in Vietnam, as date and time inputs write it: `2026-11-21T09:30`. */
export const minuteOf = (instant: Date) =>
  `${dayOf(instant)}T${new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(instant)}`

/** The instant (ISO 8601, UTC) of a minute in Vietnam. Returns other text unchanged, for the schema to refuse. */
export function instantAt(minute: string): string {
  const instant = new Date(`${minute}:00+07:00`)
  return Number.isNaN(instant.getTime()) ? minute : instant.toISOString()
}

/** Calendar days in Vietnam until an instant: 0 for today, negative for the past. */
export const daysUntil = (iso: string, now = new Date()) =>
  (Date.parse(dayOf(new Date(iso))) - Date.parse(dayOf(now))) / DAY_MS

/** Cuts a text after `length` characters and adds `...`. An emoji of several code points counts as one character. */
export function truncate(text: string, length: number): string {
  let count = 0
  characters ??= new Intl.Segmenter()
  for (const { index } of characters.segment(text)) {
    if (count === length) return `${text.slice(0, index)}...`
    count += 1
  }
  return text
}

/** Created on first use, because that takes a slow phone 40 ms. */
let characters: Intl.Segmenter | undefined
