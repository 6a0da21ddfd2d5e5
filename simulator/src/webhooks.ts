import { setTimeout as wait } from 'node:timers/promises'
import type { Channel } from './channels.ts'
import { type Fields, fieldsOf } from './parameters.ts'
import { withDefaults } from './settings.ts'

/** An answer is waited for this long, as the provider's notes say. */
const answerMs = 5000
/** How often a delivery is tried; the provider does not say when it gives up. */
const tries = 20

export type Verb = 'post' | 'put' | 'patch' | 'delete'

/** What happened: `{ statuses: […] }` of type `statuses`, verb `post`. */
export interface WebhookEvent {
  type: string
  verb: Verb
  payload: Fields
}

export interface Webhooks {
  /** Whether anybody has asked to be told of this. */
  areWanted(channel: Channel, type: string, verb: Verb): boolean
  /** Tells everybody who asked. Resolves after the first try of each; the others follow by themselves. */
  tell(channel: Channel, event: WebhookEvent): Promise<void>
}

interface Webhook {
  url: string
  mode?: 'body' | 'path' | 'method'
  headers?: Record<string, string>
  events?: { type: string; method: Verb }[]
}

/** The names of an earlier version of the provider. */
const formerTypes: Record<string, string> = {
  message: 'messages',
  ack: 'statuses',
  chat: 'chats',
  status: 'channel',
}

/** `backoffMs` stands in for the channel's own, which is 3 s at least: for tests. */
export function createWebhooks(closing: AbortSignal, backoffMs?: number): Webhooks {
  const wanted = (channel: Channel, type: string, verb: Verb) =>
    webhooksOf(channel).filter(({ events = [{ type: 'message', method: 'put' }] }) =>
      events.some((event) => (formerTypes[event.type] ?? event.type) === type && event.method === verb),
    )

  async function deliver(channel: Channel, webhook: Webhook, event: WebhookEvent, nth = 1): Promise<void> {
    if (await post(webhook, event, channel.channelId, closing)) return
    if (nth < tries && !closing.aborted) void again(channel, webhook, event, nth)
  }

  async function again(channel: Channel, webhook: Webhook, event: WebhookEvent, nth: number) {
    const settings = withDefaults(channel.settings)
    const delayMs = nth * (backoffMs ?? Number(settings.callback_backoff_delay_ms))
    const capMs = Math.min(delayMs, Number(settings.max_callback_backoff_delay_ms))
    await wait(capMs, undefined, { signal: closing, ref: false }).catch(() => {})
    // Whoever takes a webhook back is not told any more.
    const isStillWanted = wanted(channel, event.type, event.verb).some(({ url }) => url === webhook.url)
    if (isStillWanted) await deliver(channel, webhook, event, nth + 1)
  }

  return {
    areWanted: (channel, type, verb) => wanted(channel, type, verb).length > 0,
    async tell(channel, event) {
      const told = wanted(channel, event.type, event.verb)
      await Promise.all(told.map((webhook) => deliver(channel, webhook, event)))
    },
  }
}

/** Checked when they were set. */
const webhooksOf = ({ settings }: Channel) => (settings.webhooks ?? []) as Webhook[]

/** Only 200 counts. */
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
        signal: AbortSignal.any([closing, AbortSignal.timeout(answerMs)]),
      },
    )
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}
