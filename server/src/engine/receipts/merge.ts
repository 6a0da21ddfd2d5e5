import type { Receipt } from '../../providers/provider.ts'
import { addSlots, type Bitmap } from './bitmap.ts'

/** A receipt of one instance. `receivedAt` is ISO 8601, by the database's clock. */
export type Incoming = Receipt & { instanceId: number; receivedAt: string }

/** A delivery as its earlier receipts have left it. */
export type Known = {
  sentAt: string
  deliveredAt: string | null
  readAt: string | null
  delivered: Bitmap
  read: Bitmap
}

export type Merged = {
  deliveredAt: string | null
  readAt: string | null
  delivered: Bitmap
  read: Bitmap
  /** Members who received or read the message, and had not been counted. */
  newDelivered: number
  newRead: number
  isChanged: boolean
}

/** A receipt of this delivery, with the slot of the member; null in a private chat, or where no member is named. */
export type Seen = { state: 'delivered' | 'read'; at: string; slot: number | null }

/**
 * The moment that a receipt reports: the provider's time, but not before the message was sent, and not in the future.
 * All times are ISO 8601 in UTC, which compare as texts.
 */
export function momentOf(
  { at, receivedAt }: Pick<Incoming, 'at' | 'receivedAt'>,
  { sentAt }: { sentAt: string },
): string {
  const reported = at !== null && at < receivedAt ? at : receivedAt
  return reported < sentAt ? sentAt : reported
}

/** Adds receipts to what is known. A pure function; the order and repetitions of the receipts do not matter. */
export function mergeReceipts(known: Known, receipts: readonly Seen[]): Merged {
  const reads = receipts.filter(({ state }) => state === 'read')
  // Whoever has read the message has received it.
  const delivered = addSlots(known.delivered, slotsOf(receipts))
  const read = addSlots(known.read, slotsOf(reads))
  const deliveredAt = earliest(known.deliveredAt, receipts)
  const readAt = earliest(known.readAt, reads)
  return {
    ...{ deliveredAt, readAt, delivered: delivered.bitmap, read: read.bitmap },
    ...{ newDelivered: delivered.added, newRead: read.added },
    isChanged:
      delivered.added + read.added > 0 || deliveredAt !== known.deliveredAt || readAt !== known.readAt,
  }
}

const slotsOf = (receipts: readonly Seen[]) => receipts.flatMap(({ slot }) => slot ?? [])

const earliest = (known: string | null, receipts: readonly Seen[]) =>
  receipts.reduce<string | null>((first, { at }) => (first === null || at < first ? at : first), known)
