import type { Pool } from './connection.ts'
import { sql } from './sql.ts'

/**
 * Recurring work: drops the schema in which pg-boss queued the syncs before migration 0039, a week after the last
 * worker that used it. Until then a program of before may run beside this one, and fails without the schema. To be
 * deleted together with its line in `recurring-work.ts` when no upgrade can begin before 0039.
 */
export async function dropFormerQueues(db: Pool): Promise<void> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('pgboss.version') is not null as exists`,
  )
  if (!exists) return
  const { isUnused } = await db.one<{ isUnused: boolean }>(sql`
    select coalesce(max(cron_on), 'epoch') < clock_now() - interval '7 days' as is_unused from pgboss.version`)
  if (isUnused) await db.script('drop schema pgboss cascade')
}
