import { limits } from '@sendroom/contract/limits'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { JobRef } from '../status/progress.ts'
import { type Bitmap, emptyBitmap } from './bitmap.ts'
import { type Incoming, type Merged, mergeReceipts, momentOf, type Seen } from './merge.ts'
import { findSlots, type Slots, type Viewer } from './slots.ts'

/*
 * Where receipts change deliveries: delivered and read here, failed in apply-stored.ts.
 *
 * Receipts arrive in any order, repeatedly, for messages that are not ours, and before the answer to the send. Whatever
 * the order, the result is the same: see README.md, 'Receipts'.
 */

/** The delivery of a receipt. */
type Delivery = {
  id: number
  instanceId: number
  jobId: number
  providerMessageId: string
  status: 'sent' | 'failed'
  intent: string | null
  /**
   * Null for a private chat, where it does not matter who the viewer is, and for a group that was deleted. A group that
   * was deleted and came back has another id than the job remembers.
   */
  groupId: number | null
  isGroup: boolean
  isChannel: boolean
  sentAt: string
  deliveredAt: string | null
  readAt: string | null
}

/** A receipt that only the holder of the instance's lock may apply, since it changes how many were sent. */
export type NeedsLock<R> = { receipt: R; delivery: Delivery }

export type Applied<R> = {
  /** The jobs whose deliveries changed; a job may be listed twice. */
  jobs: JobRef[]
  /** No delivery was found, or somebody holds its lock: try again later. */
  left: R[]
  needsLock: NeedsLock<R>[]
}

/**
 * Applies delivered and read. It takes no instance's lock and waits for no row. What is in neither list of the answer
 * has been applied, or changes nothing.
 */
export async function applyReceipts<R extends Incoming>(tx: Db, receipts: readonly R[]): Promise<Applied<R>> {
  const deliveries = new Map(
    (await lockDeliveries(tx, receipts)).map((delivery) => [keyOf(delivery), delivery]),
  )
  const applied: Applied<R> = { jobs: [], left: [], needsLock: [] }
  const byDelivery = new Map<Delivery, R[]>()
  for (const receipt of receipts) {
    const delivery = deliveries.get(keyOf(receipt))
    if (!delivery) applied.left.push(receipt)
    // A failure for one member says nothing about the message.
    else if (
      receipt.state === 'failed' &&
      (delivery.isGroup || delivery.isChannel) &&
      receipt.viewer !== null
    )
      continue
    else if (receipt.state === 'failed' || delivery.status === 'failed')
      applied.needsLock.push({ receipt, delivery })
    // WhatsApp tells nobody who of a channel has read a post, so such a receipt is no follower's.
    else if (delivery.isChannel) continue
    else {
      const others = byDelivery.get(delivery)
      if (others) others.push(receipt)
      else byDelivery.set(delivery, [receipt])
    }
  }
  await applyViews(tx, byDelivery, applied)
  return applied
}

const keyOf = ({ instanceId, providerMessageId }: { instanceId: number; providerMessageId: string }) =>
  `${instanceId} ${providerMessageId}`

/**
 * The ids of the deliveries are an array on purpose. With statistics from before the messages were sent, the planner
 * expects no sent delivery, and in a join it would begin with all of them. A delivery that was sent again since is
 * found as well: it has another message id now, which none of the receipts names.
 */
function lockDeliveries(tx: Db, receipts: readonly Incoming[]): Promise<Delivery[]> {
  const messages = [...new Map(receipts.map((receipt) => [keyOf(receipt), receipt])).values()]
  return tx.many<Delivery>(sql`
    select d.id, d.instance_id, d.job_id, d.provider_message_id, d.status, d.intent,
      case when d.group_id is not null then (
        select g.id from groups g where g.instance_id = d.instance_id and g.chat_id = d.chat_id) end as group_id,
      d.chat_id like '%@g.us' as is_group, ${isChannelRow('d')} as is_channel, d.sent_at, d.delivered_at, d.read_at
    from deliveries d
    where d.id = any(array(
        select m.delivery_id
        from unnest(
            ${messages.map(({ instanceId }) => instanceId)}::bigint[],
            ${messages.map(({ providerMessageId }) => providerMessageId)}::text[]
          ) as message (instance_id, id)
          join matched_messages m on m.instance_id = message.instance_id and m.provider_message_id = message.id))
      and d.sent_at > clock_now() - ${limits.receiptDays} * interval '1 day' and d.status in ('sent', 'failed')
    for no key update of d skip locked`)
}

/** Fills `applied` with the jobs that changed, and with receipts whose viewers have no slot yet. */
async function applyViews<R extends Incoming>(
  tx: Db,
  byDelivery: ReadonlyMap<Delivery, R[]>,
  applied: Applied<R>,
): Promise<void> {
  if (byDelivery.size === 0) return
  const deliveries = [...byDelivery.keys()]
  const viewers = [...byDelivery].flatMap(([delivery, receipts]) =>
    receipts.flatMap((receipt) => viewerOf(delivery, receipt) ?? []),
  )
  const [views, slots] = await Promise.all([readViews(tx, deliveries), findSlots(tx, viewers)])
  const changes: Change[] = []
  for (const [delivery, receipts] of byDelivery) {
    const view = views.get(delivery.intent) ?? noView
    const { seen, left } = withSlots(delivery, receipts, slots)
    applied.left.push(...left)
    const merged = mergeReceipts({ ...delivery, ...view }, seen)
    if (merged.isChanged) changes.push({ ...delivery, ...merged })
  }
  if (changes.length > 0) applied.jobs.push(...(await writeChanges(tx, changes)))
}

function withSlots<R extends Incoming>(delivery: Delivery, receipts: readonly R[], slots: Slots) {
  const seen: Seen[] = []
  const left: R[] = []
  for (const receipt of receipts) {
    const viewer = viewerOf(delivery, receipt)
    const slot = viewer && slots.of(viewer)
    if (viewer && slot === null) left.push(receipt)
    else if (receipt.state !== 'failed')
      seen.push({ state: receipt.state, at: momentOf(receipt, delivery), slot })
  }
  return { seen, left }
}

/** Only in a group does it matter who the viewer is. */
function viewerOf({ groupId, intent }: Delivery, { viewer }: Incoming): Viewer | null {
  return groupId === null || intent === null || viewer === null ? null : { groupId, personId: viewer }
}

type View = { delivered: Bitmap; read: Bitmap }
const noView: View = { delivered: emptyBitmap(), read: emptyBitmap() }

/** Returns the views by intent. */
async function readViews(tx: Db, deliveries: readonly Delivery[]): Promise<Map<string | null, View>> {
  const intents = deliveries.flatMap(({ groupId, intent }) => (groupId === null ? [] : (intent ?? [])))
  if (intents.length === 0) return new Map()
  const rows = await tx.many<View & { intent: string }>(sql`
    select intent, delivered, read from delivery_views where intent = any(${intents}::uuid[])`)
  return new Map(rows.map((row) => [row.intent, row]))
}

type Change = Delivery & Merged

async function writeChanges(tx: Db, changes: readonly Change[]): Promise<JobRef[]> {
  const views = changes.filter(({ groupId, intent }) => groupId !== null && intent !== null)
  const [jobs] = await Promise.all([updateDeliveries(tx, changes), views.length > 0 && writeViews(tx, views)])
  return jobs
}

/** A message that is read in a private chat need not be asked about any more. */
const updateDeliveries = (tx: Db, changes: readonly Change[]) =>
  tx.many<JobRef>(sql`
    update deliveries d
    -- The times of receipts have no microseconds. 'least' and 'greatest' leave out nulls.
    set delivered_at = least(d.delivered_at, greatest(d.sent_at, new.delivered_at)),
      read_at = case when new.read_at is not null then least(d.read_at, greatest(d.sent_at, new.read_at)) end,
      delivered_members = d.delivered_members + new.delivered, read_members = d.read_members + new.read,
      ask_at = case when new.read_at is null or d.chat_id like '%@g.us' then d.ask_at end
    from unnest(
      ${changes.map(({ id }) => id)}::bigint[],
      ${changes.map(({ deliveredAt }) => deliveredAt)}::timestamptz[],
      ${changes.map(({ readAt }) => readAt)}::timestamptz[],
      ${changes.map(({ newDelivered }) => newDelivered)}::int[], ${changes.map(({ newRead }) => newRead)}::int[]
    ) as new (id, delivered_at, read_at, delivered, read)
    where d.id = new.id
    returning d.job_id, d.instance_id`)

const writeViews = (tx: Db, views: readonly Change[]) =>
  tx.run(sql`
    insert into delivery_views (intent, delivered, read, sent_at)
    select * from unnest(
      ${views.map(({ intent }) => intent)}::uuid[],
      ${views.map(({ delivered }) => delivered)}::bytea[], ${views.map(({ read }) => read)}::bytea[],
      ${views.map(({ sentAt }) => sentAt)}::timestamptz[])
    on conflict (intent) do update set delivered = excluded.delivered, read = excluded.read`)
