import type { FastifyInstance } from 'fastify'
import type { Channel } from './channels.ts'
import { chatIdPattern, isGroup, messageIdPattern } from './identifiers.ts'
import type { LedgerEntry } from './ledger.ts'
import { booleanOf, fieldsOf, numberOf, pageOf, textOf } from './parameters.ts'
import { refuse } from './refusal.ts'
import { findGroup } from './seed.ts'
import type { World } from './world.ts'

/** The provider's message object. Times are unix seconds. */
export function wireMessage({ receipts }: World, channel: Channel, entry: LedgerEntry, now: number) {
  const timestamp = Math.floor(entry.at / 1000)
  const common = {
    id: entry.id,
    from_me: entry.from === undefined,
    chat_id: entry.to,
    timestamp,
    source: entry.source,
    ...(entry.source === 'api' ? { device_id: 11 } : {}),
    ...(entry.from === undefined ? { status: receipts.statusAt(entry, now) } : {}),
    from: entry.from ?? channel.number,
  }
  if (entry.type === 'image') return { ...common, type: 'image', image: wireImage(entry, timestamp) }
  const body = entry.body ?? ''
  if (!entry.link) return { ...common, type: 'text', text: { body } }
  const { href, hostname } = new URL(entry.link)
  return { ...common, type: 'link_preview', link_preview: { body, url: href, title: hostname } }
}

function wireImage({ media, caption }: LedgerEntry, timestamp: number) {
  return {
    id: media?.id,
    mime_type: media?.mime,
    file_size: media?.size,
    sha256: media?.sha256,
    timestamp,
    ...(caption === undefined ? {} : { caption }),
  }
}

export function messageRoutes(app: FastifyInstance, world: World): void {
  const { channels, ledger } = world

  app.get('/messages/list', async ({ channel, query }) => {
    channels.requireReader(channel)
    return page(world, channel, ledger.list(channel.token), query)
  })

  app.get<{ Params: { chat: string } }>('/messages/list/:chat', async ({ channel, params, query }) => {
    if (!chatIdPattern.test(params.chat)) throw refuse.parameters('ChatID is malformed')
    channels.requireReader(channel)
    const entries = ledger.list(channel.token, params.chat)
    if (entries.length === 0 && !hasChat(world, channel, params.chat)) throw refuse.notFound('chat')
    return page(world, channel, entries, query)
  })

  app.get<{ Params: { id: string } }>('/messages/:id', async ({ channel, params }) => {
    return wireMessage(world, channel, entryOf(world, channel, params.id), world.now())
  })

  app.get<{ Params: { id: string } }>('/statuses/:id', async ({ channel, params }) => {
    const entry = entryOf(world, channel, params.id)
    return { statuses: world.receipts.statusesAt(channel, entry, world.now()) }
  })
}

/** A group is a chat as soon as we are in it; a person only once something was written. */
function hasChat(world: World, channel: Channel, chat: string): boolean {
  return isGroup(chat) && findGroup(channel.seed, chat, world.groupsPerChannel) !== undefined
}

function entryOf({ channels, ledger }: World, channel: Channel, id: string): LedgerEntry {
  if (!messageIdPattern.test(id)) throw refuse.parameters('MessageID is malformed')
  channels.requireReader(channel)
  const entry = ledger.find(channel.token, id)
  if (!entry) throw refuse.notFound('message')
  return entry
}

function page(world: World, channel: Channel, entries: readonly LedgerEntry[], query: unknown) {
  const fields = fieldsOf(query)
  const { count, offset } = pageOf(query)
  const found = entries.filter(matching(channel, query))
  const sort = textOf(fields, 'sort') ?? 'desc'
  if (sort !== 'asc' && sort !== 'desc') throw refuse.parameters('sort should be asc or desc')
  if (sort === 'desc') found.reverse()
  const shown = found.slice(offset, offset + count)
  const now = world.now()
  return {
    messages: shown.map((entry) => wireMessage(world, channel, entry, now)),
    count,
    total: found.length,
    offset,
    first: offset,
    last: offset + Math.max(0, shown.length - 1),
  }
}

/** `normal_types` is taken and makes no difference: there are no system messages here. */
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
