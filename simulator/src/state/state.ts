import { setTimeout as wait } from 'node:timers/promises'
import { createFaults, type Faults } from '../faults/faults.ts'
import { createIncoming, type Incoming } from '../incoming/incoming.ts'
import { createEncoding, type Encoding } from '../media/encoding.ts'
import { createMedia, type Media, type StoredMedia } from '../media/media.ts'
import { createReceipts, type Receipts, type RulesRecord } from '../receipts/receipts.ts'
import type { GroupNumbers } from '../seed/groups.ts'
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.ts'
import { profileName, wireHealth } from '../wire/health.ts'
import { type ChannelHooks, type ChannelRecord, type Channels, createChannels } from './channels.ts'
import { openJournal } from './journal.ts'
import { createLedger, type Ledger, type LedgerEntry, type Vote } from './ledger.ts'

/** All state of one simulator. */
export interface State {
  readonly channels: Channels
  readonly ledger: Ledger
  readonly media: Media
  readonly encoding: Encoding
  readonly faults: Faults
  readonly webhooks: Webhooks
  readonly receipts: Receipts
  readonly incoming: Incoming
  readonly groupNumbers: GroupNumbers
  /** Milliseconds between accepting a send and answering it. */
  sendLatencyMs: number
  /** Milliseconds that the provider's clock (message times and Date headers) is ahead of this machine's clock. */
  clockShiftMs: number
  /** `close()` aborts this signal, which ends every wait. */
  readonly closing: AbortSignal
  /** Returns the time on the provider's clock in Unix milliseconds. */
  now(): number
  /** Waits. Rejects with an AbortError if the simulator closes meanwhile. */
  pause(ms: number): Promise<void>
  /** Replays the journal, once. The first request calls this, so that a long history does not delay the start. */
  load(): void
  close(): void
}

/** Creates the state of a simulator. Options as in `SimulatorOptions`. Throws if the file is unusable. */
export function createState(options: {
  file?: string
  groupNumbers: GroupNumbers
  linkAfterMs: number
  webhookBackoffMs?: number
  clockShiftMs: number
}): State {
  const journal = openJournal(options.file)
  const closing = new AbortController()
  const webhooks = createWebhooks(closing.signal, options.webhookBackoffMs)
  const ledger = createLedger(journal)
  const { groupNumbers } = options
  const receipts = createReceipts(journal, webhooks, { closing: closing.signal, groupNumbers })
  let isLoaded = false
  const runLater = (ms: number, task: () => void) =>
    void setTimeout(() => closing.signal.aborted || task(), ms).unref()
  const state: State = {
    channels: createChannels(journal, options.linkAfterMs, hooksOf(webhooks, runLater)),
    ledger,
    media: createMedia(journal),
    encoding: createEncoding(),
    faults: createFaults(),
    webhooks,
    receipts,
    incoming: createIncoming({ ledger, receipts, webhooks, groupNumbers, runLater, now: () => state.now() }),
    groupNumbers,
    sendLatencyMs: 0,
    clockShiftMs: options.clockShiftMs,
    closing: closing.signal,
    now() {
      return Date.now() + this.clockShiftMs
    },
    async pause(ms) {
      if (ms > 0) await wait(ms, undefined, { signal: closing.signal })
    },
    load() {
      if (isLoaded) return
      journal.replay((record) => restore(this, record as JournalRecord)) // only this program writes the file
      isLoaded = true
      const count = this.ledger.list().length
      runLater(resumeDelayMs, () => resumeNotifications(this, count))
    },
    close() {
      closing.abort()
      journal.close()
    },
  }
  return state
}

/** A line of the journal. Every line holds one of these fields. */
interface JournalRecord {
  channel?: ChannelRecord
  sent?: LedgerEntry
  decided?: RulesRecord
  media?: StoredMedia
  vote?: Vote
}

function restore(state: State, record: JournalRecord) {
  if (record.channel) state.channels.restore(record.channel)
  if (record.sent) state.ledger.restore(record.sent)
  if (record.decided) {
    const { token, id, rules } = record.decided
    const entry = state.ledger.find(token, id)
    if (entry) state.receipts.restore(entry, rules)
  }
  if (record.media) state.media.restore(record.media)
  if (record.vote) state.ledger.restoreVote(record.vote)
}

const recentMs = 60_000
/** A client that restarts too may have a new webhook address. The delay gives the client time to set the address. */
const resumeDelayMs = 2000

/** Schedules what recent messages notify again: a stop or a kill loses the timers. `count` is the replayed entries. */
function resumeNotifications(state: State, count: number) {
  const entries = state.ledger.list()
  for (let index = count - 1; index >= 0; index--) {
    const entry = entries[index]
    const ageMs = entry ? state.now() - entry.at : recentMs
    if (!entry || ageMs >= recentMs) return
    const channel = state.channels.find(entry.token)
    if (!channel) continue
    if (entry.source === 'mobile') state.incoming.notify(channel, entry)
    else {
      void state.receipts.schedule(channel, entry, ageMs)
      state.incoming.answer(channel, entry, ageMs)
    }
  }
}

function hooksOf(webhooks: Webhooks, runLater: ChannelHooks['runLater']): ChannelHooks {
  return {
    runLater,
    onState(channel, state) {
      const health = wireHealth(channel, state)
      void webhooks.notify(channel, { type: 'channel', verb: 'post', payload: { health } })
    },
    onLink(channel) {
      const user = { id: channel.number, name: profileName(channel) }
      void webhooks.notify(channel, {
        type: 'users',
        verb: channel.linked ? 'post' : 'delete',
        payload: { user },
      })
    },
  }
}
