import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { readPhoneNumber } from '../../platform/phone-number.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import type { Person } from './places.ts'

/** A number, and its keyed hash for the audit log. */
export type HashedNumber = { phone: string; hash: string }

/** Enough to compare two entries. */
const HASH_CHARACTERS = 16

export async function readNumber(db: Pool, typed: string, country: CountryCode): Promise<HashedNumber> {
  const phone = readPhoneNumber(typed, country)
  if (phone === null) throw new InvalidInput({ phoneNumber: 'PERSONAL_DATA.PHONE_INVALID' })
  const { hash } = await db.begin((tx) =>
    tx.one<{ hash: string | null }>(sql`select encode(number_hash('phone', ${phone}), 'hex') as hash`),
  )
  if (hash === null) throw new Refusal('number_key_missing')
  return { phone, hash: hash.slice(0, HASH_CHARACTERS) }
}

type Identity = { kind: string; value: string }

/**
 * `select` of the identities of a number: what the provider ties to it, and to the other number by which WhatsApp knows
 * its contact. A contact keeps that one for longer than the check of the number is kept.
 */
export const identitiesOf = (phone: string) => sql`
  select distinct sender.kind, sender.value
  from (
    select ${phone}::text as form
    union select whatsapp_phone from contact_identities
      where kind = 'phone' and value = ${phone} and whatsapp_phone is not null
    union select value from contact_identities where kind = 'phone' and whatsapp_phone = ${phone}
  ) forms, lateral same_sender('phone', form) sender`

export async function findPerson(db: Db, phone: string): Promise<Person> {
  const found = await db.many<Identity>(identitiesOf(phone))
  return personOf(found.map(({ kind, value }) => `${kind} ${value}`))
}

/** From the identities of a request: `phone 849…`, `lid 111`. */
export function personOf(identities: readonly string[]): Person {
  const of = (wanted: string) =>
    identities.map((one) => one.split(' ')).flatMap(([kind, value = '']) => (kind === wanted ? [value] : []))
  const [phones, lids] = [of('phone'), of('lid')]
  const chats = [...phones.map((value) => `${value}@s.whatsapp.net`), ...lids.map((value) => `${value}@lid`)]
  // Groups list hidden members as `111@lid`.
  const values = [...phones, ...lids, ...lids.map((lid) => `${lid}@lid`)]
  const spelled = [...phones.map(digitsOfEachSpelling), ...lids]
  return { phones, lids, values, chats, spelled }
}

/** Shorter digits would be in other numbers. */
const MIN_DIGITS = 8

/** People write a number with or without the country. */
function digitsOfEachSpelling(phone: string): string {
  const national = parsePhoneNumberFromString(`+${phone}`)?.nationalNumber ?? ''
  return national.length >= MIN_DIGITS ? national : phone
}
