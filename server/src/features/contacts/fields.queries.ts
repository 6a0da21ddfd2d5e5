import type { ContactField, ContactFieldChange, NewContactField } from '@sendroom/contract/contact-fields'
import { limits } from '@sendroom/contract/limits'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql, values } from '../../platform/database/sql.ts'

const rows = sql`
  select f.id, f.key, f.name, f.type, f.choices,
    exists (select from contact_values v where v.field_id = f.id) as is_used
  from contact_fields f`

export const listFields = (db: Db) => db.many<ContactField>(sql`${rows} order by f.id`)

export async function findField(db: Db, id: number): Promise<ContactField | null> {
  const field = await db.maybeOne<ContactField>(sql`${rows} where f.id = ${id}`)
  return field ?? null
}

/** Locks the fields against other new ones, so that their number stays within the limit. Returns null beyond it. */
export async function insertField(tx: Db, field: NewContactField): Promise<number | null> {
  await lock(tx, LOCKS.contactFields)
  const { count } = await tx.one<{ count: number }>(sql`select count(*) as count from contact_fields`)
  if (count >= limits.contactFields) return null
  const { id } = await tx.one<{ id: number }>(sql`insert into contact_fields ${values(field)} returning id`)
  return id
}

export const updateField = (tx: Db, id: number, change: ContactFieldChange) =>
  tx.run(sql`update contact_fields set ${assignments(change)} where id = ${id}`)

/** Whether a contact has a choice that is none of these any more. */
export async function hasOtherChoices(tx: Db, id: number, removed: readonly string[]): Promise<boolean> {
  const { isUsed } = await tx.one<{ isUsed: boolean }>(sql`
    select exists (
      select from contact_values where field_id = ${id} and value = any(${removed}::text[])
    ) as is_used`)
  return isUsed
}

export const deleteField = (tx: Db, id: number) => tx.run(sql`delete from contact_fields where id = ${id}`)
