import type { Db } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

/**
 * Drops the events and emails that waited when the backup was made, because the former installation sends them. An
 * `events_dropped` event tells each receiver how many, since it may have stopped before. New events get higher numbers
 * than any of the former installation, because a restored database begins a new era.
 */
export async function dropUnsent(tx: Db): Promise<void> {
  await tx.run(sql`
    with unsent as (
      delete from webhook_events returning type
    ), waiting as (
      delete from webhook_queue
      returning receiver_id, case type when 'events_dropped' then (body::json->'data'->>'count')::bigint else 1 end as n
    )
    update webhook_receivers r
    set dropped = r.dropped
      + (select coalesce(sum(n), 0) from waiting where receiver_id = r.id)
      + (select count(*) from unsent where r.is_active and split_part(type, '.', 1) = any(r.topics))`)
  await tx.run(sql`update notices set email_due = false where email_due`)
  await tx.run(sql`delete from due_emails`)
}
