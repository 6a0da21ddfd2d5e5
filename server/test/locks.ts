import type { Pool } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'

/** Counts the sessions of this database that wait for a lock. */
export const countWaiting = async (db: Pool): Promise<number> =>
  await db.run(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
