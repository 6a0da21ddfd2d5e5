import type { ContactField } from '@sendroom/contract/contact-fields'
import type { Contact } from '@sendroom/contract/contacts'
import { type Difference, differenceOf } from '../../forms/differences.tsx'
import { enumerated } from '../../i18n/punctuation.ts'

export type FieldValue = Contact['values'][string] | null

/** The values of the form. A field without a value has null. */
export type ContactValues = {
  name: string
  note: string
  phoneNumbers: string[]
  tags: string[]
  values: Record<string, FieldValue>
}

export const blank: ContactValues = { name: '', note: '', phoneNumbers: [''], tags: [], values: {} }

export const valuesOf = ({ name, note, phoneNumbers, tags, values }: Contact): ContactValues => ({
  name,
  note,
  phoneNumbers,
  tags: tags.map((tag) => tag.name),
  values,
})

/** The tags that the user has added and removed. */
export function tagChange(before: readonly string[], now: readonly string[]) {
  const without = (tags: readonly string[], others: readonly string[]) =>
    tags.filter((tag) => !others.some((other) => other.toLowerCase() === tag.toLowerCase()))
  return { addTags: without(now, before), removeTags: without(before, now) }
}

/** Tags are left out: each save adds and removes some, so that it overwrites nobody's. */
export const compareContact =
  (fields: readonly ContactField[]) =>
  (mine: ContactValues, theirs: Contact): Difference[] => [
    ...differenceOf('CONTACT.NAME', mine.name, theirs.name),
    ...differenceOf('CONTACT.NUMBERS', enumerated(mine.phoneNumbers), enumerated(theirs.phoneNumbers)),
    ...fields.flatMap(({ key, name }) =>
      differenceOf<FieldValue>(name, mine.values[key] || null, theirs.values[key] || null),
    ),
    ...differenceOf('CONTACT.NOTE', mine.note, theirs.note),
  ]
