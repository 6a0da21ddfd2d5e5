import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'
import { groupId } from '../index.ts'

const simulator = useSimulator()
const send = async (token: string, to: string, body: string, more = {}) =>
  (await simulator.call(token, 'POST /messages/text', { to, body, ...more })).body.message
const list = (token: string, chat: string, query = '') =>
  simulator.call(token, `GET /messages/list/${encodeURIComponent(chat)}?${query}`)

test('a chat lists its own messages, newest first, in pages', async () => {
  const token = simulator.linked()
  const chat = groupId(token, 20)
  for (const body of ['one', 'two', 'three']) await send(token, chat, body)
  await send(token, groupId(token, 21), 'elsewhere')
  const texts = async (query: string) =>
    (await list(token, chat, query)).body.messages.map((m: Body) => m.text.body)
  expect(await texts('')).toEqual(['three', 'two', 'one'])
  expect(await texts('sort=asc&count=2')).toEqual(['one', 'two'])
  expect(await texts('sort=asc&count=2&offset=2')).toEqual(['three'])
  expect((await list(token, chat, 'count=1')).body).toMatchObject({
    count: 1,
    total: 3,
    offset: 0,
    first: 0,
    last: 0,
  })
  expect((await simulator.call(token, 'GET /messages/list')).body.total).toBe(4)
})

test('a list is filtered by time, direction and author', async () => {
  const token = simulator.linked()
  const chat = groupId(token, 20)
  const { timestamp } = await send(token, chat, 'by us')
  await simulator.control('POST /messages', { token, to: chat, body: 'by phone' })
  await simulator.control('POST /messages', { token, to: chat, body: 'by them', from: '84901234567' })
  const found = async (query: string) =>
    (await list(token, chat, `sort=asc&${query}`)).body.messages.map((m: Body) => [
      m.text.body,
      m.source,
      m.from_me,
    ])
  expect(await found('from_me=true')).toEqual([
    ['by us', 'api', true],
    ['by phone', 'mobile', true],
  ])
  expect(await found('from_me=false')).toEqual([['by them', 'mobile', false]])
  expect(await found('author=84901234567')).toEqual([['by them', 'mobile', false]])
  expect(await found(`time_from=${timestamp + 3600}`)).toEqual([])
  expect(await found(`time_to=${timestamp - 1}`)).toEqual([])
  expect(await found(`time_from=${timestamp}&time_to=${timestamp + 3600}`)).toHaveLength(3)
})

test.each(['from_me=1', 'sort=newest', 'count=501', 'time_from=now'])(
  'a list with %s is 400',
  async (query) => {
    const token = simulator.linked()
    expect((await list(token, groupId(token, 20), query)).status).toBe(400)
  },
)

test('the list of an unknown person is 404, and of a silent group empty', async () => {
  const token = simulator.linked()
  expect((await list(token, '84901234567@s.whatsapp.net')).status).toBe(404)
  expect((await list(token, '120363194050948049@g.us')).status).toBe(404)
  expect((await list(token, '84901234567')).status).toBe(400)
  expect((await list(token, groupId(token, 20))).body).toMatchObject({ messages: [], total: 0 })
})

test('a text with a link is a link preview, unless the send asks for none', async () => {
  const token = simulator.linked()
  const body = 'See https://example.com/a?b=c.'
  expect(await send(token, '84901234567', body)).toMatchObject({
    type: 'link_preview',
    link_preview: { body },
  })
  expect(await send(token, '84901234567', body, { no_link_preview: true })).toMatchObject({
    type: 'text',
    text: { body },
  })
})

test('the status of a message rises from pending to delivered', async () => {
  const token = simulator.linked()
  const { id } = await send(token, '84901234567', 'x')
  const status = async () => (await simulator.call(token, `GET /messages/${id}`)).body.status
  await simulator.control('POST /clock', { shiftMs: 1500 })
  expect(await status()).toBe('sent')
  await simulator.control('POST /clock', { shiftMs: 5000 })
  expect(await status()).toBe('delivered')
  const { body } = await simulator.call(token, `GET /statuses/${id}`)
  expect(body.statuses).toEqual([
    {
      id,
      code: 3,
      status: 'delivered',
      recipient_id: '84901234567@s.whatsapp.net',
      timestamp: expect.any(String),
    },
  ])
  await simulator.control('POST /clock', { shiftMs: 0 })
  expect((await simulator.call(simulator.linked(), `GET /messages/${id}`)).status).toBe(404)
})

test('a clock shift moves message times and Date headers alike', async () => {
  const token = simulator.linked()
  await simulator.control('POST /clock', { shiftMs: 3_600_000 })
  const { headers, body } = await simulator.call(token, 'POST /messages/text', {
    to: '84901234567',
    body: 'x',
  })
  await simulator.control('POST /clock', { shiftMs: 0 })
  const date = Date.parse(headers.get('date') ?? '')
  expect(date - Date.now()).toBeGreaterThan(3_500_000)
  expect(Math.abs(date / 1000 - body.message.timestamp)).toBeLessThan(2)
})

test('a send is in the ledger before its answer', async () => {
  const token = simulator.linked()
  await simulator.control('POST /latency', { ms: 2000 })
  const answer = send(token, '84901234567', 'x')
  await expect.poll(() => simulator.ledger.list(token)).toHaveLength(1)
  const first = await Promise.race([
    answer,
    simulator.control('POST /latency', { ms: 0 }).then(() => 'not yet'),
  ])
  expect(first).toBe('not yet')
  expect((await answer).id).toBe(simulator.ledger.list(token)[0]?.id)
})
