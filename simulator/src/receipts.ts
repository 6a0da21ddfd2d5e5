import { type Ack, type AckPlan, acksOf, statusAfter, usualPlan, type WireStatus } from './acks.ts'
import type { Channel } from './channels.ts'
import { newMessageId } from './identifiers.ts'
import type { Journal } from './journal.ts'
import type { LedgerEntry } from './ledger.ts'
import type { Webhooks } from './webhooks.ts'

/** How the news of acks may go wrong; what a look at the message says stays true. */
export const disorders = ['duplicates', 'reversed', 'early', 'unknown'] as const
export type Disorder = (typeof disorders)[number]

/** What becomes of messages from now on, and how it is told. */
export interface ReceiptRules extends AckPlan {
  /**
   * `duplicates`: all is told twice; `reversed`: read comes first and sent last; `early`: all is told before the
   * send is answered; `unknown`: along come acks of ids nobody knows and events nobody has asked for.
   */
  disorders: Disorder[]
  /** All is told so much later than it happens. */
  lateMs: number
}

export interface Receipts {
  /** Changes the rules for one channel, or for all that have none of their own. */
  change(token: string | undefined, rules: Partial<ReceiptRules>): ReceiptRules
  /** Settles what becomes of a message that has just been accepted, for good: a kill changes nothing of it. */
  decide(entry: LedgerEntry): void
  /** Takes back what was read from the file. */
  restore(entry: LedgerEntry, rules: ReceiptRules): void
  /** A message was accepted so long ago: its acks are told from now on. Resolves when it may be answered. */
  follow(channel: Channel, entry: LedgerEntry, ageMs: number): Promise<void>
  /** The message's status at that time on the provider's clock. */
  statusAt(entry: LedgerEntry, now: number): WireStatus['status']
  /** The same for each viewer of a group's message. */
  statusesAt(channel: Channel, entry: LedgerEntry, now: number): WireStatus[]
}

/** What of a message's receipts survives a restart. */
export type DecidedRecord = { token: string; id: string; rules: ReceiptRules }

/** Acks that are due within the same moment go out together, up to so many. */
const momentMs = 100
const statusesInOne = 100

export function createReceipts(
  journal: Journal,
  webhooks: Webhooks,
  { closing, groupsPerChannel }: { closing: AbortSignal; groupsPerChannel: number },
): Receipts {
  const usualRules: ReceiptRules = { ...usualPlan, disorders: [], lateMs: 0 }
  let rulesOfAll = usualRules
  const rulesOf = new Map<string, ReceiptRules>()
  /** What the rules were when a message was accepted, where they were not the usual ones. */
  const fates = new WeakMap<LedgerEntry, ReceiptRules>()
  const due = new Map<string, WireStatus[]>()

  const rulesFor = (entry: LedgerEntry) => fates.get(entry) ?? usualRules
  const acks = (channel: Channel, entry: LedgerEntry) =>
    acksOf(channel, entry, rulesFor(entry), groupsPerChannel)

  function schedule(channel: Channel, rules: ReceiptRules, { afterMs, status }: Ack) {
    const moment = Math.ceil((Date.now() + Math.max(0, afterMs)) / momentMs) * momentMs
    const key = `${channel.token} ${moment} ${rules.disorders}`
    const others = due.get(key)
    if (others) return others.push(status)
    due.set(key, [status])
    const timer = setTimeout(() => {
      const statuses = due.get(key) ?? []
      due.delete(key)
      if (!closing.aborted) void tell(channel, rules, statuses)
    }, moment - Date.now())
    return timer.unref()
  }

  async function tell(channel: Channel, rules: ReceiptRules, statuses: WireStatus[]) {
    const told: WireStatus[][] = []
    for (let start = 0; start < statuses.length; start += statusesInOne)
      told.push(statuses.slice(start, start + statusesInOne))
    const [first] = statuses
    if (first && rules.disorders.includes('unknown'))
      told.unshift([{ ...first, id: newMessageId(first.recipient_id) }])
    if (rules.disorders.includes('duplicates')) told.push(...told)
    await Promise.all(
      told.map((some) =>
        webhooks.tell(channel, { type: 'statuses', verb: 'post', payload: { statuses: some } }),
      ),
    )
  }

  return {
    change(token, rules) {
      const changed = { ...(token === undefined ? rulesOfAll : (rulesOf.get(token) ?? rulesOfAll)), ...rules }
      if (token === undefined) rulesOfAll = changed
      else rulesOf.set(token, changed)
      return changed
    },
    decide(entry) {
      const rules = rulesOf.get(entry.token) ?? rulesOfAll
      if (rules === usualRules) return
      fates.set(entry, rules)
      journal.append({ decided: { token: entry.token, id: entry.id, rules } satisfies DecidedRecord })
    },
    restore: (entry, rules) => fates.set(entry, rules),
    async follow(channel, entry, ageMs) {
      const rules = rulesFor(entry)
      if (!webhooks.areWanted(channel, 'statuses', 'post')) return
      const all = acks(channel, entry)
      if (rules.disorders.includes('early'))
        return tell(
          channel,
          rules,
          all.map(({ status }) => status),
        )
      const times = all.map(({ afterMs }) => afterMs - ageMs + rules.lateMs)
      if (rules.disorders.includes('reversed')) times.reverse()
      for (const [index, ack] of all.entries())
        schedule(channel, rules, { ...ack, afterMs: times[index] ?? ack.afterMs })
    },
    statusAt: (entry, now) => statusAfter(now - entry.at, entry, rulesFor(entry)),
    statusesAt(channel, entry, now) {
      const latest = new Map<string | undefined, WireStatus>()
      for (const { afterMs, status } of acks(channel, entry))
        if (afterMs <= now - entry.at) latest.set(status.viewer_id, status)
      return [...latest.values()]
    },
  }
}
