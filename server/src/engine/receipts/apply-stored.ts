import type { Db, Pool } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { logDelivery, reason, recipientLine } from '../shared/job-log.ts'
import { lockInstance } from '../shared/lock.ts'
import type { JobRef } from '../status/progress.ts'
import { applyReceipts, type NeedsLock } from './apply.ts'
import type { Incoming } from './merge.ts'
import { storeReceipts, takeBatches } from './store.ts'

/*
 * A worker applies the receipts of the calls, which intake.ts has stored. Those that can't be applied at once are stored
 * one by one: their message has no delivery yet, somebody holds its lock, or they need the instance's lock.
 */

/** Of the calls, in one transaction. The more there are, the more receipts of a message share one write of its row. */
const MAX_NEW = 10_000
/** Of those that are tried again. */
const BATCH = 2000
/** A receipt that matches no delivery by then is not ours: it belongs to the phone or to a former run. */
const UNMATCHED_KEPT = '15 minutes'
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

async function applyNew(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let isMore = true; isMore; ) {
    const batch = await db.begin(applyNewBatch)
    jobs.push(...batch.jobs)
    isMore = batch.taken >= MAX_NEW
  }
  return jobs
}

/** One worker at a time, because two would find each other's deliveries locked. */
async function applyNewBatch(tx: Db): Promise<{ jobs: JobRef[]; taken: number }> {
  const { isOurs } = await tx.one<{ isOurs: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtext('sendroom receipts')) as is_ours`)
  if (!isOurs) return { jobs: [], taken: 0 }
  const receipts = await takeBatches(tx, MAX_NEW)
  const { jobs, left, needsLock } = await applyReceipts(tx, receipts)
  await storeReceipts(tx, [...left, ...needsLock.map(({ receipt }) => receipt)])
  return { jobs, taken: receipts.length }
}

async function applyDue(db: Pool): Promise<JobRef[]> {
  const jobs: JobRef[] = []
  for (let isMore = true; isMore; ) {
    const batch = await db.begin(applyBatch)
    for (const one of batch.needsLock) await applyUnderLock(db, one)
    jobs.push(...batch.jobs, ...batch.needsLock.map(({ delivery }) => delivery))
    isMore = batch.taken === BATCH || batch.needsLock.some(({ receipt }) => receipt.state !== 'failed')
  }
  return jobs
}

async function applyBatch(tx: Db) {
  const due = await tx.many<Stored>(sql`
    select id as event_id, instance_id, provider_message_id, state, viewer, detail, happened_at as at, received_at
    from receipt_events where try_at <= clock_now()
    order by try_at, id limit ${BATCH} for update skip locked`)
  if (due.length === 0) return { jobs: [], needsLock: [], taken: 0 }
  const { jobs, left, needsLock } = await applyReceipts(tx, due)
  const postponed = new Set(
    [...left, ...needsLock.map(({ receipt }) => receipt)].map(({ eventId }) => eventId),
  )
  const ids = due.map(({ eventId }) => eventId)
  await tx.run(sql`delete from receipt_events where id = any(${ids.filter((id) => !postponed.has(id))})`)
  await tx.run(sql`
    update receipt_events
    set try_at = clock_now() + greatest(interval '1 second', least(interval '1 minute', clock_now() - received_at))
    where id = any(${[...postponed]})`)
  return { jobs, needsLock, taken: due.length }
}

/**
 * Sent becomes Failed, with the provider's reason; and a message that somebody received was sent, even if an earlier
 * receipt said that it failed. The job keeps its status. The instance's lock keeps a settle, a retry or a restart of the
 * same delivery from happening meanwhile.
 */
async function applyUnderLock(db: Pool, { receipt, delivery }: NeedsLock<Stored>): Promise<void> {
  await db.begin(async (tx) => {
    await lockInstance(tx, delivery.instanceId)
    const count = await tx.run(sql`select from receipt_events where id = ${receipt.eventId} for update`)
    if (count === 0) return // Another worker applied it.
    if (receipt.state === 'failed') await fail(tx, receipt, delivery)
    else await revive(tx, receipt, delivery)
  })
}

async function fail(
  tx: Db,
  { eventId, detail, providerMessageId }: Stored,
  delivery: JobRef & { id: number },
) {
  const why = reason('receipt_failed', { detail })
  await tx.run(sql`delete from receipt_events where id = ${eventId}`)
  const failed = await tx.maybeOne<{ recipientName: string }>(sql`
    update deliveries set status = 'failed', reason = ${json(why)}, ask_at = null
    where id = ${delivery.id} and provider_message_id = ${providerMessageId} and status = 'sent'
      and delivered_at is null
    returning recipient_name`)
  if (failed) await logDelivery(tx, delivery.jobId, recipientLine('Error', 'delivery_failed', failed, why))
}

/** The next batch applies the receipt itself. */
async function revive(tx: Db, { eventId, providerMessageId }: Stored, delivery: { id: number }) {
  await tx.run(sql`
    update deliveries set status = 'sent', reason = null
    where id = ${delivery.id} and provider_message_id = ${providerMessageId} and status = 'failed'`)
  await tx.run(sql`update receipt_events set try_at = clock_now() where id = ${eventId}`)
}

/** Not soon after an outage: receipts from before it may be tried first, and results that waited for it may be saved. */
export const deleteUnmatchedReceipts = (db: Pool) =>
  db.run(sql`
    delete from receipt_events
    where received_at < clock_now() - ${UNMATCHED_KEPT}::interval
      and (select history_complete_at from heartbeat) < clock_now() - ${KEPT_AFTER_OUTAGE}::interval`)
