import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'

/** The library's time grows with the square of the length, for example with many spaces. */
const MAX_LENGTH = 60

/**
 * Checks only the length: numbering plans change more often than we release, and WhatsApp knows which numbers exist.
 */
export function parsePhoneNumber(written: string, defaultCountry: CountryCode): PhoneNumber | null {
  if (written.length > MAX_LENGTH) return null
  const number = parsePhoneNumberFromString(written, { defaultCountry, extract: false })
  return number?.isPossible() && !number.ext ? number : null
}

/** Returns a phone number in E.164 without +, or null. */
export const readPhoneNumber = (written: string, defaultCountry: CountryCode): string | null =>
  parsePhoneNumber(written, defaultCountry)?.number.slice(1) ?? null
