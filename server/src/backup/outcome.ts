import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

const MAX_ERROR = 500

/**
 * Records that a backup begins, so that Admins learn of one that was killed, too. Returns its id. Null in a database
 * that no Sendroom since 0017 has opened: before an upgrade a backup is wanted most.
 */
export async function beginBackup(db: Db): Promise<number | null> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('backups') is not null as exists`,
  )
  if (!exists) return null
  const { id } = await db.one<{ id: number }>(
    sql`insert into backups (started_at) values (clock_now()) returning id`,
  )
  return id
}

/** Records how the backup ended. `error` is null for success. */
export async function endBackup(db: Db, id: number | null, error: string | null): Promise<void> {
  if (id !== null)
    await db.run(sql`
      update backups set finished_at = clock_now(), error = ${error?.slice(0, MAX_ERROR) ?? null} where id = ${id}`)
}
