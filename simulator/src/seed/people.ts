import { lastDigits, mix } from './hash.ts'
import { familyNames, givenNames } from './names.ts'

/** People per channel. The number is prime, so any stride visits everyone once. */
export const peopleCount = 4099
/** Seven of every ten contacts have a name. */
const namedOfTen = 7

/**
 * Returns a person's phone number: 11 digits without `+`. The last digit is never 0, so every person is on WhatsApp.
 * Numbers are unique within a channel, because 7919 and 1,000,000 share no factor.
 */
export function personNumber(seed: number, person: number): string {
  return `8493${lastDigits(seed + person * 7919, 6)}${1 + (person % 9)}`
}

/** Returns the number that a channel links with, unless a pairing code names another. */
export function ownNumber(seed: number): string {
  return `8490${lastDigits(seed, 6)}${1 + (seed % 9)}`
}

const tens = Math.floor(peopleCount / 10)
const namelessCount = tens * (10 - namedOfTen)

/** Contacts per channel. */
export const contactCount = tens * 10

/** Returns the n-th contact, n from 0. Contacts without a name come first and fill whole pages. */
export function contactAt(seed: number, n: number): { id: string; name: string; pushname: string } {
  if (n < namelessCount) return { id: personNumber(seed, namelessPerson(n)), name: '', pushname: '' }
  const person = namedPerson(n - namelessCount)
  const chance = mix(seed, person)
  const givenName = givenNames[(chance >>> 8) % givenNames.length] ?? ''
  return {
    id: personNumber(seed, person),
    name: `${familyNames[chance % familyNames.length]} ${givenName}`,
    pushname: givenName,
  }
}

function namedPerson(n: number): number {
  return Math.floor(n / namedOfTen) * 10 + (n % namedOfTen)
}

function namelessPerson(n: number): number {
  const ofTen = 10 - namedOfTen
  return Math.floor(n / ofTen) * 10 + namedOfTen + (n % ofTen)
}
