import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** The audit log has an entry for each backup that was complete. */
export const readLastBackup = (db: Db) =>
  db.maybeOne<{ at: string; secondsAgo: number }>(sql`
    select at, extract(epoch from clock_now() - at)::float8 as seconds_ago
    from audit_log where action = 'backup.create' order by at desc limit 1`)
