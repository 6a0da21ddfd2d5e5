import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../test/client.ts'
import { useReceiver } from '../test/receiver.ts'
import { groupId } from './index.ts'

const simulator = useSimulator()
const receiver = useReceiver()
const to = '84901234567'
const fast = { sentMs: 0, deliveredMs: 100, readMs: 200, spreadMs: 50, readPercent: 100 }

/** A channel whose acks come to `/token`, by these rules. */
async function follow(rules: object) {
  const token = simulator.linked()
  const url = receiver.url(`/${token}`)
  await simulator.call(token, 'PATCH /settings', {
    webhooks: [{ url, mode: 'body', events: [{ type: 'statuses', method: 'post' }] }],
  })
  await simulator.control('POST /receipts', { token, ...fast, ...rules })
  const send = async (chat: string) =>
    (await simulator.call(token, 'POST /messages/text', { to: chat, body: 'x' })).body.message
  const acks = (): Body[] => receiver.statuses(`/${token}`)
  return {
    token,
    send,
    acks,
    names: () => acks().map(({ status }) => status),
    look: async (id: string) => (await simulator.call(token, `GET /messages/${id}`)).body.status,
  }
}

test('a message to a person is sent, delivered and read, and a look at it agrees', async () => {
  const { send, acks, names, look } = await follow({})
  const { id } = await send(to)
  await receiver.waitFor(() => expect(names()).toEqual(['sent', 'delivered', 'read']))
  expect(acks()[1]).toEqual({
    id,
    code: 3,
    status: 'delivered',
    recipient_id: `${to}@s.whatsapp.net`,
    timestamp: expect.stringMatching(/^\d{10}$/),
  })
  expect(await look(id)).toBe('read')
})

test('a group’s message is delivered to and read by each member', async () => {
  const { token, send, acks, look } = await follow({})
  const chat = groupId(token, 20)
  const members = (await simulator.call(token, `GET /groups/${chat}`)).body.participants_count - 1
  const { id } = await send(chat)
  await receiver.waitFor(() => expect(acks()).toHaveLength(1 + 2 * members))
  expect(acks()[0]).not.toHaveProperty('viewer_id')
  const viewers = (status: string) =>
    new Set(acks().flatMap((ack) => (ack.status === status ? ack.viewer_id : [])))
  expect(viewers('delivered').size).toBe(members)
  expect(viewers('read').size).toBe(members)
  expect(await look(id)).toBe('read')
  const { statuses } = (await simulator.call(token, `GET /statuses/${id}`)).body
  expect(statuses.filter(({ status }: Body) => status === 'read')).toHaveLength(members)
})

test('nobody has to read it', async () => {
  const { send, names, look } = await follow({ readPercent: 0 })
  const { id } = await send(to)
  await receiver.waitFor(() => expect(names()).toEqual(['sent', 'delivered']))
  expect(await look(id)).toBe('delivered')
})

test('one may fail instead, with its error', async () => {
  const { send, acks, look } = await follow({ fate: 'failed' })
  const { id } = await send(to)
  await receiver.waitFor(() =>
    expect(acks()).toMatchObject([{ id, status: 'failed', errors: [{ code: 403, message: 'forbidden' }] }]),
  )
  expect(await look(id)).toBe('failed')
})

test('one may stay at pending', async () => {
  const { send, look } = await follow({ fate: 'stuck' })
  expect(await look((await send(to)).id)).toBe('pending')
})

test('all may be told before the send is answered', async () => {
  const { send, names } = await follow({ disorders: ['early'] })
  await send(to)
  expect(names()).toEqual(['sent', 'delivered', 'read'])
})

test('acks may come twice, the last one first, late, and with ids nobody knows', async () => {
  const { send, acks, names } = await follow({
    disorders: ['duplicates', 'reversed', 'unknown'],
    lateMs: 100,
  })
  const { id } = await send(to)
  await receiver.waitFor(() => expect(acks()).toHaveLength(12))
  const unique = [...new Set(names())]
  expect(unique).toEqual(['read', 'delivered', 'sent'])
  expect(acks().filter((ack) => ack.id === id)).toHaveLength(6)
})
