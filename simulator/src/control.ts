import type { FastifyInstance } from 'fastify'
import { type Channel, type ChannelChange, stateCodes } from './channels.ts'
import { type FaultRule, faultKinds } from './faults.ts'
import { chatIdOf } from './identifiers.ts'
import { booleanOf, type Fields, fieldsOf, numberOf, textOf } from './parameters.ts'
import { disorders, type ReceiptRules } from './receipts.ts'
import { Refusal, refuse } from './refusal.ts'
import { specialGroups } from './seed.ts'
import type { World } from './world.ts'

/** The control API: what tests, benchmarks and demos see and set. No token needed. */
export function controlRoutes(app: FastifyInstance, world: World): void {
  const { channels, faults, ledger } = world

  app.get('/ledger', async ({ query }) => {
    const fields = fieldsOf(query)
    const to = textOf(fields, 'to')
    const entries = ledger.list(textOf(fields, 'token'), to && chatIdOf(to))
    return booleanOf(fields, 'count') ? { total: entries.length } : { total: entries.length, entries }
  })

  app.post('/messages', async ({ body }) => {
    const fields = fieldsOf(body)
    const token = required(fields, 'token')
    const from = textOf(fields, 'from')
    const draft = { token, to: chatIdOf(required(fields, 'to')), body: required(fields, 'body') }
    return ledger.accept({ ...draft, type: 'text', source: 'mobile', ...(from ? { from } : {}) }, world.now())
  })

  app.get('/faults', async () => ({ faults: faults.list(), met: faults.met() }))
  app.post('/faults', async ({ body }) => ({ id: faults.add(faultOf(fieldsOf(body))) }))
  app.delete('/faults', async () => {
    faults.clear()
    return { success: true }
  })
  app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }) => {
    if (!faults.remove(Number(params.id))) throw new Refusal(404, 'no such fault')
    return { success: true }
  })

  app.get('/channels', async () => ({ channels: channels.all().map((channel) => view(world, channel)) }))
  app.post('/channels', async ({ body }) => {
    const fields = fieldsOf(body)
    const channel = channels.create(required(fields, 'token'))
    channels.change(channel, changeOf(fields))
    return view(world, channel)
  })

  app.get('/requests', async ({ query }) => {
    const token = textOf(fieldsOf(query), 'token')
    return { requests: countRequests(channels.all().filter((channel) => !token || channel.token === token)) }
  })

  app.post('/receipts', async ({ body }) => {
    const fields = fieldsOf(body)
    return world.receipts.change(textOf(fields, 'token'), rulesOf(fields))
  })
  app.post('/events', async ({ body }) => {
    const { token: _token, type: _type, verb: _verb, ...payload } = fieldsOf(body)
    const channel = channels.create(required(fieldsOf(body), 'token'))
    const verb = verbs.find((known) => known === fieldsOf(body).verb) ?? 'post'
    await world.webhooks.tell(channel, { type: required(fieldsOf(body), 'type'), verb, payload })
    return { success: true }
  })

  app.post('/latency', async ({ body }) => {
    world.sendLatencyMs = numberOf(fieldsOf(body), 'ms', 0, 600_000) ?? 0
    return { ms: world.sendLatencyMs }
  })
  app.post('/clock', async ({ body }) => {
    world.clockShiftMs = numberOf(fieldsOf(body), 'shiftMs', -1e10, 1e10) ?? 0
    return { shiftMs: world.clockShiftMs }
  })
}

function required(fields: Fields, name: string): string {
  const value = textOf(fields, name)
  if (!value) throw refuse.parameters(`${name} is required`)
  return value
}

function view({ channels }: World, channel: Channel) {
  return {
    token: channel.token,
    channelId: channel.channelId,
    state: channels.state(channel),
    number: channel.number,
    unpaid: channel.unpaid,
    removed: channel.removed,
    restrictedUntil: channel.restrictedUntil,
    specialGroups: specialGroups(channel.token),
  }
}

function changeOf(fields: Fields): ChannelChange {
  const state = textOf(fields, 'state')
  if (state !== undefined && !(state in stateCodes)) {
    throw refuse.parameters(`state is one of ${Object.keys(stateCodes).join(', ')}`)
  }
  const change = {
    state: state as ChannelChange['state'], // checked above
    number: textOf(fields, 'number'),
    linkAfterMs: numberOf(fields, 'linkAfterMs', 0, 3_600_000),
    unpaid: booleanOf(fields, 'unpaid'),
    removed: booleanOf(fields, 'removed'),
    restrictedUntil: numberOf(fields, 'restrictedUntil', 0, 1e10),
  }
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

const verbs = ['post', 'put', 'patch', 'delete'] as const
const fates = ['normal', 'failed', 'stuck'] as const

function rulesOf(fields: Fields): Partial<ReceiptRules> {
  const times = ['sentMs', 'deliveredMs', 'readMs', 'spreadMs', 'lateMs'] as const
  const rules = {
    ...Object.fromEntries(times.map((name) => [name, numberOf(fields, name, 0, 86_400_000)])),
    readPercent: numberOf(fields, 'readPercent', 0, 100),
    fate: fates.find((fate) => fate === fields.fate),
    disorders: Array.isArray(fields.disorders)
      ? disorders.filter((disorder) => (fields.disorders as unknown[]).includes(disorder)) // checked just now
      : undefined,
  }
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
}

function faultOf(fields: Fields): FaultRule {
  const kind = faultKinds.find((known) => known === fields.kind)
  if (!kind) throw refuse.parameters(`kind is one of ${faultKinds.join(', ')}`)
  for (const name of ['token', 'method', 'to']) textOf(fields, name)
  for (const name of ['skip', 'times', 'delayMs', 'retryAfter']) numberOf(fields, name, 0, 1e9)
  if (kind === 'status' && numberOf(fields, 'status', 200, 599) === undefined)
    throw refuse.parameters('status is required')
  if (kind === 'slow' && fields.delayMs === undefined) throw refuse.parameters('delayMs is required')
  try {
    new RegExp(textOf(fields, 'path') ?? '')
  } catch {
    throw refuse.parameters('path should be a regular expression')
  }
  return fields as unknown as FaultRule // every field that is read has been checked above
}

function countRequests(channels: Channel[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { requests } of channels) {
    for (const [path, count] of requests) counts[path] = (counts[path] ?? 0) + count
  }
  return counts
}
