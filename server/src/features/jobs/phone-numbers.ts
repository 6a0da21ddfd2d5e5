import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'

export type PhoneNumbers = {
  /** In E.164 without +, each number once, in the order of the text. */
  numbers: string[]
  /** How many entries repeat an earlier number. */
  duplicates: number
  /** The entries that are no phone numbers, as they were written. */
  unreadable: string[]
}

/** Parsing 100,000 numbers takes half a second or more, so other requests get a turn after each batch. */
const BATCH_SIZE = 200

/** Parses phone numbers that are separated by commas, semicolons, tabs or new lines. */
export async function readPhoneNumbers(text: string, defaultCountry: CountryCode): Promise<PhoneNumbers> {
  const numbers = new Set<string>()
  let duplicates = 0
  const unreadable: string[] = []
  let read = 0
  for (const [written] of text.matchAll(/[^,;\t\r\n]+/g)) {
    const part = written.trim()
    if (!part) continue
    if (++read % BATCH_SIZE === 0) await yieldToOthers()
    const number = readPhoneNumber(part, defaultCountry)
    if (!number) unreadable.push(part)
    else if (numbers.has(number)) duplicates++
    else numbers.add(number)
  }
  return { numbers: [...numbers], duplicates, unreadable }
}

/**
 * Checks only the length: numbering plans change more often than we release, and WhatsApp knows which numbers exist.
 */
function readPhoneNumber(written: string, defaultCountry: CountryCode): string | null {
  const number = parsePhoneNumberFromString(written, { defaultCountry, extract: false })
  return number?.isPossible() && !number.ext ? number.number.slice(1) : null
}
