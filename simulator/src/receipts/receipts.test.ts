import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'
import { useReceiver } from '../../test/receiver.ts'
import { groupId } from '../index.ts'

const simulator = useSimulator()
const receiver = useReceiver()
const to = '84901234567'
const fast = { sentMs: 0, deliveredMs: 100, readMs: 200, spreadMs: 50, readPercent: 100 }

/** Creates a channel with these rules, whose acks arrive at `/<token>`. */
async function useChannel(rules: object) {
  const token = simulator.linked()
  const url = receiver.url(`/${token}`)
  await simulator.call(token, 'PATCH /settings', {
    webhooks: [{ url, mode: 'body', events: [{ type: 'statuses', method: 'post' }] }],
  })
  await simulator.control('POST /receipts', { token, ...fast, ...rules })
  const send = async (chat: string) =>
    (await simulator.call(token, 'POST /messages/text', { to: chat, body: 'x' })).body.message
  const arrived = (): Body[] => receiver.statuses(`/${token}`)
  // In the order of the codes: on a busy machine one call may overtake another.
  const acks = () => arrived().toSorted((one, other) => one.code - other.code)
  return {
    token,
    send,
    arrived,
    acks,
    names: () => acks().map(({ status }) => status),
    statusOf: async (id: string) => (await simulator.call(token, `GET /messages/${id}`)).body.status,
  }
}

test('a message to a person is sent, delivered and read, and reads back as read', async () => {
  const { send, acks, names, statusOf } = await useChannel({})
  const { id } = await send(to)
  await receiver.waitFor(() => expect(names()).toEqual(['sent', 'delivered', 'read']))
  expect(acks()[1]).toEqual({
    id,
    code: 3,
    status: 'delivered',
    recipient_id: `${to}@s.whatsapp.net`,
    timestamp: expect.stringMatching(/^\d{10}$/),
  })
  expect(await statusOf(id)).toBe('read')
})

test('every member of a group receives and reads the message', async () => {
  const { token, send, acks, statusOf } = await useChannel({})
  const chat = groupId(token, 20)
  const members = (await simulator.call(token, `GET /groups/${chat}`)).body.participants_count - 1
  const { id } = await send(chat)
  await receiver.waitFor(() => expect(acks()).toHaveLength(1 + 2 * members))
  expect(acks()[0]).not.toHaveProperty('viewer_id')
  const viewers = (status: string) =>
    new Set(acks().flatMap((ack) => (ack.status === status ? ack.viewer_id : [])))
  expect(viewers('delivered').size).toBe(members)
  expect(viewers('read').size).toBe(members)
  expect(await statusOf(id)).toBe('read')
  const { statuses } = (await simulator.call(token, `GET /statuses/${id}`)).body
  expect(statuses.filter(({ status }: Body) => status === 'read')).toHaveLength(members)
})

test('with readPercent 0 nobody reads the message', async () => {
  const { send, names, statusOf } = await useChannel({ readPercent: 0 })
  const { id } = await send(to)
  await receiver.waitFor(() => expect(names()).toEqual(['sent', 'delivered']))
  expect(await statusOf(id)).toBe('delivered')
})

test('with the fate failed the ack is an error', async () => {
  const { send, acks, statusOf } = await useChannel({ fate: 'failed' })
  const { id } = await send(to)
  await receiver.waitFor(() =>
    expect(acks()).toMatchObject([{ id, status: 'failed', errors: [{ code: 403, message: 'forbidden' }] }]),
  )
  expect(await statusOf(id)).toBe('failed')
})

test('with the fate stuck the message stays pending', async () => {
  const { send, statusOf } = await useChannel({ fate: 'stuck' })
  expect(await statusOf((await send(to)).id)).toBe('pending')
})

test('with the disorder early all acks arrive before the answer', async () => {
  const { send, names } = await useChannel({ disorders: ['early'] })
  await send(to)
  expect(names()).toEqual(['sent', 'delivered', 'read'])
})

test('acks arrive late, twice, in reverse order and with unknown ids', async () => {
  const { send, arrived } = await useChannel({
    // So far apart that they arrive in this order on a busy machine too.
    ...{ deliveredMs: 1000, readMs: 2000, lateMs: 100 },
    disorders: ['duplicates', 'reversed', 'unknown'],
  })
  const { id } = await send(to)
  await receiver.waitFor(() => expect(arrived()).toHaveLength(12))
  const unique = [...new Set(arrived().map(({ status }) => status))]
  expect(unique).toEqual(['read', 'delivered', 'sent'])
  expect(arrived().filter((ack) => ack.id === id)).toHaveLength(6)
})
