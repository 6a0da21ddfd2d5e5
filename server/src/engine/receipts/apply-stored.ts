import { limits } from '@sendroom/contract/limits'
import { LOCKS, tryLock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { identifier, json, sql } from '../../platform/database/sql.ts'
import { forgetLimits } from '../health/whatsapp-limits.ts'
import { logDelivery, reason, recipientLine } from '../shared/job-log.ts'
import { tryLockInstance } from '../shared/lock.ts'
import type { JobRef } from '../status/progress.ts'
import { applyReceipts, type NeedsLock } from './apply.ts'
import type { Incoming } from './merge.ts'
import { findBatches, splitBatch, storeReceipts, takeBatches } from './store.ts'
import { applyInHalves, setBatchAside, setReceiptAside } from './unusable-receipts.ts'

/*
 * A worker applies the receipts of the calls, which intake.ts has stored. Those that can't be applied at once are
 * stored one by one: their message has no delivery yet, somebody holds its lock, or they need the instance's lock.
 *
 * A receipt may arrive before the send of its message is settled, as the provider reports a message before it has
 * answered the call. It matches no delivery then, and is stored and tried again (`UNMATCHED_TRIES`). A settle does not
 * wake it: its next try finds the delivery, and a delivery is never received or read before it was sent (apply.ts).
 */

/** Receipts of webhook calls in a transaction. The more there are, the more of them share a write of their message. */
const MAX_NEW = 10_000
/** Receipts in a transaction that are tried again. */
const BATCH = 2000
/**
 * A receipt that matches no delivery by then is not ours: it belongs to the phone or to a former run. The tries come 0,
 * 1, 6, 31, 156 and 781 s after the first. They are counted, because an outage may take the time.
 */
const UNMATCHED_TRIES = 6
const KEPT_AFTER_OUTAGE = '10 minutes'

type Stored = Incoming & { eventId: number }

/** Applies all stored receipts that are due. Returns the jobs whose deliveries changed; a job may be listed twice. */
export async function applyStoredReceipts(db: Pool): Promise<JobRef[]> {
  // Twice a second there is mostly nothing to do.
  const { isNew, isDue } = await db.one<{ isNew: boolean; isDue: boolean }>(sql`
    select exists (select from receipt_batches) as is_new,
      exists (select from receipt_events where try_at <= clock_now()) as is_due`)
  return [...(isNew ? await applyNew(db) : []), ...(isNew || isDue ? await applyDue(db) : [])]
}

type Batch = { id: number; count: number }

async function applyNew(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let isMore = true; isMore; ) {
    const batches = await findBatches(db, MAX_NEW)
    let [wasSplit, isElsewhere] = [false, false]
    async function apply(some: readonly Batch[]) {
      const changed = await db.begin((tx) => applyBatches(tx, some))
      isElsewhere ||= changed === null
      return changed ?? []
    }
    async function takeApart(batch: Batch, why: string) {
      if (batch.count <= 1) return await setBatchAside(db, batch.id, why)
      wasSplit = true
      await splitBatch(db, batch)
    }
    jobs.push(...(await applyInHalves(batches, apply, takeApart)))
    const count = batches.reduce((sum, batch) => sum + batch.count, 0)
    isMore = !isElsewhere && (wasSplit || count >= MAX_NEW)
  }
  return jobs
}

/** Returns null if another worker applies batches: two would find each other's deliveries locked. */
async function applyBatches(tx: Db, batches: readonly Batch[]): Promise<JobRef[] | null> {
  if (!(await tryLock(tx, LOCKS.receipts))) return null
  const receipts = await takeBatches(
    tx,
    batches.map(({ id }) => id),
  )
  const { jobs, left, needsLock } = await applyReceipts(tx, receipts)
  await storeReceipts(tx, left, '1 second')
  await storeReceipts(tx, receiptsOf(needsLock), '0 seconds')
  return jobs
}

const receiptsOf = <R>(some: readonly NeedsLock<R>[]) => some.map(({ receipt }) => receipt)

async function applyDue(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let isMore = true; isMore; ) {
    const batch = await applyDueBatch(db)
    const applied: NeedsLock<Stored>[] = []
    for (const some of Map.groupBy(batch.needsLock, ({ delivery }) => delivery.instanceId).values())
      applied.push(...(await applyAllUnderLock(db, some)))
    jobs.push(...batch.jobs, ...applied.map(({ delivery }) => delivery))
    isMore = batch.taken === BATCH || applied.some(({ receipt }) => receipt.state !== 'failed')
  }
  return jobs
}

async function applyDueBatch(db: Pool) {
  const due = await db.many<{ id: number }>(sql`
    select id from receipt_events where try_at <= clock_now() order by try_at, id limit ${BATCH}`)
  const total = { taken: 0, needsLock: [] as NeedsLock<Stored>[] }
  async function apply(some: readonly { id: number }[]) {
    const ids = some.map(({ id }) => id)
    const { jobs, needsLock, taken } = await db.begin((tx) => applyEvents(tx, ids))
    total.taken += taken
    total.needsLock.push(...needsLock)
    return jobs
  }
  const jobs = await applyInHalves(due, apply, ({ id }, why) => setReceiptAside(db, id, why))
  return { ...total, jobs }
}

async function applyEvents(tx: Db, eventIds: number[]) {
  const due = await tx.many<Stored>(sql`
    select id as event_id, instance_id, provider_message_id, state, viewer, detail, happened_at as at, received_at
    from receipt_events where id = any(${eventIds}) and try_at <= clock_now()
    order by try_at, id for update skip locked`)
  if (due.length === 0) return { jobs: [], needsLock: [], taken: 0 }
  const { jobs, left, needsLock } = await applyReceipts(tx, due)
  const postponed = new Set([...left, ...receiptsOf(needsLock)].map(({ eventId }) => eventId))
  const ids = due.map(({ eventId }) => eventId)
  await tx.run(sql`delete from receipt_events where id = any(${ids.filter((id) => !postponed.has(id))})`)
  await postpone(tx, [...postponed])
  return { jobs, needsLock, taken: due.length }
}

/**
 * Condition: the receipt belongs to a message of ours that it may change. The same as in `lockDeliveries` (apply.ts).
 * The id of a former run still leads to its delivery, which has another message since.
 */
const hasMatch = (receipt: string) => sql`exists (
  select from matched_messages m join deliveries d on d.id = m.delivery_id and d.provider_message_id = m.provider_message_id
  where m.instance_id = ${identifier(receipt)}.instance_id
    and m.provider_message_id = ${identifier(receipt)}.provider_message_id
    and d.sent_at > clock_now() - ${limits.receiptDays} * interval '1 day' and d.status in ('sent', 'failed'))`

/** A receipt of ours only waits for a lock. */
const postpone = (tx: Db, eventIds: number[]) =>
  tx.run(sql`
    update receipt_events e
    set tries = tries + 1,
      try_at = clock_now() + interval '1 second' * case when ${hasMatch('e')}
        then least(power(2, least(tries, 6)), 60) else power(5, least(tries, 4)) end
    where id = any(${eventIds})`)

const applyAllUnderLock = (db: Pool, some: readonly NeedsLock<Stored>[]) =>
  applyInHalves(
    some,
    (part) => applyUnderLock(db, part),
    ({ receipt }, why) => setReceiptAside(db, receipt.eventId, why),
  )

/**
 * Sent becomes Failed, with the provider's reason; and a message that somebody received was sent, even if an earlier
 * receipt said that it failed. The job keeps its status. The instance's lock keeps a settle, a retry or a restart of
 * the same delivery from happening meanwhile. All receipts are of one instance. While somebody else has its lock, they
 * wait for their next try, and those of other instances for nothing. Returns what was applied.
 */
const applyUnderLock = (db: Pool, some: readonly NeedsLock<Stored>[]): Promise<NeedsLock<Stored>[]> =>
  db.begin(async (tx) => {
    const [first] = some
    if (!first || !(await tryLockInstance(tx, first.delivery.instanceId))) return []
    const here = await tx.many<{ id: number }>(sql`
      select id from receipt_events where id = any(${receiptsOf(some).map(({ eventId }) => eventId)}) for update`)
    const isHere = new Set(here.map(({ id }) => id))
    // Another worker applied the others.
    const left = some.filter(({ receipt }) => isHere.has(receipt.eventId))
    for (const { receipt, delivery } of left)
      if (receipt.state === 'failed') await fail(tx, receipt, delivery)
      else await revive(tx, receipt, delivery)
    return left
  })

async function fail(
  tx: Db,
  { eventId, detail, providerMessageId }: Stored,
  delivery: JobRef & { id: number },
) {
  const why = reason('receipt_failed', { detail })
  await tx.run(sql`delete from receipt_events where id = ${eventId}`)
  const failed = await tx.maybeOne<{ recipientName: string; chatId: string }>(sql`
    update deliveries set status = 'failed', reason = ${json(why)}, ask_at = null
    where id = ${delivery.id} and provider_message_id = ${providerMessageId} and status = 'sent'
      and delivered_at is null
    returning recipient_name, chat_id`)
  if (!failed) return
  await logDelivery(tx, delivery.jobId, recipientLine('Error', 'delivery_failed', failed, why))
  if (!failed.chatId.endsWith('@g.us')) await forgetLimits(tx, delivery.instanceId)
}

/** The next batch applies the receipt itself. */
async function revive(tx: Db, { eventId, providerMessageId }: Stored, delivery: { id: number }) {
  await tx.run(sql`
    update deliveries set status = 'sent', reason = null
    where id = ${delivery.id} and provider_message_id = ${providerMessageId} and status = 'failed'`)
  await tx.run(sql`update receipt_events set try_at = clock_now() where id = ${eventId}`)
}

/**
 * Not soon after an outage: receipts from before it may be tried first, and results that waited for it may be saved.
 */
export const deleteUnmatchedReceipts = (db: Pool) =>
  db.run(sql`
    delete from receipt_events e
    where tries >= ${UNMATCHED_TRIES} and not ${hasMatch('e')}
      and (select history_complete_at from heartbeat) < clock_now() - ${KEPT_AFTER_OUTAGE}::interval`)
