import { hasToken, isValidSession } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { needsFactor } from '../../platform/factor.ts'

/**
 * Returns which of these sessions are still valid, and have no second factor to set up first. A session is identified
 * by its token's hash in hex.
 */
export async function findValidSessions(db: Db, sessions: string[]): Promise<Set<string>> {
  const valid = await db.many<{ session: string }>(sql`
    select asked.session
    from unnest(${sessions}::text[]) as asked (session)
      join sessions s on ${hasToken('s', sql`decode(asked.session, 'hex')`)}
      join users u on u.id = s.user_id
    where ${isValidSession('s', 'u')} and not ${needsFactor('u')}`)
  return new Set(valid.map(({ session }) => session))
}

/**
 * An open stream is a request that goes on: it counts as one that is no use, for sessions that have not asked otherwise
 * for minutes. What others have locked is written at the next heartbeat.
 */
export const recordStreams = (db: Db, sessions: string[]) =>
  db.run(sql`
    update sessions set idle_at = clock_now() where id in (
      select s.id
      from unnest(${sessions}::text[]) as asked (session)
        join sessions s on ${hasToken('s', sql`decode(asked.session, 'hex')`)}
      where greatest(s.used_at, s.idle_at) < clock_now() - ${WRITTEN_EVERY}::interval
      for update of s skip locked)`)

/** A thousand quiet streams are then a thousand small writes in three minutes, in nine statements. */
const WRITTEN_EVERY = '3 minutes'
