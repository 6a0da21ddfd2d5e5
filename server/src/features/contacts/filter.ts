import type { ContactFilter } from '@sendroom/contract/contacts'
import { normalize } from '@sendroom/contract/search-text'
import type { Db } from '../../platform/database/connection.ts'
import { join, type Sql, sql } from '../../platform/database/sql.ts'
import { InvalidInput } from '../../platform/refusal.ts'
import { searchCondition } from '../../platform/search.ts'
import { spellingOf } from './field-values.ts'
import { readFields } from './fields.queries.ts'

/** SQL condition: the contact `c` matches the filter. */
export async function matches(db: Db, { search, tagIds, fields }: ContactFilter): Promise<Sql> {
  const conditions = [
    ...(search
      ? [await searchCondition(db, 'contacts', 'c', typedNumber(search) ?? wordBeginning(search))]
      : []),
    ...[...new Set(tagIds)].map(hasTag),
    ...(await hasValues(db, fields)),
  ]
  return conditions.length > 0 ? join(conditions, ' and ') : sql`true`
}

/** Numbers are stored with their country code and without separators. Few people type them like that. */
function typedNumber(search: string): string | null {
  const digits = search.replace(/\D/g, '')
  return /^[+\d\s().-]+$/.test(search) && digits.length > 3 ? digits.replace(/^0+/, '') : null
}

/**
 * The index knows three letters in a row. It finds fewer at the beginning of a word, behind two spaces; looked for
 * anywhere, they would read all contacts.
 */
const wordBeginning = (search: string) => (/^[a-z0-9]{1,2}$/.test(normalize(search)) ? ` ${search}` : search)

const hasTag = (id: number) =>
  sql`exists (select from contact_tags t where t.tag_id = ${id} and t.contact_id = c.id)`

async function hasValues(db: Db, fields: ContactFilter['fields']): Promise<Sql[]> {
  if (fields.length === 0) return []
  const stored = new Map((await readFields(db)).map((field) => [field.key, field]))
  return fields.map(({ key, value }, place) => {
    const field = stored.get(key)
    if (!field) throw new InvalidInput({ [`fields.${place}.key`]: 'CONTACT_FORM.FIELD_UNKNOWN' })
    const spelling = spellingOf(field, value)
    if (spelling === null) throw new InvalidInput({ [`fields.${place}.value`]: 'CONTACT_FORM.VALUE_INVALID' })
    return sql`exists (
      select from contact_values v where v.field_id = ${field.id} and v.value = ${spelling} and v.contact_id = c.id)`
  })
}
