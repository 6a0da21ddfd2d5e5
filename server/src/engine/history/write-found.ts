import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { firstPollAt } from '../receipts/poll.ts'
import { countMessages, type SentInHour } from '../shared/daily-cap.ts'
import { logFound } from '../shared/job-log.ts'
import { insertMatches, releaseMatches } from '../shared/matched-ids.ts'
import { recordFoundMentions } from '../shared/mentions.ts'
import { drawPause } from '../shared/pace.ts'
import { countFound, readFoundDays, recordFoundPeople } from '../shared/private-pace.ts'
import { cursorAtFirstQueued } from '../shared/queue.ts'
import type { Found } from './match.ts'

/**
 * Marks deliveries of one instance as sent, because their messages are in its history. They count for the daily cap,
 * and the next message keeps the pause after the last of them. A job that has ended keeps its status, as with receipts.
 * Call this under the instance's lock. Returns their jobs' ids.
 */
export async function writeFound(tx: Db, instanceId: number, found: readonly Found[]): Promise<number[]> {
  const ids = found.map(({ deliveryId }) => deliveryId)
  const jobIds = await jobsWith(tx, ids)
  // A message that was accepted and failed later has an id. What was found is the message of a later retry.
  await releaseMatches(tx, jobIds, sql`d.id = any(${ids})`)
  await markSent(tx, found)
  await recordUsage(tx, instanceId, ids)
  await recordFoundMentions(tx, ids)
  await tx.run(sql`update jobs j set ${cursorAtFirstQueued}, has_logs = true where j.id = any(${jobIds})`)
  await logFound(tx, ids)
  return jobIds
}

async function jobsWith(tx: Db, deliveryIds: number[]): Promise<number[]> {
  const jobs = await tx.many<{ id: number }>(sql`
    select distinct job_id as id from deliveries where id = any(${deliveryIds})`)
  return jobs.map(({ id }) => id)
}

const markSent = (tx: Db, found: readonly Found[]) =>
  tx.run(sql`
    with settled as (
      update deliveries d
      set status = 'sent', attempt = d.attempt + 1, provider_message_id = found.provider_message_id,
        intent = gen_random_uuid(), intent_at = found.sent_at, sent_at = found.sent_at, reason = null, not_before = 'epoch',
        ask_at = ${firstPollAt('instance')}
      from unnest(
          ${found.map(({ deliveryId }) => deliveryId)}::bigint[],
          ${found.map(({ providerMessageId }) => providerMessageId)}::text[],
          ${found.map(({ sentAt }) => new Date(sentAt).toISOString())}::timestamptz[]
        ) as found (id, provider_message_id, sent_at), instances instance
      where d.id = found.id and instance.id = d.instance_id
      returning d.*
    )
    ${insertMatches('settled')}`)

/** The limits and the pace of an instance, as the lost intents would have recorded them. */
async function recordUsage(tx: Db, instanceId: number, ids: number[]): Promise<void> {
  const sent = await tx.many<SentInHour>(sql`
    select chat_kind(j.job_type) as kind, max(d.sent_at) as at, count(*) as count
    from deliveries d join jobs j on j.id = d.job_id
    where d.id = any(${ids})
    group by chat_kind(j.job_type), hour_of(d.sent_at)
    order by at`)
  const days = await readFoundDays(tx, ids)
  await tx.run(sql`
    update instances i
    set sent_by_hour = ${countMessages(sent)}, ${countFound(days, ids)},
      last_intent_at = greatest(i.last_intent_at, last.sent_at),
      next_due_at = greatest(i.next_due_at, last.sent_at + ${drawPause('last.job_type')})
    from (
      select d.sent_at, j.job_type from deliveries d join jobs j on j.id = d.job_id
      where d.id = any(${ids}) order by d.sent_at desc limit 1
    ) last
    where i.id = ${instanceId}`)
  await recordFoundPeople(tx, ids)
}
