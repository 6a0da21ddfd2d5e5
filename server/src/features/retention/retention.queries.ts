import type { Retention } from '@sendroom/contract/retention'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

export const readRetention = (db: Db) =>
  db.one<Retention>(sql`select delivery_days, log_days, receipt_days from retention`)

/** Reads the settings before a change. Two changes at once happen one after the other. */
export const lockRetention = (tx: Db) =>
  tx.one<Retention>(sql`select delivery_days, log_days, receipt_days from retention for update`)

export const writeRetention = (tx: Db, { deliveryDays, logDays, receiptDays }: Retention) =>
  tx.run(sql`
    update retention set delivery_days = ${deliveryDays}, log_days = ${logDays}, receipt_days = ${receiptDays}`)
