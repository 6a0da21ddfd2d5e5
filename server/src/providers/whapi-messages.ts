import type { MessagePage } from './provider.ts'
import type { Reply } from './whapi-http.ts'
import { goodAnswer, instanceProblem, readable } from './whapi-outcome.ts'
import { type Fields, pageOf, serverTime } from './whapi-wire.ts'

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
 * A private chat exists from its first message on. Before that the API answers 404. No other 404 proves that a message
 * was not sent: the instance may have left a group, and a gateway may answer with a 404 page of its own.
 */
const isNewChat = (chatId: string | null, { answer }: Reply) =>
  chatId !== null &&
  !chatId.endsWith('@g.us') &&
  answer?.status === 404 &&
  answer.json !== undefined &&
  !instanceProblem(answer)
