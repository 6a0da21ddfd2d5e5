import { setTimeout as wait } from 'node:timers/promises'
import type { Channel } from '../state/channels.ts'
import { withDefaults } from '../state/settings.ts'
import { type Fields, fieldsOf } from '../wire/parameters.ts'

/** How long a webhook may take to answer. Source: Whapi's agent skill, April 2026. */
const answerTimeoutMs = 5000
/** Attempts per webhook and event. Unconfirmed: no source says when Whapi gives up. */
const maxAttempts = 20

export const verbs = ['post', 'put', 'patch', 'delete'] as const
export type Verb = (typeof verbs)[number]

/** An event, e.g. type `statuses`, verb `post` and payload `{ statuses: […] }`. */
export interface WebhookEvent {
  type: string
  verb: Verb
  payload: Fields
}

/** The webhooks of all channels. Their addresses are in the settings of each channel. */
export interface Webhooks {
  /** Whether a webhook of the channel subscribes to this type and verb. */
  hasSubscriber(channel: Channel, type: string, verb: Verb): boolean
  /**
   * Notifies every subscriber. Resolves after the first attempt of each, successful or not; retries continue in the
   * background. Never rejects.
   */
  notify(channel: Channel, event: WebhookEvent): Promise<void>
}

interface Webhook {
  url: string
  mode?: 'body' | 'path' | 'method'
  headers?: Record<string, string>
  events?: { type: string; method: Verb }[]
}

/** Deprecated event types and their present names. Source: Whapi's OpenAPI file 1.8.7. */
const renamedTypes = new Map([
  ['message', 'messages'],
  ['ack', 'statuses'],
  ['chat', 'chats'],
  ['status', 'channel'],
])

/**
 * Creates the webhooks of a simulator. An abort of `closing` ends all attempts. `backoffMs` replaces the channel's
 * `callback_backoff_delay_ms`, because 3 s, the shortest that Whapi allows, are too long for tests.
 */
export function createWebhooks(closing: AbortSignal, backoffMs?: number): Webhooks {
  const subscribers = (channel: Channel, type: string, verb: Verb) =>
    webhooksOf(channel).filter(({ events = [{ type: 'message', method: 'put' }] }) =>
      events.some((event) => (renamedTypes.get(event.type) ?? event.type) === type && event.method === verb),
    )

  async function deliver(
    channel: Channel,
    webhook: Webhook,
    event: WebhookEvent,
    attempt = 1,
  ): Promise<void> {
    if (await post(webhook, event, channel.channelId, closing)) return
    if (attempt < maxAttempts && !closing.aborted) void retry(channel, webhook, event, attempt)
  }

  async function retry(channel: Channel, webhook: Webhook, event: WebhookEvent, attempt: number) {
    const settings = withDefaults(channel.settings)
    const delayMs = attempt * (backoffMs ?? Number(settings.callback_backoff_delay_ms))
    const cappedMs = Math.min(delayMs, Number(settings.max_callback_backoff_delay_ms))
    await wait(cappedMs, undefined, { signal: closing, ref: false }).catch(() => {})
    // The settings may have dropped this webhook during the wait.
    const isSubscribed = subscribers(channel, event.type, event.verb).some(({ url }) => url === webhook.url)
    if (isSubscribed) await deliver(channel, webhook, event, attempt + 1)
  }

  return {
    hasSubscriber: (channel, type, verb) => subscribers(channel, type, verb).length > 0,
    async notify(channel, event) {
      const notified = subscribers(channel, event.type, event.verb)
      await Promise.all(notified.map((webhook) => deliver(channel, webhook, event)))
    },
  }
}

/** Returns the webhooks in a channel's settings. The cast is safe: `changeSettings` checked them. */
const webhooksOf = ({ settings }: Channel) => (settings.webhooks ?? []) as Webhook[]

/** Makes one attempt. Returns true if the webhook answers 200: Whapi counts no other status as success. */
async function post(webhook: Webhook, event: WebhookEvent, channelId: string, closing: AbortSignal) {
  const { url, mode = 'body', headers } = webhook
  const { type, verb, payload } = event
  try {
    const answer = await fetch(
      mode === 'body' ? url : mode === 'path' ? `${url}/${type}/${verb}` : `${url}/${type}`,
      {
        method: mode === 'method' ? verb.toUpperCase() : 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...fieldsOf(payload), event: { type, event: verb }, channel_id: channelId }),
        signal: AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]),
      },
    )
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}
