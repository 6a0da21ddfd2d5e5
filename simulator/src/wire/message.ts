import { createHash } from 'node:crypto'
import type { Receipts } from '../receipts/receipts.ts'
import type { Channel } from '../state/channels.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import { isNewsletter } from './identifiers.ts'

/**
 * Returns Whapi's message object for a ledger entry. `now` (milliseconds on the provider's clock) decides the status.
 * Times in the object are Unix seconds.
 */
export function wireMessage(receipts: Receipts, channel: Channel, entry: LedgerEntry, now: number) {
  const timestamp = Math.floor(entry.at / 1000)
  const context = {
    ...(entry.quoted ? { quoted_id: entry.quoted } : {}),
    ...(entry.mentions ? { mentions: entry.mentions } : {}),
  }
  return {
    id: entry.id,
    from_me: entry.from === undefined,
    chat_id: entry.to,
    timestamp,
    source: entry.source,
    ...(entry.source === 'api' ? { device_id: 11 } : {}),
    ...(entry.from === undefined ? { status: receipts.statusAt(entry, now) } : {}),
    from: entry.from ?? channel.number,
    ...(Object.keys(context).length > 0 ? { context } : {}),
    ...contentOf(entry, timestamp),
  }
}

function contentOf(entry: LedgerEntry, timestamp: number) {
  const { type } = entry
  if (type === 'poll') return { type, poll: wirePoll(entry) }
  if (type === 'location') return { type, location: entry.location }
  if (type !== 'text') return { type, [type]: wireMedia(entry, timestamp) }
  const body = entry.body ?? ''
  if (!entry.link) return { type, text: { body } }
  const { href, hostname } = new URL(entry.link)
  return { type: 'link_preview', link_preview: { body, url: href, title: hostname } }
}

function wireMedia({ media, caption, fileName, seconds }: LedgerEntry, timestamp: number) {
  return {
    id: media?.id,
    mime_type: media?.mime,
    file_size: media?.size,
    sha256: media?.sha256,
    timestamp,
    ...(caption === undefined ? {} : { caption }),
    // The OpenAPI file has both names for an answer.
    ...(fileName === undefined ? {} : { file_name: fileName, filename: fileName }),
    ...(seconds === undefined ? {} : { seconds }),
  }
}

/** Returns a poll with its results. The voters of a newsletter are anonymous. */
function wirePoll({ to, poll, votes = {} }: LedgerEntry) {
  const { title = '', options = [], isSingle } = poll ?? {}
  const results = options.map((name) => {
    const voters = Object.keys(votes).filter((voter) => votes[voter]?.includes(name))
    const id = createHash('sha256').update(name).digest('base64')
    return { id, name, count: voters.length, voters: isNewsletter(to) ? [] : voters }
  })
  const total = results.reduce((sum, { count }) => sum + count, 0)
  return { title, options, vote_limit: isSingle ? 1 : 0, total, results }
}
