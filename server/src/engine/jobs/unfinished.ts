import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/**
 * Whether any job is to begin, goes on or still settles, or a message is in doubt. If not, the loop has nothing to do.
 * The order makes PostgreSQL read one entry of an index, also with statistics older than the rows.
 */
export async function hasUnfinished(db: Db): Promise<boolean> {
  const { isAny } = await db.one<{ isAny: boolean }>(sql`
    select (
      select instance_id from jobs where status in ('Pending', 'Running') or settling order by instance_id limit 1
    ) is not null or (
      select instance_id from deliveries where doubt_since is not null order by instance_id limit 1
    ) is not null as is_any`)
  return isAny
}
