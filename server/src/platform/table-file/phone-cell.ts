import type { CountryCode, PhoneNumber } from 'libphonenumber-js'
import { parsePhoneNumber } from '../phone-number.ts'

/**
 * Why a cell is no phone number that can be used:
 * - `missing`: the cell is empty;
 * - `destroyed`: a spreadsheet has rounded the number, such as 8.49E+10, and its digits are gone;
 * - `lost_zero`: a national number without its leading 0, which a spreadsheet drops from numbers;
 * - `renumbered`: a Vietnamese mobile number of 11 digits, as they were until 2018;
 * - `unreadable`: anything else.
 */
export type PhoneFault = 'missing' | 'destroyed' | 'lost_zero' | 'renumbered' | 'unreadable'

/**
 * The number in E.164 without +, or why there is none. `likely` is the number that was probably meant. It is for
 * people to confirm, and is never used unasked.
 */
export type PhoneCell = { number: string } | { fault: PhoneFault; likely?: string }

/** Reads the cell of a column of phone numbers. */
export function readPhoneCell(cell: string, defaultCountry: CountryCode): PhoneCell {
  const written = withoutFraction(unwrap(cell)).replace(/^\((\+\d{1,3})\)/, '$1')
  if (written === '') return { fault: 'missing' }
  if (isRounded(written)) return { fault: 'destroyed' }
  const number = parsePhoneNumber(written, defaultCountry)
  if (!number) return { fault: 'unreadable' }
  const renumbered = renumber(number)
  if (renumbered) return { fault: 'renumbered', likely: renumbered }
  const digits = number.number.slice(1)
  return hasLostZero(number, written) ? { fault: 'lost_zero', likely: digits } : { number: digits }
}

/**
 * Removes what only keeps a number from being changed or turned around: the apostrophe and the formula ="090…" that
 * make it a text in a spreadsheet, and the invisible marks of numbers that were copied from a phone's address book.
 */
const unwrap = (cell: string) =>
  cell
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^['’]/, '')
    .trim()

/** Programs that take the column for decimal numbers append .0 or .00 to each of them. */
const withoutFraction = (written: string) => written.replace(/^(\+?\d{8,15})[.,]00?$/, '$1')

/**
 * Excel shows long numbers as 8.49E+10 and writes this into a CSV file. After 15 digits it replaces all others by
 * zeros.
 */
const isRounded = (written: string) =>
  /^[+-]?\d+(?:[.,]\d*)?E\+?\d+$/i.test(written) || /^\d{15}0+$/.test(written)

/**
 * A number without + and country code, in a country where such numbers begin with 0. Chinese mobile numbers, for
 * example, do not.
 */
function hasLostZero(number: PhoneNumber, written: string): boolean {
  const digits = written.replace(/\D/g, '')
  return (
    !written.startsWith('+') &&
    digits === number.nationalNumber &&
    number.formatNational().replace(/\D/g, '') === `0${digits}`
  )
}

/** Vietnam replaced these prefixes in September 2018, when mobile numbers became ten digits long with their 0. */
const VIETNAMESE_PREFIXES: Record<string, string> = {
  120: '70',
  121: '79',
  122: '77',
  123: '83',
  124: '84',
  125: '85',
  126: '76',
  127: '81',
  128: '78',
  129: '82',
  162: '32',
  163: '33',
  164: '34',
  165: '35',
  166: '36',
  167: '37',
  168: '38',
  169: '39',
  186: '56',
  188: '58',
  199: '59',
}

function renumber({ countryCallingCode, nationalNumber }: PhoneNumber): string | null {
  const prefix = VIETNAMESE_PREFIXES[nationalNumber.slice(0, 3)]
  if (countryCallingCode !== '84' || nationalNumber.length !== 10 || !prefix) return null
  return `84${prefix}${nationalNumber.slice(3)}`
}
