import type { GroupNumbers } from '../seed/groups.ts'
import type { Channel } from '../state/channels.ts'
import type { Journal } from '../state/journal.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { newMessageId } from '../wire/identifiers.ts'
import { type Ack, acksOf, statusAfter, type WireStatus } from './acks.ts'
import { defaultRules, type ReceiptRules } from './rules.ts'

/** The receipts of all messages: their rules, their notifications and their status. */
export interface Receipts {
  /**
   * Changes the rules of later messages, for one channel or, without `token`, for every channel without rules of its
   * own. Returns the complete new rules.
   */
  change(token: string | undefined, rules: Partial<ReceiptRules>): ReceiptRules
  /** Returns the rules of a message. */
  rules(entry: LedgerEntry): ReceiptRules
  /** Fixes the rules of a message that was just accepted. The journal keeps them, so a kill changes nothing. */
  fixRules(entry: LedgerEntry): void
  /** Restores the rules of a message from the journal. */
  restore(entry: LedgerEntry, rules: ReceiptRules): void
  /**
   * Schedules the ack notifications of a message that was accepted `ageMs` ago. Resolves when the send may be answered:
   * at once, or with the disorder `early` after all notifications went out.
   */
  schedule(channel: Channel, entry: LedgerEntry, ageMs: number): Promise<void>
  /** Returns the status of a message at a time in milliseconds on the provider's clock. */
  statusAt(entry: LedgerEntry, now: number): WireStatus['status']
  /** Returns the latest status per viewer, for `GET /statuses`. `now` as in `statusAt`. */
  statusesAt(channel: Channel, entry: LedgerEntry, now: number): WireStatus[]
}

/** The part of a message's receipts that survives a restart. */
export type RulesRecord = { token: string; id: string; rules: ReceiptRules }

/** Acks within this window share a notification, as a group message may have a thousand acks. */
const windowMs = 100
const maxStatusesPerEvent = 100

/** Creates the receipts of a simulator. An abort of `closing` ends all notifications. */
export function createReceipts(
  journal: Journal,
  webhooks: Webhooks,
  { closing, groupNumbers }: { closing: AbortSignal; groupNumbers: GroupNumbers },
): Receipts {
  let sharedRules = defaultRules
  const channelRules = new Map<string, ReceiptRules>()
  /** The rules of messages that were accepted under other rules than the default ones. */
  const messageRules = new WeakMap<LedgerEntry, ReceiptRules>()
  const waiting = new Map<string, WireStatus[]>()

  const rulesFor = (token: string) => channelRules.get(token) ?? sharedRules
  const rulesOf = (entry: LedgerEntry) => messageRules.get(entry) ?? defaultRules
  const acks = (channel: Channel, entry: LedgerEntry) => acksOf(channel, entry, rulesOf(entry), groupNumbers)

  function scheduleAck(channel: Channel, rules: ReceiptRules, { afterMs, status }: Ack) {
    const windowEnd = Math.ceil((Date.now() + Math.max(0, afterMs)) / windowMs) * windowMs
    const key = `${channel.token} ${windowEnd} ${rules.disorders}`
    const others = waiting.get(key)
    if (others) return others.push(status)
    waiting.set(key, [status])
    const timer = setTimeout(() => {
      const statuses = waiting.get(key) ?? []
      waiting.delete(key)
      if (!closing.aborted) void notify(channel, rules, statuses)
    }, windowEnd - Date.now())
    return timer.unref()
  }

  async function notify(channel: Channel, rules: ReceiptRules, statuses: WireStatus[]) {
    const events: WireStatus[][] = []
    for (let start = 0; start < statuses.length; start += maxStatusesPerEvent)
      events.push(statuses.slice(start, start + maxStatusesPerEvent))
    const [first] = statuses
    if (first && rules.disorders.includes('unknown'))
      events.unshift([{ ...first, id: newMessageId(first.recipient_id) }])
    if (rules.disorders.includes('duplicates')) events.push(...events)
    await Promise.all(
      events.map((some) =>
        webhooks.notify(channel, { type: 'statuses', verb: 'post', payload: { statuses: some } }),
      ),
    )
  }

  return {
    change(token, rules) {
      const current = token === undefined ? sharedRules : rulesFor(token)
      const changed = { ...current, ...rules }
      if (token === undefined) sharedRules = changed
      else channelRules.set(token, changed)
      return changed
    },
    rules: rulesOf,
    fixRules(entry) {
      const rules = rulesFor(entry.token)
      if (rules === defaultRules) return
      messageRules.set(entry, rules)
      journal.append({ decided: { token: entry.token, id: entry.id, rules } satisfies RulesRecord })
    },
    restore: (entry, rules) => messageRules.set(entry, rules),
    async schedule(channel, entry, ageMs) {
      const rules = rulesOf(entry)
      if (!webhooks.hasSubscriber(channel, 'statuses', 'post')) return
      const all = acks(channel, entry)
      if (rules.disorders.includes('early'))
        return notify(
          channel,
          rules,
          all.map(({ status }) => status),
        )
      const times = all.map(({ afterMs }) => afterMs - ageMs + rules.lateMs)
      if (rules.disorders.includes('reversed')) times.reverse()
      for (const [index, ack] of all.entries())
        scheduleAck(channel, rules, { ...ack, afterMs: times[index] ?? ack.afterMs })
    },
    statusAt: (entry, now) => statusAfter(now - entry.at, entry, rulesOf(entry)),
    statusesAt(channel, entry, now) {
      const latest = new Map<string | undefined, WireStatus>()
      for (const { afterMs, status } of acks(channel, entry))
        if (afterMs <= now - entry.at) latest.set(status.viewer_id, status)
      return [...latest.values()]
    },
  }
}
