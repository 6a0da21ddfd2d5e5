import type { Change } from '@sendroom/contract/events'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

/** The channel on which processes tell each other what changed; the database's own triggers speak there too. */
export const CHANGES = 'sendroom_changes'

/** A change, and who sees it: whoever sees the instance; without one, this user alone (and every Admin). */
export type SeenChange = Change & ({ instanceId: number } | { instanceId: null; userId: number | null })

/** `access`: what this user may see, or whether they are signed in at all, has changed. */
export type Notice = SeenChange | { feature: 'access'; id: number }

/** A payload takes 8,000 bytes at most. */
const A_PAYLOAD = 100

/** Tells every server process of these changes; inside a transaction, when it commits. */
export function tellChanges(db: Db, notices: Notice[]) {
  const payloads: string[] = []
  for (let start = 0; start < notices.length; start += A_PAYLOAD)
    payloads.push(JSON.stringify(notices.slice(start, start + A_PAYLOAD)))
  return db.many(
    sql`select pg_notify(${CHANGES}, payload) from unnest(${payloads}::text[]) as told (payload)`,
  )
}
