import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'

/** A receipt as it comes from the provider. */
export type InstanceReceipt = Receipt & { instanceId: number }

/** Stores receipts that can't be applied now, in one statement. A worker applies them later (apply-stored.ts). */
export async function storeReceipts(db: Db, receipts: readonly InstanceReceipt[]): Promise<void> {
  if (receipts.length === 0) return
  await db.run(sql`
    insert into receipt_events (instance_id, provider_message_id, state, viewer, detail, happened_at)
    select r.instance_id, r.id, r.state, r.viewer, r.detail, coalesce(r.at, clock_now())
    from unnest(
      ${receipts.map(({ instanceId }) => instanceId)}::bigint[],
      ${receipts.map((receipt) => receipt.providerMessageId)}::text[],
      ${receipts.map((receipt) => receipt.state)}::text[],
      ${receipts.map((receipt) => receipt.viewer)}::text[],
      ${receipts.map((receipt) => receipt.detail)}::text[],
      ${receipts.map((receipt) => receipt.at)}::timestamptz[]
    ) as r (instance_id, id, state, viewer, detail, at)`)
}

/** PostgreSQL can't store NUL in a text. */
export const withoutNul = (receipt: Receipt): Receipt => ({
  ...receipt,
  providerMessageId: receipt.providerMessageId.replaceAll('\0', ''),
  viewer: receipt.viewer?.replaceAll('\0', '') ?? null,
  detail: receipt.detail.replaceAll('\0', ''),
})
