import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

// Who received and read old messages is deleted, as set in the table `retention`. The counts stay.

/** A day longer than the setting says: a receipt that is being applied still finds its viewers. */
const oldest = sql`clock_now() - ((select receipt_days from retention) + 1) * interval '1 day'`

export const deleteOldViews = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from delivery_views where intent = any(array(
      select intent from delivery_views where sent_at < ${oldest} order by sent_at limit ${limit}
    ))`)

/** The table of earlier versions, see `readFormerViews` (apply.ts). */
export const deleteOldViewers = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from delivery_viewers where ctid = any(array(
      select ctid from delivery_viewers where seen_at < ${oldest} limit ${limit}
    ))`)
