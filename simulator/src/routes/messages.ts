import type { FastifyInstance } from 'fastify'
import { findGroup } from '../seed/groups.ts'
import type { Channel } from '../state/channels.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import type { State } from '../state/state.ts'
import { chatIdPattern, isGroup, isNewsletter, messageIdPattern } from '../wire/identifiers.ts'
import { wireMessage } from '../wire/message.ts'
import { booleanOf, fieldsOf, numberOf, pageOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Adds `GET /messages/list`, `GET /messages/list/:chat`, `GET /messages/:id` and `GET /statuses/:id`. */
export function messageRoutes(app: FastifyInstance, state: State): void {
  const { channels, ledger } = state

  app.get('/messages/list', async ({ channel, query }) => {
    channels.requireReader(channel)
    // Unconfirmed whether this list has the posts to newsletters. Nobody may rely on it.
    const entries = ledger.list(channel.token).filter(({ to }) => !isNewsletter(to))
    return page(state, channel, entries, query)
  })

  app.get<{ Params: { chat: string } }>('/messages/list/:chat', async ({ channel, params, query }) => {
    if (!chatIdPattern.test(params.chat)) throw refuse.parameters('ChatID is malformed')
    channels.requireReader(channel)
    const entries = isNewsletter(params.chat) ? [] : ledger.list(channel.token, params.chat)
    if (entries.length === 0 && !hasChat(state, channel, params.chat)) throw refuse.notFound('chat')
    return page(state, channel, entries, query)
  })

  app.get<{ Params: { id: string } }>('/messages/:id', async ({ channel, params }) => {
    return wireMessage(state.receipts, channel, entryOf(state, channel, params.id), state.now())
  })

  app.get<{ Params: { id: string } }>('/statuses/:id', async ({ channel, params }) => {
    const entry = entryOf(state, channel, params.id)
    return { statuses: state.receipts.statusesAt(channel, entry, state.now()) }
  })
}

/**
 * Whether a chat without messages exists: only if it is a group of the channel. A person becomes a chat by a message.
 */
function hasChat(state: State, channel: Channel, chat: string): boolean {
  return isGroup(chat) && findGroup(channel.seed, chat, state.groupNumbers) !== undefined
}

function entryOf({ channels, ledger }: State, channel: Channel, id: string): LedgerEntry {
  if (!messageIdPattern.test(id)) throw refuse.parameters('MessageID is malformed')
  channels.requireReader(channel)
  const entry = ledger.find(channel.token, id)
  if (!entry) throw refuse.notFound('message')
  return entry
}

function page(state: State, channel: Channel, entries: readonly LedgerEntry[], query: unknown) {
  const fields = fieldsOf(query)
  const { count, offset } = pageOf(query)
  const found = entries.filter(matching(channel, query))
  const sort = textOf(fields, 'sort') ?? 'desc'
  if (sort !== 'asc' && sort !== 'desc') throw refuse.parameters('sort should be asc or desc')
  if (sort === 'desc') found.reverse()
  const shown = found.slice(offset, offset + count)
  const now = state.now()
  return {
    messages: shown.map((entry) => wireMessage(state.receipts, channel, entry, now)),
    count,
    total: found.length,
    offset,
    first: offset,
    last: offset + Math.max(0, shown.length - 1),
  }
}

/** Returns the filter of a list query. `normal_types` has no effect, because there are no system messages. */
function matching(channel: Channel, query: unknown): (entry: LedgerEntry) => boolean {
  const fields = fieldsOf(query)
  booleanOf(fields, 'normal_types')
  const from = numberOf(fields, 'time_from', 0, Number.MAX_SAFE_INTEGER) ?? 0
  const to = numberOf(fields, 'time_to', 0, Number.MAX_SAFE_INTEGER) ?? Number.MAX_SAFE_INTEGER
  const fromMe = booleanOf(fields, 'from_me')
  const author = textOf(fields, 'author')
  return (entry) => {
    const timestamp = Math.floor(entry.at / 1000)
    if (timestamp < from || timestamp > to) return false
    if (fromMe !== undefined && fromMe !== (entry.from === undefined)) return false
    return author === undefined || author === (entry.from ?? channel.number)
  }
}
