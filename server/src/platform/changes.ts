import type { Change } from '@sendroom/contract/events'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'

/**
 * The PostgreSQL channel on which processes notify each other of changes. Triggers in the database notify it too:
 * server/migrations/0033-schema.sql, "notifications of pages".
 */
export const CHANGES = 'sendroom_changes'

/**
 * A change, and who sees it: everybody who sees the instance. Without an instance, this user and every Admin, or
 * everybody if it is shared.
 */
export type VisibleChange = Change &
  ({ instanceId: number } | { instanceId: null; userId: number | null; isShared?: boolean })

/** `access` means that the rights of the user with this id have changed, or that a session has ended. */
export type Notification = VisibleChange | { feature: 'access'; id: number }

/** PostgreSQL limits a payload to 8,000 bytes. */
const CHANGES_PER_PAYLOAD = 100

/** Notifies every server process of these changes. Inside a transaction they are sent when it commits. */
export function notifyChanges(db: Db, notifications: Notification[]) {
  const payloads: string[] = []
  for (let start = 0; start < notifications.length; start += CHANGES_PER_PAYLOAD)
    payloads.push(JSON.stringify(notifications.slice(start, start + CHANGES_PER_PAYLOAD)))
  return db.many(
    sql`select pg_notify(${CHANGES}, payload) from unnest(${payloads}::text[]) as notification (payload)`,
  )
}
