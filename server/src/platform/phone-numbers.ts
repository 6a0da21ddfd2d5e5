import { limits } from '@sendroom/contract/limits'
import type { CountryCode } from 'libphonenumber-js'
import type { HeavyContext } from './heavy/heavy-work.ts'
import type { Task } from './heavy/worker-thread.ts'
import { readPhoneNumber } from './phone-number.ts'
import { Refusal } from './refusal.ts'

export type PhoneNumbers = {
  /** In E.164 without +, each number once, in the order of the text. */
  numbers: string[]
  /** How many entries repeat an earlier number. */
  duplicates: number
  /** The entries that are no phone numbers: how many, and the first of them as they were written. */
  unreadable: { total: number; first: string[] }
}

export type PhoneText = { text: string; defaultCountry: CountryCode }

/** An entry begins at its first visible character and ends at a comma, semicolon, tab or new line. */
const entry = () => /[^\s,;][^,;\t\r\n]*/g

/** Leaves room for duplicates. Each entry costs up to a hundredth of a millisecond. */
const MAX_ENTRIES = 2 * limits.recipients

/** Finds out without parsing a number, and reads no further than needed. */
export function hasTooManyEntries(text: string): boolean {
  const next = entry()
  let count = 0
  while (count <= MAX_ENTRIES && next.test(text)) count++
  return count > MAX_ENTRIES
}

/**
 * Parses phone numbers that are separated by commas, semicolons, tabs or new lines. Returns null as soon as there are
 * more numbers than a job takes.
 */
export function readPhoneNumbers({ text, defaultCountry }: PhoneText): PhoneNumbers | null {
  if (hasTooManyEntries(text)) return null
  const numbers = new Set<string>()
  const unreadable: PhoneNumbers['unreadable'] = { total: 0, first: [] }
  let duplicates = 0
  for (const [found] of text.matchAll(entry())) {
    const written = found.trimEnd()
    const number = readPhoneNumber(written, defaultCountry)
    if (number === null) {
      if (unreadable.total++ < limits.previewNames) unreadable.first.push(written)
    } else if (numbers.has(number)) duplicates++
    else numbers.add(number)
    if (numbers.size > limits.recipients) return null
  }
  return { numbers: [...numbers], duplicates, unreadable }
}

export const readPhoneNumbersTask: Task<PhoneText, PhoneNumbers | null> = {
  module: import.meta.url,
  run: readPhoneNumbers,
}

/** Parses a large list in the worker thread. */
export async function readPhoneList(
  heavy: HeavyContext | null,
  text: string,
  defaultCountry: CountryCode,
): Promise<PhoneNumbers> {
  const input = { text, defaultCountry }
  const read = heavy ? await heavy.inWorker(readPhoneNumbersTask, input) : readPhoneNumbers(input)
  if (!read) throw new Refusal('too_many_recipients')
  return read
}
