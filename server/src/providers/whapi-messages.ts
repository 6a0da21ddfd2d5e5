import type { MessagePage } from './provider.ts'
import type { Reply } from './whapi-http.ts'
import { goodAnswer, instanceProblem, readable } from './whapi-outcome.ts'
import { type Fields, fieldsOf, numberOf, pageOf, serverTime, textOf } from './whapi-wire.ts'

/** The API's limit for `count`. */
export const pageSize = 500
/** Stops a broken pagination. At the usual pace an instance takes two months to send this many messages. */
const maxMessages = 400 * pageSize

/** Reads page after page. A chat that does not exist yet has no messages. */
export async function* readMessages<T>(
  askPage: (offset: number) => Promise<Reply>,
  messageOf: (fields: Fields) => T | null,
  chatId: string | null,
): AsyncGenerator<MessagePage<T>> {
  for (let offset = 0; offset < maxMessages; ) {
    const reply = await askPage(offset)
    const now = Date.now()
    const clockAheadMs = reply.answer ? (serverTime(reply.answer.headers) ?? now) - now : 0
    const page = isNewChat(chatId, reply)
      ? { items: [], total: 0 }
      : readable(pageOf(goodAnswer(reply).json, 'messages', offset))
    yield { messages: page.items.map(messageOf).filter((message) => message !== null), clockAheadMs }
    offset += page.items.length
    // The OpenAPI file does not say whether `total` counts the page or the list. So a full page may not be the last.
    if (page.items.length === 0 || (offset >= page.total && page.items.length < pageSize)) return
  }
  readable<MessagePage<T>>(null)
}

/**
 * Reads the posts to a channel since a time (unix seconds), page by page from the newest one back, and yields them
 * once, oldest first. The OpenAPI file says of `before` only "see first and last", and neither how the posts are sorted
 * nor how many a page may have. So only a page without new posts, or one that is older throughout, is the last.
 */
export async function* readPosts<T extends { id: string; timestamp: number }>(
  askPage: (before: number | null) => Promise<Reply>,
  postOf: (fields: Fields) => T | null,
  fromTimestamp: number,
): AsyncGenerator<MessagePage<T>> {
  const posts = new Map<string, T>()
  let clockAheadMs: number | null = null
  for (let before: number | null = null; posts.size < maxMessages; ) {
    const answer = goodAnswer(await askPage(before))
    const now = Date.now()
    clockAheadMs ??= (serverTime(answer.headers) ?? now) - now
    const { items } = readable(pageOf(answer.json, 'messages', 0))
    const fresh = items.filter(({ id }) => !posts.has(textOf(id)))
    const read = fresh.map(postOf).filter((post) => post !== null)
    for (const post of read) posts.set(post.id, post)
    const isOld = items.every(({ timestamp }) => (numberOf(timestamp) ?? 0) < fromTimestamp)
    if (fresh.length === 0 || isOld) {
      const found = [...posts.values()].filter(({ timestamp }) => timestamp >= fromTimestamp)
      yield { messages: found.sort((a, b) => a.timestamp - b.timestamp), clockAheadMs }
      return
    }
    const first = numberOf(fieldsOf(answer.json).first)
    // Without progress nobody knows what is missing.
    before = readable(first !== null && (before === null || first < before) ? first : null)
  }
  readable<MessagePage<T>>(null)
}

/**
 * A private chat exists from its first message on. Before that the API answers 404. No other 404 proves that a message
 * was not sent: the instance may have left a group, and a gateway may answer with a 404 page of its own.
 */
const isNewChat = (chatId: string | null, { answer }: Reply) =>
  chatId !== null &&
  !chatId.endsWith('@g.us') &&
  answer?.status === 404 &&
  answer.json !== undefined &&
  !instanceProblem(answer)
