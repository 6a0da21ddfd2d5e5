import { setImmediate as breathe } from 'node:timers/promises'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'

export type PhoneNumbers = {
  /** E.164 without +, each once, in the order given. */
  numbers: string[]
  /** How many were written once more. */
  doubles: number
  /** What could not be read, as it was written. */
  unreadable: string[]
}

/** A list of 100,000 numbers takes half a second or more to read: other requests get their turn in between. */
const AT_ONCE = 200

/** Reads a text of phone numbers, apart by commas, semicolons, tabs or new lines. */
export async function readPhoneNumbers(text: string, defaultCountry: CountryCode): Promise<PhoneNumbers> {
  const numbers = new Set<string>()
  let doubles = 0
  const unreadable: string[] = []
  let read = 0
  for (const [written] of text.matchAll(/[^,;\t\r\n]+/g)) {
    const part = written.trim()
    if (!part) continue
    if (++read % AT_ONCE === 0) await breathe()
    const number = readPhoneNumber(part, defaultCountry)
    if (!number) unreadable.push(part)
    else if (numbers.has(number)) doubles++
    else numbers.add(number)
  }
  return { numbers: [...numbers], doubles, unreadable }
}

/** Only the length is judged: numbering plans change faster than we release, WhatsApp knows who is there. */
function readPhoneNumber(written: string, defaultCountry: CountryCode): string | null {
  const number = parsePhoneNumberFromString(written, { defaultCountry, extract: false })
  return number?.isPossible() && !number.ext ? number.number.slice(1) : null
}
