import type { FastifyInstance } from 'fastify'
import { parseFault } from '../faults/rules.ts'
import { voteShapes } from '../incoming/incoming.ts'
import { parseEncodingRules } from '../media/encoding.ts'
import { parseReceiptRules } from '../receipts/rules.ts'
import { specialGroups } from '../seed/groups.ts'
import { newslettersOf } from '../seed/newsletters.ts'
import {
  type CapStatus,
  type Channel,
  type ChannelChange,
  capStatuses,
  stateCodes,
} from '../state/channels.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import type { State } from '../state/state.ts'
import { verbs } from '../webhooks/webhooks.ts'
import { chatIdOf } from '../wire/identifiers.ts'
import { booleanOf, type Fields, fieldsOf, numberOf, textOf } from '../wire/parameters.ts'
import { Refusal, refuse } from '../wire/refusal.ts'

/**
 * Adds the control API of tests, benchmarks and demos; the README lists its calls. Paths are relative to `/_control`.
 * No call needs a token. Invalid fields are 400.
 */
export function controlRoutes(app: FastifyInstance, state: State): void {
  const { channels, faults, ledger } = state

  app.get('/ledger', async ({ query }) => {
    const fields = fieldsOf(query)
    const to = textOf(fields, 'to')
    const entries = ledger.list(textOf(fields, 'token'), to && chatIdOf(to))
    return booleanOf(fields, 'count') ? { total: entries.length } : { total: entries.length, entries }
  })

  app.post('/messages', async ({ body }) => {
    const fields = fieldsOf(body)
    const channel = channels.create(required(fields, 'token'))
    const from = textOf(fields, 'from')
    const quoted = textOf(fields, 'quoted')
    // A private message stands in the chat of its sender.
    const to = chatIdOf(from === undefined ? required(fields, 'to') : (textOf(fields, 'to') ?? from))
    const written = { to, body: required(fields, 'body'), ...(from ? { from } : {}) }
    return state.incoming.receive(channel, { ...written, ...(quoted ? { quoted } : {}) })
  })

  app.post('/votes', async ({ body }) => {
    const fields = fieldsOf(body)
    const channel = channels.create(required(fields, 'token'))
    const { poll, id } = pollOf(state, channel, required(fields, 'id'))
    const options = votedOptions(poll, fields.options)
    const shape = voteShapes.find((known) => known === fields.shape) ?? 'update'
    state.incoming.vote(channel, { id, voter: required(fields, 'from'), options }, shape)
    return { success: true }
  })
  app.post('/media', async ({ body }) => {
    const fields = fieldsOf(body)
    return state.encoding.change(textOf(fields, 'token'), parseEncodingRules(fields))
  })

  app.get('/faults', async () => ({ faults: faults.list(), met: faults.counts() }))
  app.post('/faults', async ({ body }) => ({ id: faults.add(parseFault(fieldsOf(body))) }))
  app.delete('/faults', async () => {
    faults.clear()
    return { success: true }
  })
  app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }) => {
    if (!faults.remove(Number(params.id))) throw new Refusal(404, 'no such fault')
    return { success: true }
  })

  app.get('/channels', async () => ({ channels: channels.all().map((channel) => view(state, channel)) }))
  app.post('/channels', async ({ body }) => {
    const fields = fieldsOf(body)
    const channel = channels.create(required(fields, 'token'))
    channels.change(channel, changeOf(fields))
    return view(state, channel)
  })

  app.get('/requests', async ({ query }) => {
    const token = textOf(fieldsOf(query), 'token')
    return { requests: countRequests(channels.all().filter((channel) => !token || channel.token === token)) }
  })

  app.post('/receipts', async ({ body }) => {
    const fields = fieldsOf(body)
    return state.receipts.change(textOf(fields, 'token'), parseReceiptRules(fields))
  })
  app.post('/events', async ({ body }) => {
    const { token: _token, type: _type, verb: _verb, ...payload } = fieldsOf(body)
    const channel = channels.create(required(fieldsOf(body), 'token'))
    const verb = verbs.find((known) => known === fieldsOf(body).verb) ?? 'post'
    await state.webhooks.notify(channel, { type: required(fieldsOf(body), 'type'), verb, payload })
    return { success: true }
  })

  app.post('/latency', async ({ body }) => {
    state.sendLatencyMs = numberOf(fieldsOf(body), 'ms', 0, 600_000) ?? 0
    return { ms: state.sendLatencyMs }
  })
  app.post('/clock', async ({ body }) => {
    state.clockShiftMs = numberOf(fieldsOf(body), 'shiftMs', -1e10, 1e10) ?? 0
    return { shiftMs: state.clockShiftMs }
  })
}

function required(fields: Fields, name: string): string {
  const value = textOf(fields, name)
  if (!value) throw refuse.parameters(`${name} is required`)
  return value
}

function pollOf({ ledger }: State, channel: Channel, id: string) {
  const poll = ledger.find(channel.token, id)?.poll
  if (!poll) throw refuse.notFound('poll')
  return { id, poll }
}

/** Returns the options of a vote. None take the vote back. */
function votedOptions({ options, isSingle }: NonNullable<LedgerEntry['poll']>, voted: unknown): string[] {
  const isRight = Array.isArray(voted) && voted.every((option) => options.includes(option))
  if (!isRight) throw refuse.parameters('options should be some of the poll')
  if (isSingle && voted.length > 1) throw refuse.parameters('the poll takes one answer')
  return voted
}

/** Returns a channel as the control API shows it. */
function view({ channels }: State, channel: Channel) {
  return {
    token: channel.token,
    channelId: channel.channelId,
    state: channels.state(channel),
    number: channel.number,
    unpaid: channel.unpaid,
    removed: channel.removed,
    restrictedUntil: channel.restrictedUntil,
    newChatStatus: channel.newChatStatus,
    newChatQuota: channel.newChatQuota,
    newChatUntil: channel.newChatUntil,
    specialGroups: specialGroups(channel.token),
    newsletters: newslettersOf(channel.seed).map(({ id, name, role }) => ({ id, name, role })),
  }
}

function changeOf(fields: Fields): ChannelChange {
  const state = textOf(fields, 'state')
  if (state !== undefined && !Object.hasOwn(stateCodes, state)) {
    throw refuse.parameters(`state is one of ${Object.keys(stateCodes).join(', ')}`)
  }
  const newChatStatus = textOf(fields, 'newChatStatus')
  if (newChatStatus !== undefined && !isCapStatus(newChatStatus))
    throw refuse.parameters(`newChatStatus is one of ${capStatuses.join(', ')}`)
  const change = {
    state: state as ChannelChange['state'], // checked above
    number: textOf(fields, 'number'),
    linkAfterMs: numberOf(fields, 'linkAfterMs', 0, 3_600_000),
    unpaid: booleanOf(fields, 'unpaid'),
    removed: booleanOf(fields, 'removed'),
    restrictedUntil: numberOf(fields, 'restrictedUntil', 0, 1e10),
    newChatStatus,
    newChatQuota: numberOf(fields, 'newChatQuota', 1, 1e6),
    newChatUntil: numberOf(fields, 'newChatUntil', 0, 1e10),
  }
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

const isCapStatus = (text: string): text is CapStatus => capStatuses.some((known) => known === text)

/** Returns how often each route was called, summed over the channels. */
function countRequests(channels: Channel[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { requests } of channels) {
    for (const [path, count] of requests) counts.set(path, (counts.get(path) ?? 0) + count)
  }
  return Object.fromEntries(counts)
}
