import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

const MAX_ERROR = 500

/**
 * Records how a backup ended, so that Admins learn of one that failed. `error` is null for success. No-op in a database
 * that no Sendroom since 0017 has opened: before an upgrade a backup is wanted most.
 */
export async function recordOutcome(db: Db, startedAt: Date, error: string | null): Promise<void> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('backups') is not null as exists`,
  )
  if (exists)
    await db.run(sql`
      insert into backups (started_at, finished_at, error)
      values (${startedAt.toISOString()}, clock_now(), ${error?.slice(0, MAX_ERROR) ?? null})`)
}
