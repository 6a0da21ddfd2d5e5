import type { Reason } from '@sendroom/contract/values'
import {
  type Account,
  type OwnMessage,
  type OwnMessages,
  type Provider,
  ProviderFailure,
  type ProviderGroup,
  type ProviderPage,
  type Webhook,
} from './provider.ts'
import { type Answer, type Call, openHttp, type Reply } from './whapi-http.ts'
import { newsOf, receiptOf, receiptsOf, webhooksWith } from './whapi-news.ts'
import {
  accountProblem,
  goodAnswer,
  problemStatus,
  readable,
  sendOutcome,
  uploadOutcome,
} from './whapi-outcome.ts'
import {
  accountState,
  channelIdOf,
  contactOf,
  type Fields,
  fieldsOf,
  groupOf,
  ownMessageOf,
  pageOf,
  pairingCodeOf,
  qrImage,
  restrictionOf,
  serverTime,
  termEndOf,
} from './whapi-wire.ts'

export interface WhapiOptions {
  /** Where the API is, e.g. `https://gate.whapi.cloud`; it may end in a path. */
  baseUrl: string
  /** A partner's access to the channels' terms: the channels' own tokens can't read them. */
  partner?: { baseUrl: string; token: string } | null
  /** Shorter ones for tests. */
  timeouts?: Partial<typeof usualTimeouts>
}

const usualTimeouts = { connectMs: 5_000, statusMs: 10_000, readMs: 30_000, sendMs: 20_000 }

/** The most one page may have. */
const pageSize = 500
/** A list of own messages that is still not at its end is not a look-up of the last minutes: something is wrong. */
const mostMessages = 20 * pageSize

type Request = Omit<Call, 'token' | 'timeoutMs'> & { timeoutMs?: number }

/**
 * The Whapi.Cloud HTTP API (its OpenAPI file 1.8.7) as a provider. One client serves all accounts.
 * `close` ends what is under way.
 */
export function createWhapi({
  baseUrl,
  partner,
  timeouts,
}: WhapiOptions): Provider & { close(): Promise<void> } {
  const { connectMs, statusMs, readMs, sendMs } = { ...usualTimeouts, ...timeouts }
  const http = openHttp(baseUrl, connectMs)
  const manager = partner ? openHttp(partner.baseUrl, connectMs) : null

  async function ask({ token }: Account, request: Request): Promise<Reply> {
    // No header can carry such a token, so no channel has it.
    if (!/^[\x21-\x7e]+$/.test(token)) return { answer: noSuchChannel }
    return http.call({ timeoutMs: readMs, ...request, token })
  }
  const read = async (account: Account, path: string, query?: Call['query']): Promise<Answer> =>
    goodAnswer(await ask(account, { method: 'GET', path, ...(query ? { query } : {}) }))

  async function readPage<T>(
    account: Account,
    list: 'groups' | 'contacts',
    { offset, count }: { offset: number; count: number },
    rowOf: (item: Fields) => T | null,
  ): Promise<ProviderPage<T>> {
    const { json } = await read(account, `/${list}`, { offset, count })
    const { items, total } = readable(pageOf(json, list, offset))
    const rows = items.map(rowOf).filter((row) => row !== null)
    return { rows, next: offset + items.length, total }
  }

  /** The list of webhooks is one field: what is not sent back is gone. */
  async function changeWebhooks(account: Account, key: string, webhook: Webhook | null) {
    const { json } = goodAnswer(await ask(account, { method: 'GET', path: '/settings', timeoutMs: statusMs }))
    const webhooks = webhooksWith(json, key, webhook)
    if (!webhooks) return
    const body = jsonBody({ webhooks })
    goodAnswer(await ask(account, { method: 'PATCH', path: '/settings', body, timeoutMs: statusMs }))
  }

  return {
    async close() {
      await Promise.all([http.close(), manager?.close()])
    },

    async status(account, { wake = false } = {}) {
      const query = { wakeup: wake }
      const reply = await ask(account, { method: 'GET', path: '/health', query, timeoutMs: statusMs })
      const problem = reply.answer && accountProblem(reply.answer)
      if (problem) return { status: problemStatus[problem], linkedNumber: null }
      return readable(accountState(goodAnswer(reply).json))
    },

    async restriction(account) {
      const path = '/business/limits/reachout_timelock'
      const { answer } = await ask(account, { method: 'GET', path, timeoutMs: statusMs })
      return answer?.status === 200 ? restrictionOf(answer.json) : null
    },

    async expiry(account) {
      if (!partner || !manager) return null
      const query = { wakeup: false }
      const health = await ask(account, { method: 'GET', path: '/health', query, timeoutMs: statusMs })
      const channelId = channelIdOf(health.answer?.json)
      if (!channelId) return null
      const path = `/channels/${encodeURIComponent(channelId)}`
      const reply = await manager.call({ method: 'GET', path, token: partner.token, timeoutMs: statusMs })
      return reply.answer?.status === 200 ? termEndOf(reply.answer.json) : null
    },

    async qr(account) {
      const reply = await ask(account, { method: 'GET', path: '/users/login', query: { wakeup: true } })
      const image = reply.answer?.status === 422 ? null : qrImage(goodAnswer(reply).json)
      if (!image) throw new ProviderFailure('not_ready', notLinkedYet)
      return image
    },

    async pairingCode(account, phone) {
      const { json } = await read(account, `/users/login/${encodeURIComponent(phone)}`)
      const code = pairingCodeOf(json)
      if (!code) throw new ProviderFailure('not_ready', notLinkedYet)
      return code
    },

    async logout(account) {
      goodAnswer(await ask(account, { method: 'POST', path: '/users/logout' }))
    },

    groups: (account, page) => readPage(account, 'groups', page, groupOf),

    async group(account, chatId) {
      return readGroup(await ask(account, { method: 'GET', path: `/groups/${encodeURIComponent(chatId)}` }))
    },

    contacts: (account, page) => readPage(account, 'contacts', page, contactOf),

    async uploadImage(account, { bytes, mimeType }) {
      const body = { contentType: mimeType, bytes }
      return uploadOutcome(await ask(account, { method: 'POST', path: '/media', body }))
    },

    async sendText(account, to, text, mayWrite) {
      const body = jsonBody({ to: chatIdOf(to), body: text })
      const request = { method: 'POST', path: '/messages/text', body, timeoutMs: sendMs, mayWrite } as const
      return sendOutcome(await ask(account, request), 'text')
    },

    async sendImage(account, to, { mediaId, caption }, mayWrite) {
      const body = jsonBody({ to: chatIdOf(to), media: mediaId, ...(caption ? { caption } : {}) })
      const request = { method: 'POST', path: '/messages/image', body, timeoutMs: sendMs, mayWrite } as const
      return sendOutcome(await ask(account, request), 'image')
    },

    async ownMessages(account, chatId, fromTimestamp) {
      const path = `/messages/list/${encodeURIComponent(chatIdOf(chatId))}`
      return readOwnMessages(chatId, (offset) => {
        // Oldest first: what is sent meanwhile comes at the end and shifts no page.
        const time_from = Math.floor(fromTimestamp)
        const query = { from_me: true, time_from, normal_types: true, sort: 'asc', count: pageSize, offset }
        return ask(account, { method: 'GET', path, query })
      })
    },

    async messageStatus(account, chatId, providerMessageId) {
      const id = encodeURIComponent(providerMessageId)
      if (chatId.endsWith('@g.us')) return receiptsOf((await read(account, `/statuses/${id}`)).json)
      // The message's own time is that of its sending: when it was read is not told.
      const { json } = await read(account, `/messages/${id}`)
      const receipt = receiptOf({ ...fieldsOf(json), timestamp: undefined })
      return receipt ? [receipt] : []
    },

    async isMetered(account) {
      const { status } = await read(account, '/limits')
      return status !== 204
    },

    setWebhook: (account, webhook) => changeWebhooks(account, webhook.key, webhook),
    removeWebhook: (account, key) => changeWebhooks(account, key, null),
    readNews: newsOf,
  }
}

const noSuchChannel: Answer = { status: 404, json: undefined, text: 'channel not found', headers: {} }
const notLinkedYet: Reason = { code: 'account_not_linked', params: {} }

const jsonBody = (fields: object) => ({ contentType: 'application/json', bytes: JSON.stringify(fields) })

/** A bare number is said to be refused, so the chat is always named in full. */
const chatIdOf = (to: string) => (to.includes('@') ? to : `${to}@s.whatsapp.net`)

/** A group we are not in answers 403 or 404. */
function readGroup(reply: Reply): ProviderGroup {
  if (reply.answer?.status === 403 && !accountProblem(reply.answer)) {
    throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
  }
  return readable(groupOf(goodAnswer(reply).json))
}

/** All pages; a chat that is still to come into being has no messages. */
async function readOwnMessages(
  chatId: string,
  askPage: (offset: number) => Promise<Reply>,
): Promise<OwnMessages> {
  const messages = new Map<string, OwnMessage>()
  let clockAheadMs: number | undefined
  for (let offset = 0; offset < mostMessages; ) {
    const reply = await askPage(offset)
    const now = Date.now()
    if (reply.answer) clockAheadMs ??= (serverTime(reply.answer.headers) ?? now) - now
    const page = isNewChat(chatId, reply)
      ? { items: [], total: 0 }
      : readable(pageOf(goodAnswer(reply).json, 'messages', offset))
    for (const message of page.items.map(ownMessageOf)) if (message) messages.set(message.id, message)
    offset += page.items.length
    // The documents leave open whether `total` counts the page or the list: a full page may not be the last.
    const isLast = page.items.length === 0 || (offset >= page.total && page.items.length < pageSize)
    if (isLast) return { messages: [...messages.values()], clockAheadMs: clockAheadMs ?? 0 }
  }
  return readable<OwnMessages>(null)
}

/**
 * A private chat comes into being with its first message; until then the API answers 404. A group that it does not know
 * has been left, and a gateway's 404 page is not its word: neither says anything about what was sent.
 */
const isNewChat = (chatId: string, { answer }: Reply) =>
  !chatId.endsWith('@g.us') && answer?.status === 404 && answer.json !== undefined && !accountProblem(answer)
