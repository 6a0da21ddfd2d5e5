import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'

/**
 * Stores receipts as they come, in one statement. A worker applies them within a second (apply.ts), so the provider's
 * call is answered at once.
 */
export async function storeReceipts(db: Db, instanceId: number, receipts: Receipt[]): Promise<void> {
  if (receipts.length === 0) return
  await db.run(sql`
    insert into receipt_events (instance_id, provider_message_id, state, viewer, detail, happened_at)
    select ${instanceId}, r.id, r.state, r.viewer, r.detail, coalesce(r.at, clock_now())
    from unnest(
      ${receipts.map((receipt) => withoutNul(receipt.providerMessageId))}::text[],
      ${receipts.map((receipt) => receipt.state)}::text[],
      ${receipts.map((receipt) => receipt.viewer && withoutNul(receipt.viewer))}::text[],
      ${receipts.map((receipt) => withoutNul(receipt.detail))}::text[],
      ${receipts.map((receipt) => receipt.at)}::timestamptz[]
    ) as r (id, state, viewer, detail, at)`)
}

/** PostgreSQL can't store NUL in a text. */
const withoutNul = (text: string) => text.replaceAll('\0', '')
