/** How a style shows numbers. `zeros`: so many digits at least, as 0901234567 with the format 0000000000. */
export type NumberFormat = 'plain' | 'date' | 'scientific' | { zeros: number }

/** The formats that every workbook has without naming them. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

export function numberFormatOf(id: number, code = ''): NumberFormat {
  if (id === 11 || id === 48) return 'scientific'
  if (isBuiltInDate(id)) return 'date'
  if (/^0{2,}$/.test(code)) return { zeros: code.length }
  const signs = code.replace(/"[^"]*"|\[(?!h+\]|m+\]|s+\])[^\]]*\]|[\\_*]./gi, '')
  if (/E[+-]/i.test(signs)) return 'scientific'
  return /[ymdhs]/i.test(signs.replace(/general/gi, '')) ? 'date' : 'plain'
}

/** Excel keeps this many digits of a number. */
const DIGITS = 15

/**
 * Excel gives the scientific format to numbers that it read as 8.49E+10, and shows at most six digits of a number in
 * this way. A number with more digits is intact.
 */
const SCIENTIFIC_DIGITS = 6

/**
 * Returns a stored number as text, and a date as 2026-11-25 or 2026-11-25 08:30:00. A number whose last digits Excel
 * has rounded away becomes a text such as 8.49E+10, as it is in a CSV.
 */
export function numberText(stored: string, format: NumberFormat, isFrom1904: boolean): string {
  const number = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(number)) return stored
  if (format === 'date') return dateText(number, isFrom1904) ?? stored
  const rounded = Number(number.toPrecision(DIGITS))
  const scientific = rounded.toExponential().replace('e', 'E')
  const digits = scientific.replace(/E.*|\D/g, '').length
  const isLost =
    format === 'scientific' && digits <= SCIENTIFIC_DIGITS && Math.abs(rounded) >= 10 ** SCIENTIFIC_DIGITS
  if (isLost || Math.abs(rounded) >= 10 ** DIGITS) return scientific
  return typeof format === 'object' ? String(rounded).padStart(format.zeros, '0') : String(rounded)
}

const DAY_SECONDS = 86_400
/** Excel counts days from 1899-12-30, or from 1904-01-01. */
const DAYS_UNTIL_1970 = 25_569
const DAYS_UNTIL_1904 = 1462
/** Excel believes that there was a 29 February 1900. */
const FALSE_LEAP_DAY = 60
const LAST_DAY = 2_958_465

function dateText(serial: number, isFrom1904: boolean): string | null {
  if (serial < 0 || serial > LAST_DAY) return null
  const days = isFrom1904 ? serial + DAYS_UNTIL_1904 : serial < FALSE_LEAP_DAY ? serial + 1 : serial
  const [day = '', time = ''] = new Date(Math.round((days - DAYS_UNTIL_1970) * DAY_SECONDS) * 1000)
    .toISOString()
    .split(/[T.]/)
  if (serial < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}
