import type { Reason } from '@sendroom/contract/values'
import {
  type Credentials,
  type Provider,
  ProviderFailure,
  type ProviderPage,
  type Webhook,
} from './provider.ts'
import { ownMessageOf, pollResultsOf, sendBody } from './whapi-content.ts'
import { eventOf, receiptOf, receiptsOf, webhooksWith } from './whapi-events.ts'
import { type Answer, type Call, openHttp, type Reply } from './whapi-http.ts'
import { incomingMessageOf } from './whapi-incoming.ts'
import { pageSize, readMessages, readPosts } from './whapi-messages.ts'
import {
  goodAnswer,
  groupIn,
  instanceProblem,
  problemStatus,
  readable,
  sendOutcome,
  uploadOutcome,
} from './whapi-outcome.ts'
import {
  channelIdOf,
  channelOf,
  contactOf,
  type Fields,
  fieldsOf,
  groupOf,
  instanceState,
  lidsIn,
  newChatLimitOf,
  numberChecksOf,
  pageOf,
  pairingCodeOf,
  phoneIn,
  qrImage,
  restrictionOf,
  serverTime,
  termEndOf,
} from './whapi-wire.ts'

export interface WhapiOptions {
  /** The URL of the API, such as `https://gate.whapi.cloud`. It may end in a path. */
  baseUrl: string
  /** Access to the partner API, which knows the paid terms. The tokens of channels can't read them. */
  partner?: { baseUrl: string; token: string } | null
  /** Shorter timeouts for tests. */
  timeouts?: Partial<typeof defaultTimeouts>
}

const defaultTimeouts = { connectMs: 5_000, statusMs: 10_000, readMs: 30_000, sendMs: 20_000 }

/** 2 Mbit/s, the upload of a slow line: 100 MB may take seven minutes, an image of 5 MB 20 s, each besides `readMs`. */
const uploadBytesPerMs = 250

/** The numbers stand in the query, which servers limit to some kilobytes. */
const lidsPerCall = 100

type Request = Omit<Call, 'token' | 'timeoutMs'> & { timeoutMs?: number }

/**
 * Creates a provider that uses the HTTP API of Whapi.Cloud. One client serves all instances: a token selects the
 * channel. `close` ends the calls in flight, and their messages count as in doubt if they were written.
 *
 * Sources: the OpenAPI file 1.8.7, https://github.com/Whapi-Cloud/whatsapp-api-docs, and the help desk,
 * https://support.whapi.cloud.
 */
export function createWhapi({
  baseUrl,
  partner,
  timeouts,
}: WhapiOptions): Provider & { close(): Promise<void> } {
  const { connectMs, statusMs, readMs, sendMs } = { ...defaultTimeouts, ...timeouts }
  const http = openHttp(baseUrl, connectMs)
  const manager = partner ? openHttp(partner.baseUrl, connectMs) : null

  async function ask({ token }: Credentials, request: Request): Promise<Reply> {
    // No header can carry such a token, so no channel has this token.
    if (!/^[\x21-\x7e]+$/.test(token)) return { answer: noSuchChannel }
    return http.call({ timeoutMs: readMs, ...request, token })
  }
  const read = async (credentials: Credentials, path: string, query?: Call['query']): Promise<Answer> =>
    goodAnswer(await ask(credentials, { method: 'GET', path, ...(query ? { query } : {}) }))

  /** Oldest first, so that messages that arrive meanwhile come at the end and do not shift the pages. */
  const pagesOf =
    (
      credentials: Credentials,
      path: string,
      { from_me, fromTimestamp }: { from_me: boolean; fromTimestamp: number },
    ) =>
    (offset: number) => {
      const time_from = Math.floor(fromTimestamp)
      const query = { from_me, time_from, normal_types: true, sort: 'asc', count: pageSize, offset }
      return ask(credentials, { method: 'GET', path, query })
    }

  async function readPage<T>(
    credentials: Credentials,
    list: 'groups' | 'newsletters' | 'contacts',
    { offset, count }: { offset: number; count: number },
    rowOf: (item: Fields) => T | null,
  ): Promise<ProviderPage<T>> {
    const { json } = await read(credentials, `/${list}`, { offset, count })
    const { items, total } = readable(pageOf(json, list, offset))
    const rows = items.map(rowOf).filter((row) => row !== null)
    return { rows, next: offset + items.length, total }
  }

  /** A change of the settings replaces the whole list of webhooks, so we read the list first. */
  async function changeWebhooks(credentials: Credentials, key: string, webhook: Webhook | null) {
    const { json } = goodAnswer(
      await ask(credentials, { method: 'GET', path: '/settings', timeoutMs: statusMs }),
    )
    const webhooks = webhooksWith(json, key, webhook)
    if (!webhooks) return
    const body = jsonBody({ webhooks })
    goodAnswer(await ask(credentials, { method: 'PATCH', path: '/settings', body, timeoutMs: statusMs }))
  }

  return {
    async close() {
      await Promise.all([http.close(), manager?.close()])
    },

    async status(credentials, { wake = false } = {}) {
      const query = { wakeup: wake }
      const reply = await ask(credentials, { method: 'GET', path: '/health', query, timeoutMs: statusMs })
      const problem = reply.answer && instanceProblem(reply.answer)
      if (problem) return { status: problemStatus[problem], linkedNumber: null }
      return readable(instanceState(goodAnswer(reply).json))
    },

    async probe() {
      const beganAt = performance.now()
      // Without a channel's token the answer is a refusal, which is an answer.
      const { answer } = await http.call({
        method: 'GET',
        path: '/health',
        token: 'none',
        timeoutMs: connectMs,
      })
      if (!answer) throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
      const now = Date.now()
      const clockAheadMs = (serverTime(answer.headers) ?? now) - now
      return { tookMs: Math.round(performance.now() - beganAt), clockAheadMs }
    },

    async restriction(credentials) {
      const path = '/business/limits/reachout_timelock'
      const { answer } = await ask(credentials, { method: 'GET', path, timeoutMs: statusMs })
      return answer?.status === 200 ? restrictionOf(answer.json) : null
    },

    async newChatLimit(credentials) {
      const path = '/business/limits/new_chat'
      const { answer } = await ask(credentials, { method: 'GET', path, timeoutMs: statusMs })
      return answer?.status === 200 ? newChatLimitOf(answer.json) : null
    },

    async expiry(credentials) {
      if (!partner || !manager) return null
      const query = { wakeup: false }
      const health = await ask(credentials, { method: 'GET', path: '/health', query, timeoutMs: statusMs })
      const channelId = channelIdOf(health.answer?.json)
      if (!channelId) return null
      const path = `/channels/${encodeURIComponent(channelId)}`
      const reply = await manager.call({ method: 'GET', path, token: partner.token, timeoutMs: statusMs })
      return reply.answer?.status === 200 ? termEndOf(reply.answer.json) : null
    },

    async qr(credentials) {
      const reply = await ask(credentials, { method: 'GET', path: '/users/login', query: { wakeup: true } })
      const image = reply.answer?.status === 422 ? null : qrImage(goodAnswer(reply).json)
      if (!image) throw new ProviderFailure('not_ready', notLinkedYet)
      return image
    },

    async pairingCode(credentials, phone) {
      const { json } = await read(credentials, `/users/login/${encodeURIComponent(phone)}`)
      const code = pairingCodeOf(json)
      if (!code) throw new ProviderFailure('not_ready', notLinkedYet)
      return code
    },

    async logout(credentials) {
      goodAnswer(await ask(credentials, { method: 'POST', path: '/users/logout' }))
    },

    groups: (credentials, page) => readPage(credentials, 'groups', page, groupOf),

    async group(credentials, chatId) {
      return groupIn(await ask(credentials, { method: 'GET', path: `/groups/${encodeURIComponent(chatId)}` }))
    },

    channels: (credentials, page) => readPage(credentials, 'newsletters', page, channelOf),

    contacts: (credentials, page) => readPage(credentials, 'contacts', page, contactOf),

    async upload(credentials, { mimeType, size, open }) {
      const bytes = await open()
      const body = { contentType: mimeType, bytes, size }
      const timeoutMs = readMs + size / uploadBytesPerMs
      const reply = await ask(credentials, { method: 'POST', path: '/media', body, timeoutMs })
      bytes.destroy()
      return uploadOutcome(reply)
    },

    async send(credentials, to, message, mayWrite) {
      const path = `/messages/${message.content.kind}`
      const body = jsonBody(sendBody(chatIdOf(to), message))
      const reply = await ask(credentials, { method: 'POST', path, body, timeoutMs: sendMs, mayWrite })
      return sendOutcome(reply, { isMedia: 'mediaId' in message.content })
    },

    ownMessages(credentials, chatId, fromTimestamp) {
      if (chatId?.endsWith('@newsletter')) {
        const path = `/newsletters/${encodeURIComponent(chatId)}/messages`
        const askBefore = (before: number | null) =>
          ask(credentials, {
            method: 'GET',
            path,
            query: { count: pageSize, ...(before === null ? {} : { before }) },
          })
        return readPosts(askBefore, ownMessageOf, fromTimestamp)
      }
      const chat = chatId === null ? '' : `/${encodeURIComponent(chatIdOf(chatId))}`
      const askPage = pagesOf(credentials, `/messages/list${chat}`, { from_me: true, fromTimestamp })
      return readMessages(askPage, ownMessageOf, chatId)
    },

    incomingMessages(credentials, fromTimestamp) {
      const askPage = pagesOf(credentials, '/messages/list', { from_me: false, fromTimestamp })
      return readMessages(askPage, incomingMessageOf, null)
    },

    async checkNumbers(credentials, phones) {
      const body = jsonBody({ contacts: phones })
      const { json } = goodAnswer(await ask(credentials, { method: 'POST', path: '/contacts', body }))
      const checks = readable(numberChecksOf(json))
      return phones.map((phone) => checks.get(phone) ?? { phone, answer: 'unknown', whatsappPhone: null })
    },

    async lidsOf(credentials, phones) {
      const lids = new Map<string, string>()
      for (let from = 0; from < phones.length; from += lidsPerCall) {
        const query = { ContactIDList: phones.slice(from, from + lidsPerCall).join() }
        const { json } = await read(credentials, '/contacts/lids', query)
        for (const [phone, lid] of lidsIn(json)) lids.set(phone, lid)
      }
      return lids
    },

    async phoneOf(credentials, lid) {
      const path = `/contacts/ids/${encodeURIComponent(`${lid}@lid`)}`
      const { answer } = await ask(credentials, { method: 'GET', path, timeoutMs: statusMs })
      return answer?.status === 200 ? phoneIn(answer.json) : null
    },

    async messageStatus(credentials, chatId, providerMessageId) {
      const id = encodeURIComponent(providerMessageId)
      if (chatId.endsWith('@g.us')) return receiptsOf((await read(credentials, `/statuses/${id}`)).json)
      // `timestamp` is the time of the sending. The API does not say when the message was read.
      const { json } = await read(credentials, `/messages/${id}`)
      const receipt = receiptOf({ ...fieldsOf(json), timestamp: undefined })
      return receipt ? [receipt] : []
    },

    async pollResults(credentials, providerMessageId) {
      const path = `/messages/${encodeURIComponent(providerMessageId)}`
      const reply = await ask(credentials, { method: 'GET', path })
      const isUnknown = reply.answer?.status === 404 && !instanceProblem(reply.answer)
      return isUnknown ? null : pollResultsOf(fieldsOf(goodAnswer(reply).json))
    },

    async isMetered(credentials) {
      const { status } = await read(credentials, '/limits')
      return status !== 204
    },

    setWebhook: (credentials, webhook) => changeWebhooks(credentials, webhook.key, webhook),
    removeWebhook: (credentials, key) => changeWebhooks(credentials, key, null),
    readEvent: eventOf,
  }
}

const noSuchChannel: Answer = { status: 404, json: undefined, text: 'channel not found', headers: {} }
const notLinkedYet: Reason = { code: 'account_not_linked', params: {} }

const jsonBody = (fields: object) => ({ contentType: 'application/json', bytes: JSON.stringify(fields) })

/**
 * Always sends the full chat id. The OpenAPI file allows a bare number, but Whapi's agent skill says it answers 400.
 */
const chatIdOf = (to: string) => (to.includes('@') ? to : `${to}@s.whatsapp.net`)
