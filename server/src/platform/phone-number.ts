import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'

/** The library's time grows with the square of the length, for example with many spaces. */
const MAX_LENGTH = 60

/**
 * Returns a phone number in E.164 without +, or null. Checks only the length: numbering plans change more often than we
 * release, and WhatsApp knows which numbers exist.
 */
export function readPhoneNumber(written: string, defaultCountry: CountryCode): string | null {
  if (written.length > MAX_LENGTH) return null
  const number = parsePhoneNumberFromString(written, { defaultCountry, extract: false })
  return number?.isPossible() && !number.ext ? number.number.slice(1) : null
}
