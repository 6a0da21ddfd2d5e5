import type { Pool } from './connection.ts'
import { sql } from './sql.ts'

/** The queues of programs before 0039, and the one that pg-boss makes for itself. */
const OURS = ['sync-groups', 'recurring', '__pgboss__send-it']

/**
 * Recurring work: drops the schema in which pg-boss queued the syncs before migration 0039, a week after the last
 * worker that used it. Until then a program of before may run beside this one, and fails without the schema. A schema
 * with queues of another program stays, because pg-boss gives every program the same name for it. To be deleted
 * together with its line in `recurring-work.ts` when no upgrade can begin before 0039.
 */
export async function dropFormerQueues(db: Pool): Promise<void> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('pgboss.version') is not null and to_regclass('pgboss.queue') is not null as exists`,
  )
  if (!exists) return
  const { isUnused } = await db.one<{ isUnused: boolean }>(sql`
    select coalesce(max(cron_on), 'epoch') < clock_now() - interval '7 days' and (
        select coalesce(bool_or(name = 'sync-groups') and bool_and(name = any(${OURS})), false) from pgboss.queue
      ) as is_unused
    from pgboss.version`)
  if (isUnused) await db.script('drop schema pgboss cascade')
}
