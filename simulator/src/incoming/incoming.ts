import type { Receipts } from '../receipts/receipts.ts'
import type { GroupNumbers } from '../seed/groups.ts'
import { lidOf } from '../seed/people.ts'
import type { Channel } from '../state/channels.ts'
import type { Draft, Ledger, LedgerEntry, Vote } from '../state/ledger.ts'
import type { WebhookEvent, Webhooks } from '../webhooks/webhooks.ts'
import { wireMessage } from '../wire/message.ts'
import { habitOf } from './habits.ts'
import { votesByHabit } from './voters.ts'

/** A message that was written on a phone: by a person to the channel, or by the owner of the channel (no `from`). */
type Written = Pick<Draft, 'to' | 'body' | 'from' | 'quoted'>

/** The two ways in which Whapi is said to notify of votes. */
export const voteShapes = ['update', 'poll_update'] as const
export type VoteShape = (typeof voteShapes)[number]

/** The messages that come from outside of the API, and their notifications. */
export interface Incoming {
  /** Records the message and notifies the channel's webhooks. */
  receive(channel: Channel, written: Written): LedgerEntry
  /** Notifies of a recorded message. The rules of its receipts say how late, how often and in which order. */
  notify(channel: Channel, entry: LedgerEntry): void
  /**
   * Records a vote in a poll and notifies the channel's webhooks, by an update of the message (`messages.patch`, seen
   * by third parties) or a message of the type `poll_update` (`messages.post`, in Whapi's agent skill).
   */
  vote(channel: Channel, vote: Omit<Vote, 'token'>, shape: VoteShape): void
  /**
   * Lets the recipient of a message that was accepted `ageMs` ago answer it, if that is a habit of the number, and
   * members vote in a poll, if the channel's token asks for that.
   */
  answer(channel: Channel, entry: LedgerEntry, ageMs: number): void
}

/** With the disorder `reversed`, messages of this time arrive last first. */
const windowMs = 300

/** People who vote by habit do so one after the other. */
const voteGapMs = 500

/** Everything that incoming messages need from the rest of the simulator. */
interface IncomingDeps {
  ledger: Ledger
  receipts: Receipts
  webhooks: Webhooks
  groupNumbers: GroupNumbers
  /** The provider's clock in Unix milliseconds. */
  now: () => number
  /** Runs a task after `ms`, unless the simulator closes first. */
  runLater: (ms: number, task: () => void) => void
}

/** Creates the incoming side of a simulator. */
export function createIncoming(deps: IncomingDeps): Incoming {
  const { ledger, receipts, webhooks, groupNumbers, now, runLater } = deps
  const held = new Map<string, LedgerEntry[]>()

  function post(channel: Channel, entry: LedgerEntry) {
    const messages = [wireMessage(receipts, channel, entry, entry.at)]
    const times = receipts.rules(entry).disorders.includes('duplicates') ? 2 : 1
    for (let time = 0; time < times; time++)
      void webhooks.notify(channel, { type: 'messages', verb: 'post', payload: { messages } })
  }

  function hold(channel: Channel, entry: LedgerEntry, lateMs: number) {
    const others = held.get(channel.token)
    if (others) return others.push(entry)
    held.set(channel.token, [entry])
    return runLater(lateMs + windowMs, () => {
      const entries = held.get(channel.token) ?? []
      held.delete(channel.token)
      for (const [place, one] of entries.reverse().entries()) runLater(place * 20, () => post(channel, one))
    })
  }

  function notify(channel: Channel, entry: LedgerEntry) {
    const { lateMs, disorders } = receipts.rules(entry)
    if (disorders.includes('reversed')) hold(channel, entry, lateMs)
    else runLater(lateMs, () => post(channel, entry))
  }

  function receive(channel: Channel, written: Written) {
    const entry = ledger.accept({ ...written, token: channel.token, type: 'text', source: 'mobile' }, now())
    receipts.fixRules(entry)
    notify(channel, entry)
    return entry
  }

  function vote(channel: Channel, { id, voter, options }: Omit<Vote, 'token'>, shape: VoteShape) {
    const entry = ledger.find(channel.token, id)
    if (!entry) return
    const before = wireMessage(receipts, channel, entry, now())
    ledger.vote({ token: channel.token, id, voter, options })
    const after = wireMessage(receipts, channel, entry, now())
    const { lateMs, disorders } = receipts.rules(entry)
    const event = voteEvent(shape, before, after)
    const times = disorders.includes('duplicates') ? 2 : 1
    runLater(lateMs, () => {
      for (let time = 0; time < times; time++) void webhooks.notify(channel, event)
    })
  }

  function letVote(channel: Channel, entry: LedgerEntry, ageMs: number) {
    const votes = votesByHabit(channel, entry, groupNumbers).filter(({ voter }) => !entry.votes?.[voter])
    for (const [place, one] of votes.entries())
      runLater(Math.max(0, receipts.rules(entry).answerMs + place * voteGapMs - ageMs), () =>
        vote(channel, one, 'update'),
      )
  }

  return {
    receive,
    notify,
    vote,
    answer(channel, entry, ageMs) {
      letVote(channel, entry, ageMs)
      const habit = habitOf(entry.to)
      if (!habit) return
      const number = entry.to.split('@')[0] ?? ''
      const from = habit.hides ? lidOf(channel.seed, number) : number
      const to = habit.hides ? from : entry.to
      const answer = { to, from, body: habit.says, ...(habit.quotes ? { quoted: entry.id } : {}) }
      runLater(Math.max(0, receipts.rules(entry).answerMs - ageMs), () => {
        const isAnswered = ledger.list(channel.token, to).some((one) => one.from && one.at >= entry.at)
        // A restart schedules the answers to recent messages again.
        if (ageMs === 0 || !isAnswered) receive(channel, answer)
      })
    },
  }
}

type WireMessage = ReturnType<typeof wireMessage>

function voteEvent(shape: VoteShape, before: WireMessage, after: WireMessage): WebhookEvent {
  if (shape === 'poll_update')
    return { type: 'messages', verb: 'post', payload: { messages: [{ ...after, type: 'poll_update' }] } }
  const update = { id: after.id, before_update: before, after_update: after, changes: ['poll'] }
  return { type: 'messages', verb: 'patch', payload: { messages_updates: [update] } }
}
