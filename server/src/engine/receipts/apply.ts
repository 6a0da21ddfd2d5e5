import type { Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { logDelivery, reason, recipientLine } from '../shared/job-log.ts'
import { lockInstance } from '../shared/lock.ts'
import type { JobRef } from '../status/progress.ts'

/*
 * Where a receipt changes a delivery: `updateDeliveries` for delivered and read, `applyFailedReceipt` for failed.
 *
 * Receipts arrive in any order, repeatedly, for messages that are not ours, and before the answer to the send. Whatever
 * the order, the result is the same: see README.md, 'Receipts'.
 */

const BATCH = 1000
/** A receipt that matches no delivery by then is not ours: it belongs to the phone or to a former run. */
const UNMATCHED_KEPT = '15 minutes'
/** Receipts of messages that were sent longer ago change nothing. */
const APPLIED_FOR = '7 days'
/** A day longer than receipts are applied: one that is being applied still finds its viewers. */
const VIEWERS_KEPT = '8 days'

/** Applies all receipts that are due. Returns the jobs whose deliveries changed; a job may be listed twice. */
export async function applyReceipts(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let taken = BATCH; taken === BATCH; ) {
    const applied = await applyBatch(db)
    for (const failure of applied.failures) await applyFailedReceipt(db, failure)
    jobs.push(...applied.jobs, ...applied.failures)
    taken = applied.taken
  }
  return jobs
}

type FailedReceipt = JobRef & { id: number; deliveryId: number; providerMessageId: string; detail: string }
type Applied = { taken: number; jobs: JobRef[]; failures: FailedReceipt[] }

/**
 * Applies delivered and read, and returns the failures. It takes no instance lock and waits for no row: a delivery that
 * somebody has locked, or whose provider id is not known yet, is tried again a second later.
 */
const applyBatch = (db: Pool) =>
  db.one<Applied>(sql`
    with due as materialized (
      select * from receipt_events where try_at <= clock_now()
      order by try_at, id limit ${BATCH} for update skip locked
    ), found as materialized (
      ${findDeliveries}
    ), viewed as (
      ${recordViewers}
    ), counted as (
      select intent, count(*) filter (where is_new) as delivered, count(*) filter (where is_read) as read
      from viewed group by intent
    ), times as (
      select id, intent, min(at) as delivered_at, min(at) filter (where state = 'read') as read_at
      from found where state <> 'failed' group by id, intent
    ), applied as (
      ${updateDeliveries}
    ), done as (
      -- A failure for one member of a group says nothing about the message.
      delete from receipt_events e using found
      where e.id = found.event_id and (found.state <> 'failed' or found.viewer is not null)
    ), postponed as (
      update receipt_events e
      set try_at = clock_now() + greatest(interval '1 second', least(interval '1 minute', clock_now() - e.received_at))
      from due left join found on found.event_id = due.id
      where e.id = due.id and (found.id is null or found.state = 'failed' and found.viewer is null)
    )
    select (select count(*) from due) as taken,
      (select coalesce(jsonb_agg(distinct jsonb_build_object('jobId', job_id, 'instanceId', instance_id)), '[]')
        from applied) as jobs,
      (select coalesce(jsonb_agg(jsonb_build_object('id', event_id, 'deliveryId', id, 'jobId', job_id,
          'instanceId', instance_id, 'providerMessageId', provider_message_id, 'detail', detail)), '[]')
        from found where state = 'failed' and viewer is null) as failures`)

/** The CTE `found`: the receipts of `due` with their deliveries. Only in a group does it matter who the viewer is. */
const findDeliveries = sql`
  select due.id as event_id, due.state, due.detail, due.provider_message_id, d.id, d.job_id, d.instance_id, d.intent,
    case when d.chat_id like '%@g.us' then due.viewer end as viewer,
    greatest(d.sent_at, least(due.happened_at, due.received_at)) as at
  from due
    join matched_messages m
      on m.instance_id = due.instance_id and m.provider_message_id = due.provider_message_id
    join deliveries d on d.id = m.delivery_id and d.provider_message_id = m.provider_message_id
  where d.sent_at > clock_now() - ${APPLIED_FOR}::interval
  for update of d skip locked`

/** The CTE `viewed`: each member's first 'delivered' and first 'read'. */
const recordViewers = sql`
  insert into delivery_viewers as known (intent, viewer, is_read)
  select intent, viewer, bool_or(state = 'read') from found
  where viewer is not null and state <> 'failed' and intent is not null
  group by intent, viewer
  on conflict (intent, viewer) do update set is_read = true where excluded.is_read and not known.is_read
  -- xmax is 0 in a row that was just inserted, and our lock in one that was there.
  returning intent, is_read, xmax = 0 as is_new`

/** The CTE `applied`. A message that somebody received was sent, even if an earlier receipt said that it failed. */
const updateDeliveries = sql`
  update deliveries d
  set status = 'sent', reason = null,
    delivered_at = least(d.delivered_at, times.delivered_at), read_at = least(d.read_at, times.read_at),
    delivered_members = d.delivered_members + coalesce(counted.delivered, 0),
    read_members = d.read_members + coalesce(counted.read, 0),
    ask_at = case when times.read_at is null or d.chat_id like '%@g.us' then d.ask_at end
  from times left join counted on counted.intent = times.intent
  where d.id = times.id
  returning d.job_id, d.instance_id`

/**
 * The provider accepted the message and could not deliver it: Sent becomes Failed, with the provider's reason. The job
 * keeps its status. The instance's lock keeps a settle, a retry or a restart of the same delivery from happening meanwhile.
 */
async function applyFailedReceipt(db: Pool, failure: FailedReceipt): Promise<void> {
  const { id, deliveryId, jobId, instanceId, providerMessageId } = failure
  const why = reason('receipt_failed', { detail: failure.detail })
  await db.begin(async (tx) => {
    await lockInstance(tx, instanceId)
    const count = await tx.run(sql`delete from receipt_events where id = ${id}`)
    if (count === 0) return // Another worker applied it.
    const failed = await tx.maybeOne<{ recipientName: string }>(sql`
      update deliveries set status = 'failed', reason = ${json(why)}, ask_at = null
      where id = ${deliveryId} and provider_message_id = ${providerMessageId} and status = 'sent'
        and delivered_at is null
      returning recipient_name`)
    if (failed) await logDelivery(tx, jobId, recipientLine('Error', 'delivery_failed', failed, why))
  })
}

/** Deletes receipts that match nothing, and the viewers of old messages. Their counts stay. */
export async function deleteOldReceipts(db: Pool): Promise<void> {
  await db.run(sql`delete from receipt_events where received_at < clock_now() - ${UNMATCHED_KEPT}::interval`)
  await db.run(sql`delete from delivery_viewers where seen_at < clock_now() - ${VIEWERS_KEPT}::interval`)
}
