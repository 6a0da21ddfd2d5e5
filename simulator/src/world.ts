import { setTimeout as wait } from 'node:timers/promises'
import {
  type ChannelHooks,
  type ChannelRecord,
  type Channels,
  createChannels,
  healthOf,
  profileName,
} from './channels.ts'
import { createFaults, type Faults } from './faults.ts'
import { openJournal } from './journal.ts'
import { createLedger, type Ledger, type LedgerEntry } from './ledger.ts'
import { createMedia, type Media, type StoredMedia } from './media.ts'
import { createReceipts, type DecidedRecord, type Receipts } from './receipts.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** Everything one simulator knows. */
export interface World {
  readonly channels: Channels
  readonly ledger: Ledger
  readonly media: Media
  readonly faults: Faults
  readonly webhooks: Webhooks
  readonly receipts: Receipts
  readonly groupsPerChannel: number
  /** Milliseconds between accepting a send and answering it. */
  sendLatencyMs: number
  /** How far the provider's clock (message times and Date headers) is ahead of ours, in milliseconds. */
  clockShiftMs: number
  /** Aborted by close(); ends every wait. */
  readonly closing: AbortSignal
  /** Milliseconds on the provider's clock. */
  now(): number
  pause(ms: number): Promise<void>
  /** Reads the file back, once, at the first request: a start should not wait for a long history. */
  load(): void
  close(): void
}

export function createWorld(options: {
  file?: string
  groupsPerChannel: number
  linkAfterMs: number
  webhookBackoffMs?: number
  clockShiftMs: number
}): World {
  const journal = openJournal(options.file)
  const closing = new AbortController()
  const webhooks = createWebhooks(closing.signal, options.webhookBackoffMs)
  let loaded = false
  return {
    channels: createChannels(journal, options.linkAfterMs, hooksOf(webhooks, closing.signal)),
    ledger: createLedger(journal),
    media: createMedia(journal),
    faults: createFaults(),
    webhooks,
    receipts: createReceipts(journal, webhooks, {
      closing: closing.signal,
      groupsPerChannel: options.groupsPerChannel,
    }),
    groupsPerChannel: options.groupsPerChannel,
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
      if (loaded) return
      journal.replay((record) => restore(this, record as JournalRecord)) // the file is written by us alone
      loaded = true
      const known = this.ledger.list().length
      setTimeout(() => closing.signal.aborted || followRecent(this, known), settingsMs).unref()
    },
    close() {
      closing.abort()
      journal.close()
    },
  }
}

/** A line of the file holds one of these. */
interface JournalRecord {
  channel?: ChannelRecord
  sent?: LedgerEntry
  decided?: DecidedRecord
  media?: StoredMedia
}

function restore(world: World, record: JournalRecord) {
  if (record.channel) world.channels.restore(record.channel)
  if (record.sent) world.ledger.restore(record.sent)
  if (record.decided) {
    const { token, id, rules } = record.decided
    const entry = world.ledger.find(token, id)
    if (entry) world.receipts.restore(entry, rules)
  }
  if (record.media) world.media.restore(record.media)
}

const recentMs = 60_000
/** Whoever listened may have a new address after a restart, and says so first. */
const settingsMs = 2000

/** Messages that were on their way when the simulator was stopped, or killed, arrive after all. */
function followRecent(world: World, known: number) {
  const entries = world.ledger.list()
  for (let index = known - 1; index >= 0; index--) {
    const entry = entries[index]
    const ageMs = entry ? world.now() - entry.at : recentMs
    if (!entry || ageMs >= recentMs) return
    const channel = world.channels.find(entry.token)
    if (channel && entry.source === 'api') void world.receipts.follow(channel, entry, ageMs)
  }
}

function hooksOf(webhooks: Webhooks, closing: AbortSignal): ChannelHooks {
  return {
    after(ms, task) {
      setTimeout(() => closing.aborted || task(), ms).unref()
    },
    changed(channel, state) {
      const health = healthOf(channel, state)
      void webhooks.tell(channel, { type: 'channel', verb: 'post', payload: { health } })
    },
    linked(channel) {
      const user = { id: channel.number, name: profileName(channel) }
      void webhooks.tell(channel, {
        type: 'users',
        verb: channel.linked ? 'post' : 'delete',
        payload: { user },
      })
    },
  }
}
