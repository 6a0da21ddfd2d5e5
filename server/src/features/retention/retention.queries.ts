import type { Retention, RetentionChange } from '@sendroom/contract/retention'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql } from '../../platform/database/sql.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'

const settings = sql`select delivery_days, log_days, receipt_days, message_days, group_days, contact_days from retention`

export const readRetention = (db: Db) => db.one<Retention>(settings)

/** Reads the settings before a change. Two changes at once happen one after the other. */
export const lockRetention = (tx: Db) => tx.one<Retention>(sql`${settings} for update`)

export const writeRetention = (tx: Db, change: RetentionChange) =>
  tx.run(sql`update retention set ${assignments(omitUndefined(change))}`)
