import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'

const simulator = useSimulator()

async function newsletters(token: string): Promise<Body[]> {
  return (await simulator.call(token, 'GET /newsletters')).body.newsletters
}
const post = (token: string, to: string, body: string) =>
  simulator.call(token, 'POST /messages/text', { to, body })

// R-1720
test('a channel owns one newsletter, is an admin of one and follows one, and only the first two take posts', async () => {
  const token = simulator.linked()
  const all = await newsletters(token)

  expect(all.map(({ role }) => role)).toEqual(['owner', 'admin', 'subscriber'])
  expect((await simulator.call(token, 'GET /newsletters?count=1&offset=2')).body).toMatchObject({
    newsletters: [all[2]],
    total: 3,
  })
  expect((await simulator.call(token, `GET /newsletters/${all[0].id}`)).body).toEqual(all[0])
  const statuses = all.map(async ({ id }) => (await post(token, id, 'Chào')).status)
  expect(await Promise.all(statuses)).toEqual([200, 200, 403])
  expect((await post(token, '120363000000000000@newsletter', 'Chào')).status).toBe(403)
})

// R-1720
test('posts are read by their numbers, newest first, and stand in no other list', async () => {
  const token = simulator.linked()
  const [{ id }] = await newsletters(token)
  for (const body of ['1', '2', '3', '4', '5']) await post(token, id, body)
  const read = async (query: string) => {
    const { messages, first, last } = (
      await simulator.call(token, `GET /newsletters/${id}/messages?${query}`)
    ).body
    return [messages.map(({ text }: Body) => text.body), first, last]
  }

  expect(await read('')).toEqual([['5', '4', '3', '2', '1'], 1, 5])
  expect(await read('count=2')).toEqual([['5', '4'], 4, 5])
  expect(await read('count=2&before=4')).toEqual([['3', '2'], 2, 3])
  expect(await read('before=4&after=2')).toEqual([['3'], 3, 3])
  expect(await read('before=1')).toEqual([[], 0, 0])
  expect((await simulator.call(token, 'GET /messages/list')).body.messages).toEqual([])
  expect((await simulator.call(token, `GET /messages/list/${id}`)).status).toBe(404)
  expect(
    (await simulator.call(token, 'GET /newsletters/120363000000000000@newsletter/messages')).status,
  ).toBe(404)
  expect((await simulator.call(token, 'GET /newsletters/1@g.us/messages')).status).toBe(400)
})

// R-1721
test('nobody acknowledges a post, and the voters of its polls are anonymous', async () => {
  const token = simulator.linked()
  await simulator.control('POST /receipts', { token, sentMs: 0, deliveredMs: 0, readMs: 0, readPercent: 100 })
  const [{ id: to }] = await newsletters(token)
  const poll = { to, title: 'Khi nào?', options: ['Sáng', 'Chiều'] }
  const { id } = (await simulator.call(token, 'POST /messages/poll', poll)).body.message

  await simulator.control('POST /votes', { token, id, from: '84901234567', options: ['Sáng'] })

  const message = (await simulator.call(token, `GET /messages/${id}`)).body
  expect(message).toMatchObject({
    status: 'sent',
    poll: { total: 1, results: [{ name: 'Sáng', count: 1, voters: [] }, { count: 0 }] },
  })
  const { statuses } = (await simulator.call(token, `GET /statuses/${id}`)).body
  expect(statuses.map(({ status }: Body) => status)).toEqual(['sent'])
})
