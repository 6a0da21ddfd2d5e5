import { lastDigits, mix } from './hash.ts'
import { familyNames, givenNames } from './names.ts'

/** People per channel. The number is prime, so any stride visits everyone once. */
export const peopleCount = 4099
/** The numbers of two people next to each other differ by this, times ten. */
const STRIDE = 7919
/** STRIDE times this is 1 modulo 1,000,000. */
const INVERSE = 17679

/**
 * Returns a person's phone number: 11 digits without `+`. The last digit is never 0, so every person is on WhatsApp.
 * Numbers are unique within a channel, because STRIDE and 1,000,000 share no factor.
 */
export function personNumber(seed: number, person: number): string {
  return `8493${lastDigits(seed + person * STRIDE, 6)}${1 + (person % 9)}`
}

/** Returns the number that a channel links with, unless a pairing code names another. */
export function ownNumber(seed: number): string {
  return `8490${lastDigits(seed, 6)}${1 + (seed % 9)}`
}

/** Every tenth person hides the number: WhatsApp shows the LID in its place. */
export const hidesNumber = (person: number): boolean => person % 10 === 9

/** Returns a person's LID, by which WhatsApp names whoever hides the number. `personOf` reads the person back. */
export function personLid(seed: number, person: number): string {
  return `1${lastDigits(mix(seed, person), 10)}${lastDigits(person, 4)}@lid`
}

/** Returns the LID of a number on WhatsApp, which belongs to one of the channel's people or to a stranger. */
export function lidOf(seed: number, number: string): string {
  const person = personOf(seed, number)
  if (person !== undefined) return personLid(seed, person)
  return `2${lastDigits(mix(seed, Number(number.slice(-9))), 10)}${number.slice(-4)}@lid`
}

/** Returns the number behind the LID of one of the channel's people, unless that person hides the number. */
export function numberOf(seed: number, lid: string): string | undefined {
  const person = personOf(seed, lid)
  return person === undefined || hidesNumber(person) ? undefined : personNumber(seed, person)
}

/** Returns the person with this number or LID, or undefined if the channel's people have nobody like that. */
function personOf(seed: number, id: string): number | undefined {
  const person = id.endsWith('@lid')
    ? Number(id.slice(-8, -4))
    : ((((Number(id.slice(4, 10)) - seed) % 1_000_000) + 1_000_000) * INVERSE) % 1_000_000
  if (!(person < peopleCount)) return undefined
  return [personNumber(seed, person), personLid(seed, person)].includes(id) ? person : undefined
}

/** An entry of a channel's contacts, as Whapi's OpenAPI file 1.8.7 has it. */
export interface Contact {
  /** Digits, or `…@lid` where WhatsApp hides the number. */
  id: string
  /** The name in the address book; empty if it has none. */
  name: string
  /** The name that people give themselves. */
  pushname: string
  /** Whether the address book of the phone has the contact. */
  saved: boolean
}

const tens = Math.floor(peopleCount / 10)
/** The order of the list, by the last digit of a person. The nameless fill whole pages. */
const listed = [[7, 8], [0, 1, 2, 3, 4, 5, 6], [9]]

/** Contacts per channel. */
export const contactCount = tens * 10

/**
 * Returns the n-th contact, n from 0. First come 818 without a name, then 2,863 of the address book, then 409 who hide
 * their number and are known by a name of their own.
 */
export function contactAt(seed: number, n: number): Contact {
  let place = n
  for (const digits of listed) {
    const length = tens * digits.length
    if (place < length) {
      const person = Math.floor(place / digits.length) * 10 + (digits[place % digits.length] ?? 0)
      return contactOf(seed, person)
    }
    place -= length
  }
  throw new RangeError(`There is no contact ${n}.`)
}

/** Returns the contact with this id, or undefined if there is none. */
export function findContact(seed: number, id: string): Contact | undefined {
  const person = personOf(seed, id)
  if (person === undefined || person >= contactCount) return undefined
  const contact = contactOf(seed, person)
  return contact.id === id ? contact : undefined
}

function contactOf(seed: number, person: number): Contact {
  const digit = person % 10
  const isNameless = digit === 7 || digit === 8
  const saved = digit < 7
  const chance = mix(seed, person)
  const givenName = givenNames[(chance >>> 8) % givenNames.length] ?? ''
  return {
    id: hidesNumber(person) ? personLid(seed, person) : personNumber(seed, person),
    name: saved ? `${familyNames[chance % familyNames.length]} ${givenName}` : '',
    pushname: isNameless ? '' : givenName,
    saved,
  }
}
