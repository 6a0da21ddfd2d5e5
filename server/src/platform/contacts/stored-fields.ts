import type { ContactField } from '@sendroom/contract/contact-fields'
import type { Db } from '../database/connection.ts'
import { sql } from '../database/sql.ts'

export type StoredField = Pick<ContactField, 'id' | 'key' | 'type' | 'choices'>

/** Keeps the fields from being changed until the transaction ends, so that no choice that it writes is removed. */
export const lockFieldsForShare = (tx: Db) =>
  tx.many<StoredField>(sql`select id, key, type, choices from contact_fields order by id for share`)

export const readFields = (db: Db) =>
  db.many<StoredField>(sql`select id, key, type, choices from contact_fields order by id`)
