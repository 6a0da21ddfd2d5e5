import type { Db } from '../../platform/database/connection.ts'
import { isUniqueViolation } from '../../platform/database/errors.ts'
import { identifier, sql } from '../../platform/database/sql.ts'

/*
 * Which delivery a provider's message id belongs to: one at most. The table `matched_messages` stands apart from the
 * deliveries, so that settling a delivery touches no index (a HOT update).
 */

/** Records the ids of the rows in `settled` (instance_id, provider_message_id, id, status) that were sent. */
export const insertMatches = (settled: string) => sql`
  insert into matched_messages (instance_id, provider_message_id, delivery_id)
  select instance_id, provider_message_id, id from ${identifier(settled)} where status = 'sent'`

/** Whether the insert failed because another delivery has the provider's id already. */
export const isMatchedAlready = (error: unknown) => isUniqueViolation(error, 'matched_messages_pkey')

/**
 * Releases the ids of deliveries that start anew. They are kept for 48 hours, so that no look-up takes an old message
 * for a new one. A trigger does the same for deleted deliveries.
 */
export const releaseMatches = (tx: Db, jobIds: number[], only = sql`true`) =>
  tx.run(sql`
    update matched_messages m set released_at = clock_now()
    from deliveries d
    where d.job_id = any(${jobIds}) and ${only} and m.instance_id = d.instance_id
      and m.provider_message_id = d.provider_message_id`)

/** Deletes some of the ids that were released more than 48 hours ago. No look-up goes back further. */
export const deleteReleasedMatches = (tx: Db, limit: number) =>
  tx.run(sql`
    delete from matched_messages where (instance_id, provider_message_id) in (
      select instance_id, provider_message_id from matched_messages
      where released_at < clock_now() - interval '48 hours'
      order by released_at limit ${limit} for update skip locked
    )`)
