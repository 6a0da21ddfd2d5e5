import type { Receipts } from '../receipts/receipts.ts'
import type { Channel } from '../state/channels.ts'
import type { Draft, Ledger, LedgerEntry } from '../state/ledger.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { wireMessage } from '../wire/message.ts'

/** A message that was written on a phone: by a person to the channel, or by the owner of the channel (no `from`). */
export type Written = Pick<Draft, 'to' | 'body' | 'from' | 'quoted'>

/** The messages that come from outside of the API, and their notifications. */
export interface Incoming {
  /** Records the message at a time in milliseconds on the provider's clock, and notifies the channel's webhooks. */
  receive(channel: Channel, written: Written, now: number): LedgerEntry
  /** Notifies of a recorded message. The rules of the channel's receipts say how late, how often and in which order. */
  notify(channel: Channel, entry: LedgerEntry): void
}

/** With the disorder `reversed`, messages of this time arrive last first. */
const windowMs = 300

/** Creates the incoming side of a simulator. An abort of `closing` ends all notifications. */
export function createIncoming(
  { ledger, receipts, webhooks }: { ledger: Ledger; receipts: Receipts; webhooks: Webhooks },
  closing: AbortSignal,
): Incoming {
  const held = new Map<string, LedgerEntry[]>()

  function post(channel: Channel, entry: LedgerEntry) {
    const messages = [wireMessage(receipts, channel, entry, entry.at)]
    void webhooks.notify(channel, { type: 'messages', verb: 'post', payload: { messages } })
    if (receipts.rules(channel.token).disorders.includes('duplicates')) {
      void webhooks.notify(channel, { type: 'messages', verb: 'post', payload: { messages } })
    }
  }
  function later(ms: number, task: () => void) {
    setTimeout(() => closing.aborted || task(), ms).unref()
  }
  function hold(channel: Channel, entry: LedgerEntry, lateMs: number) {
    const others = held.get(channel.token)
    if (others) return others.push(entry)
    held.set(channel.token, [entry])
    return later(lateMs + windowMs, () => {
      const entries = held.get(channel.token) ?? []
      held.delete(channel.token)
      for (const [place, one] of entries.reverse().entries()) later(place * 20, () => post(channel, one))
    })
  }

  function notify(channel: Channel, entry: LedgerEntry) {
    const { lateMs, disorders } = receipts.rules(channel.token)
    if (disorders.includes('reversed')) hold(channel, entry, lateMs)
    else if (lateMs > 0) later(lateMs, () => post(channel, entry))
    else post(channel, entry)
  }

  return {
    receive(channel, written, now) {
      const draft = { ...written, token: channel.token, type: 'text', source: 'mobile' } as const
      const entry = ledger.accept(draft, now)
      notify(channel, entry)
      return entry
    },
    notify,
  }
}
