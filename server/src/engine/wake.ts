import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

/** The channel that workers listen to. They also look for work by themselves, twice a second. */
export const WAKE_CHANNEL = 'sendroom_engine'

/** Tells every worker that there may be work. In a transaction the notification goes out with the commit. */
export const wakeWorkers = (db: Db) => db.run(sql`select pg_notify(${WAKE_CHANNEL}, '')`)
