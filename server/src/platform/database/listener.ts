import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { ConnectionError } from './errors.ts'

/**
 * Calls `onNotification` with the payload of each notification. Calls `onListening` whenever listening begins or begins
 * again after an interruption. Notifications during the interruption are lost.
 */
export type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onListening?: () => void,
) => Listening

export type Listening = {
  /** Resolves once the channel is listened to. Rejects if the next attempt to connect fails. */
  ready: () => Promise<void>
  close: () => Promise<void>
}

type Subscription = { onNotification: (payload: string) => void; onListening: () => void }

/** A silently cut connection is noticed within one interval and one timeout. */
const HEARTBEAT = { everyMs: 10_000, timeoutMs: 5_000 }
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000

/** Keeps one connection for all channels from the first `listen` on, and opens a new one when that is lost. */
export function openListener(connectClient: () => Promise<pg.Client>, heartbeat = HEARTBEAT) {
  const subscriptions = new Map<string, Subscription>()
  const closing = new AbortController()
  let client: pg.Client | null = null
  let running: Promise<void> | undefined
  let attempt = Promise.withResolvers<void>()

  async function run() {
    for (
      let waitMs = FIRST_WAIT_MS;
      !closing.signal.aborted;
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    ) {
      try {
        const connected = await connectClient()
        await subscribeAll(connected)
        client = connected
        attempt.resolve()
        waitMs = FIRST_WAIT_MS
        for (const { onListening } of subscriptions.values()) onListening()
        await untilLost(connected)
      } catch (error) {
        attempt.reject(error)
      }
      client = null
      attempt = Promise.withResolvers()
      attempt.promise.catch(() => {}) // maybe nobody awaits this attempt
      await delay(waitMs, undefined, { signal: closing.signal }).catch(() => {})
    }
    attempt.reject(new ConnectionError('The connections to the database have been closed'))
  }

  async function subscribeAll(connected: pg.Client) {
    connected.on('notification', ({ channel, payload }) =>
      subscriptions.get(channel)?.onNotification(payload ?? ''),
    )
    try {
      for (const channel of subscriptions.keys()) await connected.query(`listen "${channel}"`)
    } catch (error) {
      connected.connection.stream.destroy()
      throw error
    }
  }

  /** Resolves when the connection has ended or failed its heartbeat, or when the listener closes. */
  async function untilLost(connected: pg.Client) {
    const lost = new AbortController()
    connected.once('end', () => lost.abort())
    const stop = AbortSignal.any([lost.signal, closing.signal])
    while (!stop.aborted) {
      await delay(heartbeat.everyMs, undefined, { signal: stop }).catch(() => {})
      if (!stop.aborted && !(await isAlive(connected))) break
    }
    connected.connection.stream.destroy()
  }

  async function isAlive(connected: pg.Client): Promise<boolean> {
    const answered = connected
      .query('select count(*)::int as channels from pg_listening_channels()')
      .then(({ rows }) => rows[0].channels >= subscriptions.size)
      .catch(() => false)
    return Promise.race([answered, delay(heartbeat.timeoutMs, false, { ref: false })])
  }

  const listen: Listen = (channel, onNotification, onListening = () => {}) => {
    if (subscriptions.has(channel)) throw new Error(`${channel} already has a listener`)
    subscriptions.set(channel, { onNotification, onListening })
    attempt.promise.catch(() => {})
    running ??= run()
    // If another channel has connected already, this channel joins its connection.
    client?.query(`listen "${channel}"`).then(onListening, () => client?.connection.stream.destroy())
    return {
      ready: async () => {
        if (!client) await attempt.promise
      },
      close: async () => {
        subscriptions.delete(channel)
        await client?.query(`unlisten "${channel}"`).catch(() => {})
      },
    }
  }

  return {
    listen,
    async close() {
      closing.abort()
      await running
    },
  }
}
