import { isValidSession } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** Returns which of these sessions are still valid. A session is identified by its token's hash in hex. */
export async function findValidSessions(db: Db, sessions: string[]): Promise<Set<string>> {
  const valid = await db.many<{ session: string }>(sql`
    select encode(s.token_hash, 'hex') as session from sessions s join users u on u.id = s.user_id
    where s.token_hash in (select decode(hash, 'hex') from unnest(${sessions}::text[]) as asked (hash))
      and ${isValidSession('s', 'u')}`)
  return new Set(valid.map(({ session }) => session))
}
