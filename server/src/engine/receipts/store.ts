import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'
import type { Incoming } from './merge.ts'

/** A receipt as it comes from the provider. */
export type InstanceReceipt = Receipt & { instanceId: number }

/** Stores the receipts of some calls in one statement and one row. A worker applies them within a second. */
export async function storeBatch(db: Db, receipts: readonly InstanceReceipt[]): Promise<void> {
  await db.run(sql`
    insert into receipt_batches (receipts, receipt_count) values (${JSON.stringify(receipts)}, ${receipts.length})`)
}

/** The ids of the oldest batches, at least one, until they have `max` receipts. */
export const findBatches = async (db: Db, max: number): Promise<{ id: number; count: number }[]> =>
  await db.many(sql`
    select id, receipt_count as count
    from (
      select id, receipt_count, sum(receipt_count) over (order by id) - receipt_count as earlier
      from (select id, receipt_count from receipt_batches order by id limit ${max}) oldest
    ) batch
    where earlier < ${max}
    order by id`)

/** Takes these batches, as far as they are still there. */
export async function takeBatches(tx: Db, ids: number[]): Promise<Incoming[]> {
  const batches = await tx.many<{ receipts: string; receivedAt: string }>(sql`
    delete from receipt_batches where id = any(${ids}) returning receipts, received_at`)
  return batches.flatMap(({ receipts, receivedAt }) =>
    (JSON.parse(receipts) as InstanceReceipt[]).map((receipt) => ({ ...receipt, receivedAt })),
  )
}

/** Divides a batch into two. */
export const splitBatch = (db: Db, { id, count }: { id: number; count: number }) =>
  db.run(sql`
    with batch as (
      delete from receipt_batches where id = ${id} returning receipts, received_at
    ), receipt as (
      select received_at, one, place > ${Math.floor(count / 2)} as is_behind
      from batch, json_array_elements(receipts::json) with ordinality as receipt (one, place)
    )
    insert into receipt_batches (receipts, receipt_count, received_at)
    select json_agg(one)::text, count(*), received_at from receipt group by is_behind, received_at`)

/** Stores receipts one by one that can't be applied now. A worker tries again after this time. */
export async function storeReceipts(db: Db, receipts: readonly Incoming[], tryIn: string): Promise<void> {
  if (receipts.length === 0) return
  await db.run(sql`
    insert into receipt_events (instance_id, provider_message_id, state, viewer, detail, happened_at, received_at, try_at)
    select r.instance_id, r.id, r.state, r.viewer, r.detail, coalesce(r.at, r.received_at), r.received_at,
      clock_now() + ${tryIn}::interval
    from unnest(
      ${receipts.map(({ instanceId }) => instanceId)}::bigint[],
      ${receipts.map((receipt) => receipt.providerMessageId)}::text[],
      ${receipts.map((receipt) => receipt.state)}::text[],
      ${receipts.map((receipt) => receipt.viewer)}::text[],
      ${receipts.map((receipt) => receipt.detail)}::text[],
      ${receipts.map((receipt) => receipt.at)}::timestamptz[],
      ${receipts.map(({ receivedAt }) => receivedAt)}::timestamptz[]
    ) as r (instance_id, id, state, viewer, detail, at, received_at)`)
}

/** PostgreSQL can't store NUL in a text. */
export const withoutNul = (receipt: Receipt): Receipt => ({
  ...receipt,
  providerMessageId: receipt.providerMessageId.replaceAll('\0', ''),
  viewer: receipt.viewer?.replaceAll('\0', '') ?? null,
  detail: receipt.detail.replaceAll('\0', ''),
})
