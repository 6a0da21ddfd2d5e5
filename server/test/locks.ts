import type { Sql } from '../src/platform/database/connection.ts'

/** How many statements wait for a lock in this database. */
export const countWaiting = async (sql: Sql): Promise<number> =>
  (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    .count
