import type { Db, Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import type { Receipt } from '../providers/provider.ts'
import { note, reason } from './consequence.ts'
import type { JobRef } from './progress.ts'
import { tellDelivery } from './settle.ts'

/*
 * What the provider tells of messages that went out: delivered, read, failed. See README.md, 'Receipts'.
 *
 * Stored first, as they come, and answered at once; applied by the workers. They come in any order, again and again,
 * for messages of others, and before the answer to the send: whatever the order, the end is the same.
 */

const AT_ONCE = 1000
/** What fits no delivery by then is not ours: an id of the phone's own messages, or of a run that is over. */
const KEPT_UNMATCHED = '15 minutes'
/** Receipts of older messages change nothing any more, so that who got them can be forgotten. */
const KEPT_VIEWERS = '7 days'

/** Writes the receipts down, in one statement; a worker applies them within a second. */
export async function storeReceipts(db: Db, instanceId: number, receipts: Receipt[]): Promise<void> {
  if (receipts.length === 0) return
  await db.run(sql`
    insert into receipt_events (instance_id, provider_message_id, state, viewer, detail, happened_at)
    select ${instanceId}, r.id, r.state, r.viewer, r.detail, coalesce(r.at, clock_now())
    from unnest(
      ${receipts.map((receipt) => clean(receipt.providerMessageId))}::text[],
      ${receipts.map((receipt) => receipt.state)}::text[],
      ${receipts.map((receipt) => receipt.viewer && clean(receipt.viewer))}::text[],
      ${receipts.map((receipt) => clean(receipt.detail))}::text[],
      ${receipts.map((receipt) => receipt.at)}::timestamptz[]
    ) as r (id, state, viewer, detail, at)`)
}

/** PostgreSQL's text can't hold NUL. */
const clean = (text: string) => text.replaceAll('\0', '')

/** Applies what is due, until nothing is; returns the jobs whose recipients stand differently now, some twice. */
export async function applyReceipts(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let taken = AT_ONCE; taken === AT_ONCE; ) {
    const applied = await applySome(db)
    for (const failure of applied.failures) await applyFailure(db, failure)
    jobs.push(...applied.jobs, ...applied.failures)
    taken = applied.taken
  }
  return jobs
}

type Failure = JobRef & { id: number; deliveryId: number; providerMessageId: string; detail: string }
type Applied = { taken: number; jobs: JobRef[]; failures: Failure[] }

/**
 * Applies delivered and read, and hands back the failures. It never waits for a lock, so it needs none of the
 * account's: a delivery that somebody holds has its turn a second later, as has a message whose id we don't know yet.
 */
async function applySome(db: Pool): Promise<Applied> {
  const applied = await db.one<Applied>(sql`
    with due as materialized (
      select * from receipt_events where try_at <= clock_now() order by try_at, id limit ${AT_ONCE} for update skip locked
    ), found as materialized (
      select due.id as event_id, due.state, due.detail, due.provider_message_id, d.id, d.job_id, d.instance_id, d.intent,
        case when d.chat_id like '%@g.us' then due.viewer end as viewer,
        greatest(d.sent_at, least(due.happened_at, due.received_at)) as at
      from due
        join credited_messages c
          on c.instance_id = due.instance_id and c.provider_message_id = due.provider_message_id
        join deliveries d on d.id = c.delivery_id and d.provider_message_id = c.provider_message_id
      where d.sent_at > clock_now() - ${KEPT_VIEWERS}::interval
      for update of d skip locked
    ), viewed as (
      insert into delivery_viewers as known (intent, viewer, is_read)
      select intent, viewer, bool_or(state = 'read') from found
      where viewer is not null and state <> 'failed' and intent is not null
      group by intent, viewer
      on conflict (intent, viewer) do update set is_read = true where excluded.is_read and not known.is_read
      -- A row that was there already has been locked by us, one that is new has not.
      returning intent, is_read, xmax = 0 as is_new
    ), counted as (
      select intent, count(*) filter (where is_new) as delivered, count(*) filter (where is_read) as read
      from viewed group by intent
    ), seen as (
      select id, intent, min(at) as delivered_at, min(at) filter (where state = 'read') as read_at
      from found where state <> 'failed' group by id, intent
    ), applied as (
      update deliveries d
      -- Somebody has got it: an ack that said it had failed was wrong.
      set status = 'sent', reason = null,
        delivered_at = least(d.delivered_at, seen.delivered_at), read_at = least(d.read_at, seen.read_at),
        delivered_members = d.delivered_members + coalesce(counted.delivered, 0),
        read_members = d.read_members + coalesce(counted.read, 0),
        ask_at = case when seen.read_at is null or d.chat_id like '%@g.us' then d.ask_at end
      from seen left join counted on counted.intent = seen.intent
      where d.id = seen.id
      returning d.job_id, d.instance_id
    ), done as (
      -- Of a group, what failed for one member says nothing of the message.
      delete from receipt_events e using found
      where e.id = found.event_id and (found.state <> 'failed' or found.viewer is not null)
    ), waiting as (
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
  return applied
}

/**
 * The message was accepted and then could not be delivered: Sent becomes Failed, with its reason. The job stays as it
 * is. Under the account's lock, as everything that changes how many were sent.
 */
async function applyFailure(db: Pool, failure: Failure): Promise<void> {
  const { id, deliveryId, jobId, instanceId, providerMessageId } = failure
  const why = reason('receipt_failed', { detail: failure.detail })
  await db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${instanceId} for no key update`)
    const count = await tx.run(sql`delete from receipt_events where id = ${id}`)
    if (count === 0) return // Another worker had it.
    const failed = await tx.maybeOne<{ recipientName: string }>(sql`
      update deliveries set status = 'failed', reason = ${json(why)}, ask_at = null
      where id = ${deliveryId} and provider_message_id = ${providerMessageId} and status = 'sent'
        and delivered_at is null
      returning recipient_name`)
    if (failed) await tellDelivery(tx, jobId, note('Error', 'delivery_failed', failed, why))
  })
}

/** Forgets what fits nothing, and who exactly got what longer ago: the counts stay. */
export async function forgetReceipts(db: Pool): Promise<void> {
  await db.run(sql`delete from receipt_events where received_at < clock_now() - ${KEPT_UNMATCHED}::interval`)
  // A day more: receipts that were on their way find what they would find.
  await db.run(
    sql`delete from delivery_viewers where seen_at < clock_now() - ${KEPT_VIEWERS}::interval - interval '1 day'`,
  )
}
