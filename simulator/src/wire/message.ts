import type { Receipts } from '../receipts/receipts.ts'
import type { Channel } from '../state/channels.ts'
import type { LedgerEntry } from '../state/ledger.ts'

/**
 * Returns Whapi's message object for a ledger entry. `now` (milliseconds on the provider's clock) decides the status.
 * Times in the object are Unix seconds.
 */
export function wireMessage(receipts: Receipts, channel: Channel, entry: LedgerEntry, now: number) {
  const timestamp = Math.floor(entry.at / 1000)
  const common = {
    id: entry.id,
    from_me: entry.from === undefined,
    chat_id: entry.to,
    timestamp,
    source: entry.source,
    ...(entry.source === 'api' ? { device_id: 11 } : {}),
    ...(entry.from === undefined ? { status: receipts.statusAt(entry, now) } : {}),
    from: entry.from ?? channel.number,
    ...(entry.quoted ? { context: { quoted_id: entry.quoted } } : {}),
  }
  if (entry.type === 'image') return { ...common, type: 'image', image: wireImage(entry, timestamp) }
  const body = entry.body ?? ''
  if (!entry.link) return { ...common, type: 'text', text: { body } }
  const { href, hostname } = new URL(entry.link)
  return { ...common, type: 'link_preview', link_preview: { body, url: href, title: hostname } }
}

function wireImage({ media, caption }: LedgerEntry, timestamp: number) {
  return {
    id: media?.id,
    mime_type: media?.mime,
    file_size: media?.size,
    sha256: media?.sha256,
    timestamp,
    ...(caption === undefined ? {} : { caption }),
  }
}
