import type { ContactFieldType } from './contact-fields.ts'

/** The language and the customs of a country, which decide how values are written. */
function localeOf(country: string): string {
  const { language } = new Intl.Locale(`und-${country}`).maximize()
  // Digits of other scripts would not fit a text that somebody writes with these.
  return `${language}-${country}-u-nu-latn`
}

const YES_NO: Record<string, [yes: string, no: string]> = {
  vi: ['có', 'không'],
  en: ['yes', 'no'],
  zh: ['是', '否'],
}
const TURNS = /[\u061c\u200e\u200f]/gu

/**
 * Returns a function that writes a stored value as somebody in the country expects it in a text: 31/01/2026 and
 * 1.250.000,5 in Vietnam. Texts and choices stay as they are.
 */
export function valueWriter(country: string): (type: ContactFieldType, value: string) => string {
  const locale = localeOf(country)
  const day = new Intl.DateTimeFormat(locale, {
    ...{ day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC', calendar: 'gregory' },
  })
  // Four digits stay together, since most are years.
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: 'min2' })
  const [yes, no] = YES_NO[new Intl.Locale(locale).language] ?? ['yes', 'no']
  return (type, value) => {
    switch (type) {
      case 'date':
        return day.format(new Date(`${value}T00:00:00Z`)).replace(TURNS, '')
      case 'number':
        return number.format(Number(value)).replace(TURNS, '')
      case 'yesNo':
        return value === 'true' ? yes : no
      default:
        return value
    }
  }
}
