import type { Contact, ContactChoice, ContactSearch } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import type { Caller } from '../../platform/access.ts'
import { contactPage, contactRow } from '../../platform/contacts/contact-row.ts'
import { matches, rowsToCount } from '../../platform/contacts/filter.ts'
import { canSeeContact } from '../../platform/contacts/lists.ts'
import { readCounts } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

export async function searchContacts(db: Db, caller: Caller, query: ContactSearch) {
  const {
    search,
    tagIds,
    fields,
    listId = null,
    importId = null,
    isOptedOut = false,
    onWhatsapp = null,
  } = query
  const hasFilter =
    isOptedOut ||
    search !== '' ||
    tagIds.length > 0 ||
    fields.length > 0 ||
    (listId ?? importId ?? onWhatsapp) !== null
  return contactPage(db, query, {
    condition: await matches(db, query),
    countFrom: () => rowsToCount(db, query),
    countKey: ['contacts', search, tagIds, fields, listId, importId, isOptedOut, onWhatsapp],
    total: hasFilter ? undefined : async () => (await readCounts(db, caller)).contacts,
  })
}

/** Finds the first contacts, by name, that the caller sees and that have a number to send to. */
export async function findChoices(db: Db, caller: Caller, search: string): Promise<ContactChoice[]> {
  const matchesSearch = await matches(db, { search, tagIds: [], fields: [] })
  return db.many<ContactChoice>(sql`
    select c.id, c.name, '+' || i.value as phone_number
    from contacts c join contact_identities i on i.contact_id = c.id and i.is_primary
    where ${matchesSearch} and ${await canSeeContact(db, caller)}
    order by c.name, c.id limit ${limits.contactChoicesAtOnce}`)
}

/** So many rows take less than 8 MB, even if each is as long as it can be. */
const CONTACTS_AT_ONCE = 500

/** Returns the next contacts behind the one with the id `after`, by id. */
export const listContactsAfter = (db: Db, selected: Sql, after: number) =>
  db.many<Contact>(sql`
    ${contactRow} from contacts c where ${selected} and c.id > ${after} order by c.id limit ${CONTACTS_AT_ONCE}`)

export async function findContact(db: Db, id: number): Promise<Contact | null> {
  const contact = await db.maybeOne<Contact>(sql`${contactRow} from contacts c where c.id = ${id}`)
  return contact ?? null
}

/** The form's part of the contact's own row. The first of the numbers is the primary one. */
export type ContactRow = Pick<Contact, 'name' | 'note'> & { numbers: readonly string[] }

export async function insertContact(
  tx: Db,
  caller: Caller,
  { name, note, numbers }: ContactRow,
): Promise<number> {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into contacts (name, note, numbers, source, source_name)
    values (${name}, ${note}, ${numbers.join(' ')}, 'form', ${caller.username})
    returning id`)
  return id
}

/** Returns the version before the update, or null if there is no such contact. */
export async function updateContact(
  tx: Db,
  id: number,
  { name, note, numbers }: ContactRow,
): Promise<number | null> {
  const updated = await tx.maybeOne<{ before: number }>(sql`
    update contacts set name = ${name}, note = ${note}, numbers = ${numbers.join(' ')}, version = version + 1,
      changed_at = clock_now()
    where id = ${id}
    returning version - 1 as before`)
  return updated?.before ?? null
}

/**
 * Replaces the phone numbers of a contact. Returns the first one that belongs to another contact. New numbers come
 * before the old ones go: two calls that exchange the numbers of two contacts would wait for each other otherwise.
 */
export async function replaceNumbers(tx: Db, id: number, numbers: readonly string[]): Promise<string | null> {
  // Always in this order, because two calls may insert the same numbers.
  await tx.run(sql`
    insert into contact_identities (contact_id, kind, value)
    select ${id}, 'phone', value from unnest(${numbers}::text[]) value order by value
    on conflict do nothing`)
  // Also one whose contact has been deleted since the insert: it is not this contact's.
  const taken = await tx.maybeOne<{ number: string }>(sql`
    select number from unnest(${numbers}::text[]) number
    where not exists (
      select from contact_identities where kind = 'phone' and value = number and contact_id = ${id}
    ) order by number limit 1`)
  if (taken) return taken.number
  const first = numbers[0] ?? null
  await tx.run(sql`
    delete from contact_identities
    where contact_id = ${id} and kind = 'phone' and value <> all(${numbers}::text[])`)
  await tx.run(sql`
    update contact_identities set is_primary = false
    where contact_id = ${id} and is_primary and value is distinct from ${first}`)
  await tx.run(sql`
    update contact_identities set is_primary = true
    where contact_id = ${id} and kind = 'phone' and value = ${first} and not is_primary`)
  return null
}

/** The spelling of each value, by the id of its field. */
export type Spellings = ReadonlyMap<number, string>

export async function replaceValues(tx: Db, id: number, spellings: Spellings): Promise<void> {
  await tx.run(sql`
    delete from contact_values where contact_id = ${id} and field_id <> all(${[...spellings.keys()]}::bigint[])`)
  await tx.run(sql`
    insert into contact_values (contact_id, field_id, value)
    select ${id}, field_id, value
    from unnest(${[...spellings.keys()]}::bigint[], ${[...spellings.values()]}::text[]) as given (field_id, value)
    on conflict (contact_id, field_id) do update set value = excluded.value
      where contact_values.value <> excluded.value`)
}

/** Deletes contacts up to the limit of a call, and returns their ids. */
export async function deleteContacts(tx: Db, selected: Sql): Promise<number[]> {
  const deleted = await tx.many<{ id: number }>(sql`
    with selected as materialized (
      select c.id from contacts c where ${selected} order by c.id limit ${limits.contactsAtOnce} for update
    ), off_lists as (
      -- At once. The foreign key would count the lists of each contact alone.
      delete from list_contacts where contact_id in (select id from selected)
    )
    delete from contacts where id in (select id from selected) returning id`)
  return deleted.map(({ id }) => id)
}

export type TagIds = { add: readonly number[]; remove: readonly number[] }

/** Adds and removes tags of contacts that this changes, up to the limit of a call. Returns their ids. */
export async function changeTags(tx: Db, selected: Sql, { add, remove }: TagIds): Promise<number[]> {
  const changed = await tx.many<{ id: number }>(sql`
    with changed as materialized (
      select c.id from contacts c
      where ${selected} and (
        exists (
          select from unnest(${add}::bigint[]) wanted
          where not exists (select from contact_tags t where t.contact_id = c.id and t.tag_id = wanted)
        ) or exists (select from contact_tags t where t.contact_id = c.id and t.tag_id = any(${remove}::bigint[]))
      )
      order by c.id limit ${limits.contactsAtOnce} for no key update
    ), gone as (
      delete from contact_tags t using changed where t.contact_id = changed.id and t.tag_id = any(${remove}::bigint[])
    ), added as (
      insert into contact_tags (contact_id, tag_id)
      select changed.id, wanted from changed, unnest(${add}::bigint[]) wanted
      on conflict do nothing
    )
    select id from changed`)
  return changed.map(({ id }) => id)
}

/** Whether one of these contacts has more tags than a contact may have. */
export async function hasTooManyTags(tx: Db, ids: readonly number[]): Promise<boolean> {
  const crowded = await tx.maybeOne(sql`
    select from contact_tags where contact_id = any(${ids}::bigint[])
    group by contact_id having count(*) > ${limits.contactTags} limit 1`)
  return crowded !== undefined
}
