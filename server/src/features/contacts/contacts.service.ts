import type {
  Changed,
  Contact,
  ContactChange,
  ContactSelection,
  NewContact,
  TagChange,
} from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import type { CountryCode } from 'libphonenumber-js'
import { type Begin, requireConfirmation } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import { isEmpty, spellingOf } from '../../platform/contacts/field-values.ts'
import { isSelected, selectedBy } from '../../platform/contacts/filter.ts'
import { lockFieldsForShare } from '../../platform/contacts/stored-fields.ts'
import { findOrMakeTags, findTags } from '../../platform/contacts/tags.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { readPhoneNumber } from '../../platform/phone-number.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import {
  changeTags,
  deleteContacts,
  findContact,
  hasTooManyTags,
  insertContact,
  replaceNumbers,
  replaceValues,
  type Spellings,
  type TagIds,
  updateContact,
} from './contacts.queries.ts'

/** The common part of both forms of a contact. */
type Form = Pick<NewContact, 'name' | 'note' | 'phoneNumbers' | 'values'>

export async function createContact(begin: Begin, form: NewContact, country: CountryCode): Promise<Contact> {
  const numbers = readNumbers(form, country)
  return begin(async (tx, caller) => {
    const tags = await readTags(tx, { add: form.tags, remove: [] })
    const id = await insertContact(tx, caller, { ...form, numbers })
    await writeParts(tx, id, form, numbers)
    await writeTags(tx, isSelected([id]), tags)
    await record(tx, caller, entryOf('contact.create', id))
    return orNotFound(await findContact(tx, id))
  })
}

export async function changeContact(
  begin: Begin,
  id: number,
  { version, addTags, removeTags, ...form }: ContactChange,
  country: CountryCode,
): Promise<Contact> {
  const numbers = readNumbers(form, country)
  return begin(async (tx, caller) => {
    const tags = await readTags(tx, { add: addTags, remove: removeTags })
    const before = await findContact(tx, id)
    requireVersion(version, orNotFound(await updateContact(tx, id, { ...form, numbers })))
    await writeParts(tx, id, form, numbers)
    await writeTags(tx, isSelected([id]), tags)
    const after = orNotFound(await findContact(tx, id))
    if (numbers.length === 0 && after.lid === null)
      throw new InvalidInput({ phoneNumbers: 'CONTACT_FORM.PHONES_INVALID' })
    await record(tx, caller, entryOf('contact.update', id, { fields: differing(before, after) }))
    return after
  })
}

const shown = ['name', 'note', 'phoneNumbers', 'tags', 'values'] as const

/** The names of what has changed. The audit log can't be changed, so it gets no values: somebody may be forgotten. */
const differing = (before: Contact | null, after: Contact) =>
  shown.filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after[field]))

/** Returns the numbers in E.164 without +, each once. */
function readNumbers({ phoneNumbers }: Form, country: CountryCode): string[] {
  const numbers = phoneNumbers.map((written) => readPhoneNumber(written, country))
  const wrong = numbers.flatMap((number, place) =>
    number === null ? [[`phoneNumbers.${place}`, 'CONTACT_FORM.PHONE_INVALID']] : [],
  )
  if (wrong.length > 0) throw new InvalidInput(Object.fromEntries(wrong))
  return [...new Set(numbers.filter((number) => number !== null))]
}

async function writeParts(tx: Tx, id: number, form: Form, numbers: readonly string[]) {
  const taken = await replaceNumbers(tx, id, numbers)
  if (taken !== null) throw new Refusal('number_taken', { number: `+${taken}` })
  await replaceValues(tx, id, await readValues(tx, form))
}

async function readValues(tx: Db, { values }: Form): Promise<Spellings> {
  const given = Object.entries(values).filter(([, value]) => !isEmpty(value))
  const fields = new Map((await lockFieldsForShare(tx)).map((field) => [field.key, field]))
  const spellings = new Map<number, string>()
  for (const [key, value] of given) {
    const field = fields.get(key)
    if (!field) throw new InvalidInput({ [`values.${key}`]: 'CONTACT_FORM.FIELD_UNKNOWN' })
    const spelling = value === null ? null : spellingOf(field, value)
    if (spelling === null) throw new InvalidInput({ [`values.${key}`]: 'CONTACT_FORM.VALUE_INVALID' })
    spellings.set(field.id, spelling)
  }
  return spellings
}

/**
 * Finds the tags with these names, and makes missing ones. Comes before any contact is locked: otherwise two calls that
 * make tags would wait for each other.
 */
async function readTags(
  tx: Db,
  names: { add: readonly string[]; remove: readonly string[] },
): Promise<TagIds> {
  const remove = (await findTags(tx, names.remove)).map(({ id }) => id)
  const tags = await findOrMakeTags(tx, names.add)
  if (tags === null) throw new Refusal('too_many_tags')
  return { add: tags.map(({ id }) => id).filter((id) => !remove.includes(id)), remove }
}

/** Returns how many contacts it has changed. */
async function writeTags(tx: Db, selected: Sql, tags: TagIds): Promise<number> {
  const changed = await changeTags(tx, selected, tags)
  if (tags.add.length > 0 && (await hasTooManyTags(tx, changed))) throw new Refusal('contact_tags_full')
  return changed.length
}

export const removeContact = (begin: Begin, id: number) =>
  begin(async (tx, caller) => {
    const deleted = await deleteContacts(tx, isSelected([id]))
    if (deleted.length === 0) throw new Refusal('not_found')
    await record(tx, caller, entryOf('contact.delete', id))
  })

export const removeContacts = (begin: Begin, selection: ContactSelection): Promise<Changed> =>
  begin(async (tx, caller) => {
    if (selection.filter) requireConfirmation(caller)
    await forBulkWrites(tx)
    const ids = await deleteContacts(tx, await selectedBy(tx, selection))
    await record(
      tx,
      caller,
      ...(selection.filter ? [manyDeleted(ids)] : ids.map((id) => entryOf('contact.delete', id))),
    )
    return changedOf(ids.length)
  })

/** A filter may find ten thousand contacts, so they have one entry together. */
const manyDeleted = (ids: readonly number[]): Entry => ({
  action: 'contact.delete',
  details: { count: ids.length },
})

export const tagContacts = (begin: Begin, { add, remove, ...selection }: TagChange): Promise<Changed> =>
  begin(async (tx, caller) => {
    await forBulkWrites(tx)
    const tags = await readTags(tx, { add, remove })
    const count = await writeTags(tx, await selectedBy(tx, selection), tags)
    await record(tx, caller, { action: 'contact.tag', details: { count, add, remove } })
    return changedOf(count)
  })

const changedOf = (count: number): Changed => ({ count, hasMore: count === limits.contactsAtOnce })

const entryOf = (action: Entry['action'], id: number, details: object = {}): Entry => ({
  action,
  object: { type: 'contact', id, name: '' },
  details: { ...details },
})
