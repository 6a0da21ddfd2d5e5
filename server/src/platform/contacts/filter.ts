import type { ContactFilter, ContactSelection } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import type { ListFilter } from '@sendroom/contract/lists'
import type { NumberAnswer } from '@sendroom/contract/number-answers'
import { normalize } from '@sendroom/contract/search-text'
import type { Db } from '../database/connection.ts'
import { join, type Sql, sql } from '../database/sql.ts'
import { InvalidInput } from '../refusal.ts'
import { searchCondition } from '../search.ts'
import { spellingOf } from './field-values.ts'
import { readFields, type StoredField } from './stored-fields.ts'

/** So many contacts are found by their ids. More are so near to each other in a list that walking it finds a page. */
const FEW = 3000
/** Planning takes exponentially longer with each further table that PostgreSQL may join in any order. */
const MAX_JOINED = 3

/** SQL condition of a bulk call: the contact `c` is one of these, or matches. */
export const selectedBy = async (db: Db, { ids, filter }: ContactSelection): Promise<Sql> =>
  filter ? matches(db, filter) : isSelected(ids ?? [])

export const isSelected = (ids: readonly number[]) => sql`c.id = any(${ids}::bigint[])`

/** SQL condition: the contact `c` matches the filter. */
export async function matches(db: Db, filter: ContactFilter): Promise<Sql> {
  const list = filter.listId ? await findStoredList(db, filter.listId) : null
  return list === undefined ? sql`false` : matchesAll(db, filter, list)
}

/** A list that does not exist has no contacts, like a tag that does not. */
const findStoredList = (db: Db, id: number) =>
  db.maybeOne<StoredList>(sql`select id, filter from lists where id = ${id}`)

/** A list as a condition needs it. */
export type StoredList = { id: number; filter: ListFilter | null }

/** SQL condition: the contact `c` is in the list. */
export const isInList = (db: Db, list: StoredList): Promise<Sql> => matchesAll(db, EVERYBODY, list)

/** `from … where …` with a row `c` for each contact in the list, for all of them. Contacts are read only if needed. */
export const inList = async (db: Db, list: StoredList): Promise<Sql> =>
  (await rowsOf(db, EVERYBODY, list)) ?? sql`from contacts c where ${await isInList(db, list)}`

export const fixedOf = (lists: readonly StoredList[]): number[] =>
  lists.filter(({ filter }) => !filter).map(({ id }) => id)

/** The rows of contacts in one of these fixed lists. */
export const inFixed = (ids: readonly number[]) =>
  sql`from list_contacts where list_id = any(${ids}::bigint[])`

/** SQL condition: the contact `c` is in one of these fixed lists. */
export const isInFixed = async (db: Db, ids: readonly number[]): Promise<Sql> =>
  join(await hasAll(db, [inFixed(ids)]), ' and ')

/**
 * SQL condition: the contact `c` is in one of the lists. For few contacts, which are looked for in each list: a
 * thousand lists are not asked for their sizes one by one.
 */
export async function isInOneOf(db: Db, lists: readonly StoredList[]): Promise<Sql> {
  const fields = await readFields(db)
  const conditions = lists.flatMap(({ filter }) => (filter ? [matchesEach(filter, fields)] : []))
  return sql`(${join([isIn(inFixed(fixedOf(lists)), false), ...conditions], ' or ')})`
}

function matchesEach({ search, tagIds, fields }: ListFilter, stored: readonly StoredField[]): Sql {
  const conditions = [...tagIds.map(withTag), ...valuesIn(stored, fields)].map((from) => isIn(from, false))
  if (search) conditions.push(sql`c.search_text like like_pattern(${termOf(search)})`)
  return conditions.length > 0 ? sql`(${join(conditions, ' and ')})` : sql`true`
}

type Filter = Omit<ContactFilter, 'listId'>

const EVERYBODY: ListFilter = { search: '', tagIds: [], fields: [] }

async function matchesAll(db: Db, filter: Filter, list: StoredList | null): Promise<Sql> {
  const { searches, parts } = await partsOf(db, filter, list)
  const conditions: Sql[] = []
  for (const search of searches) conditions.push(await searchCondition(db, 'contacts', 'c', termOf(search)))
  conditions.push(...(await hasAll(db, parts)))
  return conditions.length > 0 ? sql`(${join(conditions, ' and ')})` : sql`true`
}

/** The searches, and `from … where …` of the tables of contacts that the filter and the list need. */
async function partsOf(db: Db, filter: Filter, list: StoredList | null) {
  const filters = [filter, ...(list?.filter ? [list.filter] : [])]
  const parts = list && !list.filter ? [inFixed([list.id])] : []
  if (filter.importId) parts.push(wereInImport(filter.importId))
  if (filter.isOptedOut) parts.push(haveOptedOut)
  if (filter.onWhatsapp) parts.push(wereChecked(filter.onWhatsapp))
  for (const { tagIds, fields } of filters)
    parts.push(...[...new Set(tagIds)].map(withTag), ...(await withValues(db, fields)))
  return { searches: filters.map(({ search }) => search).filter((search) => search !== ''), parts }
}

/** As `rowsOf`, for counting the contacts that match. */
export async function rowsToCount(db: Db, filter: ContactFilter): Promise<Sql | null> {
  const list = filter.listId ? await findStoredList(db, filter.listId) : null
  return list === undefined ? null : rowsOf(db, filter, list)
}

/**
 * `from … where …` with a row `c` for each contact that matches. The indexes of tags and values have all that it takes,
 * so that the contacts themselves are not read. Null if a search has to read them.
 */
async function rowsOf(db: Db, filter: Filter, list: StoredList | null): Promise<Sql | null> {
  const { searches, parts } = await partsOf(db, filter, list)
  const [smallest, ...others] = parts.length > 0 ? await sortBySize(db, parts) : []
  if (searches.length > 0 || !smallest) return null
  const inOthers = others.map(({ from }, place) => isIn(from, place < MAX_JOINED))
  return sql`from (select contact_id as id ${smallest.from}) as c where ${join([sql`true`, ...inOthers], ' and ')}`
}

/**
 * SQL conditions: the contact is in all parts, which are `from … where …` of tables of contacts. Left to itself,
 * PostgreSQL walks a list of a million for a value of one in a thousand, because it does not know which contacts have
 * it. So the smallest part is looked for here.
 */
async function hasAll(db: Db, parts: readonly Sql[]): Promise<Sql[]> {
  if (parts.length === 0) return []
  const [smallest, ...others] = await sortBySize(db, parts)
  if (!smallest) return []
  if (smallest.size > FEW)
    return [smallest, ...others].map(({ from }, place) => isIn(from, place < MAX_JOINED))
  return [
    sql`c.id = any(array(select contact_id ${smallest.from}))`,
    ...others.map(({ from }) => isIn(from, false)),
  ]
}

async function sortBySize(db: Db, parts: readonly Sql[]): Promise<{ from: Sql; size: number }[]> {
  const sizes = parts.map((from) => sql`(select count(*) from (select 1 ${from} limit ${FEW + 1}) as part)`)
  const { found } = await db.one<{ found: number[] }>(sql`select array[${join(sizes, ', ')}]::int[] as found`)
  return parts
    .map((part, place) => ({ from: part, size: found[place] ?? 0 }))
    .toSorted((one, other) => one.size - other.size)
}

/** The offset keeps PostgreSQL from joining the table, so that it looks into its index for each contact. */
const isIn = (from: Sql, isJoined: boolean) =>
  sql`exists (select ${from} and contact_id = c.id ${isJoined ? sql`` : sql`offset 0`})`

const termOf = (search: string) => typedNumber(search) ?? wordBeginning(search)

/** Numbers are stored with their country code and without separators. Few people type them like that. */
function typedNumber(search: string): string | null {
  // Nothing is left of 0000, and nothing would match everybody.
  const digits = search.replace(/\D/g, '').replace(/^0+/, '')
  return /^[+\d\s().-]+$/.test(search) && digits.length > 2 ? digits : null
}

/**
 * The index knows three letters in a row. It finds fewer at the beginning of a word, behind two spaces; looked for
 * anywhere, they would read all contacts.
 */
const wordBeginning = (search: string) => (/^[a-z0-9]{1,2}$/.test(normalize(search)) ? ` ${search}` : search)

/** Each contact of an import once: its other rows are those of persons who are in the file twice, or refused. */
const wereInImport = (id: number) => sql`
  from import_rows where import_id = ${id} and outcome in ('added', 'changed', 'unchanged') and contact_id is not null`

/** Each contact once, whichever of its numbers have opted out. */
const haveOptedOut = sql`
  from (select distinct i.contact_id from contact_identities i join opted_out h using (kind, value)) as people where true`

/** Contacts by what the last check of the number that messages go to has said. A simulated one says nothing. */
const wereChecked = (answer: NumberAnswer) => sql`
  from number_checks n join contact_identities i on i.kind = 'phone' and i.value = n.phone
  where i.is_primary and n.answer = ${answer} and not n.is_test
    and n.checked_at > clock_now() - ${limits.numberCheckDays} * interval '1 day'`

/** The rows of a table that have what a filter asks for. */
const withTag = (id: number) => sql`from contact_tags where tag_id = ${id}`

const withValues = async (db: Db, fields: ListFilter['fields']) =>
  fields.length === 0 ? [] : valuesIn(await readFields(db), fields)

const valuesIn = (stored: readonly StoredField[], fields: ListFilter['fields']) =>
  spellFields(stored, fields).map(
    ({ id, spelling }) => sql`from contact_values where field_id = ${id} and value = ${spelling}`,
  )

/** Returns the spellings of a filter's values, with their fields. Throws for those that do not fit. */
export function spellFields(stored: readonly StoredField[], fields: ListFilter['fields'], path = 'fields') {
  const byKey = new Map(stored.map((field) => [field.key, field]))
  return fields.map(({ key, value }, place) => {
    const field = byKey.get(key)
    if (!field) throw new InvalidInput({ [`${path}.${place}.key`]: 'CONTACT_FORM.FIELD_UNKNOWN' })
    const spelling = spellingOf(field, value)
    if (spelling === null)
      throw new InvalidInput({ [`${path}.${place}.value`]: 'CONTACT_FORM.VALUE_INVALID' })
    return { id: field.id, spelling }
  })
}
