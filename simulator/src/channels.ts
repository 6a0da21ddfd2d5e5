import { channelIdOf, seedOf } from './identifiers.ts'
import type { Journal } from './journal.ts'
import { Refusal, refuse } from './refusal.ts'
import { ownNumber } from './seed.ts'

/** The codes 0 to 5 are the provider's; those of SYNC_ERROR and STOP are not known. */
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

/** How long a woken channel stays in INIT, and then in LAUNCH. */
const startStepMs = 150

/** One token, one WhatsApp number. */
export interface Channel {
  readonly token: string
  readonly channelId: string
  readonly seed: number
  readonly startedAt: number
  linked: boolean
  /** Digits; whom the channel is linked with, now or next. */
  number: string
  settings: Record<string, unknown>
  /** When health or a login first woke it; null while it sleeps. */
  wokenAt: number | null
  /** When the person "scans" the code that is shown. */
  linksAt: number | null
  linkAfterMs: number
  /** A state set by a test, whatever the life of the channel says. */
  forced: ChannelState | null
  /** Sends and checks answer 402. */
  unpaid: boolean
  /** The channel is gone: every call answers 404 `channel not found`. */
  removed: boolean
  /** Until then (unix seconds) sends to people are refused. */
  restrictedUntil: number
  /** Requests by `METHOD /pattern`. */
  readonly requests: Map<string, number>
}

/** What of a channel survives a restart. */
export type ChannelRecord = Pick<Channel, 'token' | 'linked' | 'number' | 'settings'>

/** `now` in milliseconds, on the provider's clock. */
export const isRestricted = (channel: Channel, now: number): boolean => channel.restrictedUntil * 1000 > now

export interface ChannelChange {
  state?: ChannelState
  linkAfterMs?: number
  unpaid?: boolean
  removed?: boolean
  restrictedUntil?: number
  number?: string
}

/** What the world does for the channels. */
export interface ChannelHooks {
  /** Runs the task so much later, unless the simulator is closed by then. */
  after(ms: number, task: () => void): void
  /** The channel has come into this state. */
  changed(channel: Channel, state: ChannelState): void
  /** A number was linked, or unlinked. */
  linked(channel: Channel): void
}

export interface Channels {
  /** The channel of a token. A `test_…` token makes one at first use; others must have been created. */
  find(token: string): Channel | undefined
  /** Makes the channel of any token, or returns the one there is. */
  create(token: string): Channel
  all(): Channel[]
  /** Sets up a situation: a state (`AUTH` links, `QR` unlinks as if by phone), unpaid, removed. */
  change(channel: Channel, change: ChannelChange): void
  /** Where the channel is in its life right now. */
  state(channel: Channel): ChannelState
  wake(channel: Channel): void
  /** The code is on somebody's screen: the channel links itself `linkAfterMs` from the first showing. */
  showCode(channel: Channel, number?: string): void
  /** Ends the session; 409 when there is none. */
  logout(channel: Channel): void
  saveSettings(channel: Channel, settings: Record<string, unknown>): void
  /** Refuses with 401 or 402 unless the channel may send; in SYNC_ERROR it may. */
  requireSender(channel: Channel): void
  /** Refuses unless WhatsApp's data can be read; in SYNC_ERROR it cannot. */
  requireReader(channel: Channel): void
  restore(record: ChannelRecord): void
}

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
      restrictedUntil: 0,
      requests: new Map(),
    }
    channels.set(token, channel)
    return channel
  }

  function save({ token, linked, number, settings }: Channel) {
    journal.append({ channel: { token, linked, number, settings } satisfies ChannelRecord })
  }

  function link(channel: Channel) {
    setLinked(channel, true)
  }

  function unlink(channel: Channel) {
    channel.wokenAt = null
    setLinked(channel, false)
  }

  function setLinked(channel: Channel, linked: boolean) {
    const isNews = channel.linked !== linked
    channel.linked = linked
    channel.linksAt = null
    save(channel)
    if (isNews) hooks.linked(channel)
  }

  function state(channel: Channel): ChannelState {
    if (channel.forced) return channel.forced
    if (channel.linksAt !== null && Date.now() >= channel.linksAt) {
      link(channel)
      hooks.changed(channel, 'AUTH')
    }
    if (channel.linked) return 'AUTH'
    if (channel.wokenAt === null) return 'NOT_INIT'
    const awakeMs = Date.now() - channel.wokenAt
    return awakeMs < startStepMs ? 'INIT' : awakeMs < 2 * startStepMs ? 'LAUNCH' : 'QR'
  }

  function setState(channel: Channel, wanted: ChannelState) {
    channel.forced = wanted === 'AUTH' || wanted === 'QR' ? null : wanted
    if (wanted === 'AUTH') link(channel)
    if (wanted === 'QR') {
      unlink(channel)
      channel.wokenAt = 0
    }
    hooks.changed(channel, wanted)
  }

  function requireSession(channel: Channel): ChannelState {
    const now = state(channel)
    if (now === 'STOP') throw refuse.unpaid()
    if (now !== 'AUTH' && now !== 'SYNC_ERROR') throw refuse.notLinked()
    return now
  }

  return {
    find(token) {
      const known = channels.get(token)
      if (known) return known.removed ? undefined : known
      return token.startsWith('test_') && !token.startsWith('test_unknown') ? create(token) : undefined
    },
    create: (token) => create(token),
    all: () => [...channels.values()],
    change(channel, { state: wanted, ...rest }) {
      Object.assign(channel, rest)
      if (wanted) setState(channel, wanted)
    },
    state,
    wake(channel) {
      if (channel.wokenAt !== null) return
      channel.wokenAt = Date.now()
      if (!channel.linked) hooks.after(2 * startStepMs, () => hooks.changed(channel, state(channel)))
    },
    showCode(channel, number) {
      if (number) channel.number = number
      if (channel.linksAt !== null) return
      channel.linksAt = Date.now() + channel.linkAfterMs
      hooks.after(channel.linkAfterMs, () => state(channel))
    },
    logout(channel) {
      if (state(channel) !== 'AUTH' && !channel.linked) throw new Refusal(409, 'channel already logged out')
      channel.forced = null
      unlink(channel)
      hooks.changed(channel, 'QR')
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

export function profileName(channel: Channel): string {
  return `Test ${channel.channelId}`
}

/** What health says of a channel, and the webhook of its changes. */
export function healthOf(channel: Channel, text: ChannelState) {
  return {
    start_at: Math.floor(channel.startedAt / 1000),
    uptime: Math.floor((Date.now() - channel.startedAt) / 1000),
    version: 'simulator',
    core_version: '1.8.3',
    api_version: '1.8.7',
    device_id: 11,
    ip: '127.0.0.1',
    status: { code: stateCodes[text], text },
    ...(text === 'AUTH' ? { user: { id: channel.number, name: profileName(channel) } } : {}),
  }
}
