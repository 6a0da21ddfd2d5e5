import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

/** Workers listen here, so that new work starts at once; they also look by themselves, twice a second. */
export const NUDGE = 'sendroom_engine'

/** Tells every worker that there may be something to do; inside a transaction, when it commits. */
export const nudge = (db: Db) => db.run(sql`select pg_notify(${NUDGE}, '')`)
