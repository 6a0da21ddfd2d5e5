import { seedOf } from '../seed/hash.ts'
import { ownNumber } from '../seed/people.ts'
import { channelIdOf } from '../wire/identifiers.ts'
import { Refusal, refuse } from '../wire/refusal.ts'
import type { Journal } from './journal.ts'

/**
 * Codes 1 to 5 come from Whapi's help desk and the live API. The codes of NOT_INIT, SYNC_ERROR and STOP are guesses.
 */
export const stateCodes = {
  NOT_INIT: 0,
  INIT: 1,
  LAUNCH: 2,
  QR: 3,
  AUTH: 4,
  ERROR: 5,
  SYNC_ERROR: 6,
  STOP: 7,
} as const

export type ChannelState = keyof typeof stateCodes

/** The states of WhatsApp's limit for new chats. */
export const capStatuses = ['none', 'first_warning', 'second_warning', 'capped'] as const
export type CapStatus = (typeof capStatuses)[number]

/** How long a woken channel stays in INIT, and then in LAUNCH. The live API takes seconds; tests should not. */
const startStepMs = 150

/** A channel: one token, one WhatsApp number. */
export interface Channel {
  readonly token: string
  readonly channelId: string
  readonly seed: number
  /** Unix milliseconds. */
  readonly startedAt: number
  linked: boolean
  /** The number in digits that the channel is linked with, or will be linked with next. */
  number: string
  /** As patched, without defaults. */
  settings: Record<string, unknown>
  /** When health or a login first woke the channel, in Unix milliseconds. Null while the channel sleeps. */
  wokenAt: number | null
  /** When the simulated person scans the code on the screen, in Unix milliseconds. */
  linksAt: number | null
  /** Time from showing a code to `linksAt`. */
  linkAfterMs: number
  /** A state that a test has set, stronger than every other rule. */
  forced: ChannelState | null
  /** Sends and number checks answer 402. */
  unpaid: boolean
  /** Every call answers 404 `channel not found`. */
  removed: boolean
  /** Until then (Unix seconds) the channel may not send to people. */
  restrictedUntil: number
  /** A status of WhatsApp's limit for new chats that a test has set, stronger than what `newChatQuota` gives. */
  newChatStatus: CapStatus | null
  /** How many new people a cycle allows. Null if WhatsApp reports no limit. */
  newChatQuota: number | null
  /** The end of the cycle and of `newChatStatus` (Unix seconds), or 0 for the end of each month. */
  newChatUntil: number
  /** Number of requests by `METHOD /pattern`. */
  readonly requests: Map<string, number>
}

const quota = 200
const lockMs = 600_000

/** WhatsApp's limits for a new channel. A token asks for them, so that everybody can try them in test mode. */
function limitsOf(token: string) {
  const [, word] = /^test_linked_(warned|capped|locked)/.exec(token) ?? []
  const newChatStatus: CapStatus | null =
    word === 'warned' ? 'first_warning' : word === 'capped' ? 'capped' : null
  return {
    newChatStatus,
    newChatQuota: newChatStatus ? quota : null,
    newChatUntil: 0,
    restrictedUntil: word === 'locked' ? Math.ceil((Date.now() + lockMs) / 1000) : 0,
  }
}

/** The part of a channel that survives a restart. */
export type ChannelRecord = Pick<Channel, 'token' | 'linked' | 'number' | 'settings'>

/** Whether the channel may not start chats with people. `now` is in milliseconds on the provider's clock. */
export const isRestricted = (channel: Channel, now: number): boolean => channel.restrictedUntil * 1000 > now

/** A situation that a test sets up. Missing fields stay. */
export interface ChannelChange {
  /** `AUTH` links the number, `QR` unlinks it as the phone would. Other states hold until the next `AUTH` or `QR`. */
  state?: ChannelState
  linkAfterMs?: number
  unpaid?: boolean
  removed?: boolean
  restrictedUntil?: number
  newChatStatus?: CapStatus
  newChatQuota?: number
  newChatUntil?: number
  number?: string
}

/** Everything that channels need from the rest of the simulator. */
export interface ChannelHooks {
  /** Runs a task after `ms`, unless the simulator closes first. */
  runLater(ms: number, task: () => void): void
  /** The channel has entered a state. */
  onState(channel: Channel, state: ChannelState): void
  /** A number was linked or unlinked. */
  onLink(channel: Channel): void
}

/** The channels of a simulator by token. */
export interface Channels {
  /**
   * Returns the channel of a token. A `test_…` token creates its channel at first use. Undefined for removed channels
   * and for other tokens without `create`.
   */
  find(token: string): Channel | undefined
  /** Returns the channel of a token, and creates the channel if missing. */
  create(token: string): Channel
  all(): Channel[]
  /** Sets up a situation. */
  change(channel: Channel, change: ChannelChange): void
  /** Returns the present state. */
  state(channel: Channel): ChannelState
  /** Starts a sleeping channel. */
  wake(channel: Channel): void
  /**
   * Records that a QR or pairing code is on a screen: the channel links `linkAfterMs` after the first showing. `number`
   * is the number to link with.
   */
  showCode(channel: Channel, number?: string): void
  /** Ends the session. Throws a 409 refusal if there is none. */
  logout(channel: Channel): void
  /** Replaces the settings and writes them to the journal. */
  saveSettings(channel: Channel, settings: Record<string, unknown>): void
  /** Throws a 401 or 402 refusal unless the channel may send. A channel in SYNC_ERROR may. */
  requireSender(channel: Channel): void
  /** Throws a 401, 402 or 500 refusal unless WhatsApp's data can be read. In SYNC_ERROR reads fail. */
  requireReader(channel: Channel): void
  /** Restores a channel from the journal. */
  restore(record: ChannelRecord): void
}

/** Creates the channels of a simulator. `linkAfterMs` as in `SimulatorOptions`. */
export function createChannels(journal: Journal, linkAfterMs: number, hooks: ChannelHooks): Channels {
  const channels = new Map<string, Channel>()

  function create(token: string, linked = token.startsWith('test_linked')): Channel {
    const known = channels.get(token)
    if (known) return known
    const seed = seedOf(token)
    const channel: Channel = {
      token,
      channelId: channelIdOf(token),
      seed,
      startedAt: Date.now(),
      linked,
      number: ownNumber(seed),
      settings: {},
      wokenAt: null,
      linksAt: null,
      linkAfterMs,
      forced: null,
      unpaid: false,
      removed: false,
      ...limitsOf(token),
      requests: new Map(),
    }
    channels.set(token, channel)
    return channel
  }

  function save({ token, linked, number, settings }: Channel) {
    journal.append({ channel: { token, linked, number, settings } satisfies ChannelRecord })
  }

  function unlink(channel: Channel) {
    channel.wokenAt = null
    setLinked(channel, false)
  }

  function setLinked(channel: Channel, linked: boolean) {
    const isChange = channel.linked !== linked
    channel.linked = linked
    channel.linksAt = null
    save(channel)
    if (isChange) hooks.onLink(channel)
  }

  function state(channel: Channel): ChannelState {
    if (channel.forced) return channel.forced
    if (channel.linksAt !== null && Date.now() >= channel.linksAt) {
      setLinked(channel, true)
      hooks.onState(channel, 'AUTH')
    }
    if (channel.linked) return 'AUTH'
    if (channel.wokenAt === null) return 'NOT_INIT'
    const awakeMs = Date.now() - channel.wokenAt
    return awakeMs < startStepMs ? 'INIT' : awakeMs < 2 * startStepMs ? 'LAUNCH' : 'QR'
  }

  function setState(channel: Channel, wanted: ChannelState) {
    channel.forced = wanted === 'AUTH' || wanted === 'QR' ? null : wanted
    if (wanted === 'AUTH') setLinked(channel, true)
    if (wanted === 'QR') {
      unlink(channel)
      channel.wokenAt = 0 // woken long ago, so the channel is past INIT and LAUNCH
    }
    hooks.onState(channel, wanted)
  }

  function requireSession(channel: Channel): ChannelState {
    const current = state(channel)
    if (current === 'STOP') throw refuse.unpaid()
    if (current !== 'AUTH' && current !== 'SYNC_ERROR') throw refuse.notLinked()
    return current
  }

  return {
    find(token) {
      const known = channels.get(token)
      if (known) return known.removed ? undefined : known
      return token.startsWith('test_') && !token.startsWith('test_unknown') ? create(token) : undefined
    },
    create: (token) => create(token),
    all: () => [...channels.values()],
    change(channel, { state: wanted, ...fields }) {
      Object.assign(channel, fields)
      if (fields.newChatStatus) channel.newChatQuota ??= quota
      if (wanted) setState(channel, wanted)
    },
    state,
    wake(channel) {
      if (channel.wokenAt !== null) return
      channel.wokenAt = Date.now()
      // A channel that is linked by then has already said so, and one that was logged out sleeps again.
      hooks.runLater(2 * startStepMs, () => state(channel) === 'QR' && hooks.onState(channel, 'QR'))
    },
    showCode(channel, number) {
      if (number) channel.number = number
      if (channel.linksAt !== null) return
      channel.linksAt = Date.now() + channel.linkAfterMs
      // Nobody may ask for the state, so a timer does: `state` links the channel when `linksAt` has passed.
      hooks.runLater(channel.linkAfterMs, () => state(channel))
    },
    logout(channel) {
      if (state(channel) !== 'AUTH' && !channel.linked) throw new Refusal(409, 'channel already logged out')
      channel.forced = null
      unlink(channel)
      hooks.onState(channel, 'QR')
    },
    saveSettings(channel, settings) {
      channel.settings = settings
      save(channel)
    },
    requireSender(channel) {
      requireSession(channel)
      if (channel.unpaid) throw refuse.unpaid()
    },
    requireReader(channel) {
      if (requireSession(channel) === 'SYNC_ERROR') throw new Refusal(500, 'sync error')
    },
    restore(record) {
      Object.assign(create(record.token, record.linked), record)
    },
  }
}
