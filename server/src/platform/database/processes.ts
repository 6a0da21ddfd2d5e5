import type { Db } from './connection.ts'
import { sql } from './sql.ts'

/** A process serves and delivers, does one of both, or runs a command. */
export type Role = 'all' | 'server' | 'worker' | 'command'

/** How the names of connections begin. */
export const PROCESS = 'sendroom process'

/** The processes that are connected to the database now. A process that ends, however, loses its connections. */
export async function findProcesses(db: Db): Promise<{ workers: number; servers: number }> {
  return db.one(sql`
    select count(*) filter (where role in ('all', 'worker')) as workers,
      count(*) filter (where role in ('all', 'server')) as servers
    from (
      select distinct split_part(application_name, ' ', 3) as role, application_name
      from pg_stat_activity
      where datname = current_database() and starts_with(application_name, ${PROCESS})
    ) process`)
}
