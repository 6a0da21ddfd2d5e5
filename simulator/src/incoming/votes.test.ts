import { expect, test } from 'vitest'
import { useSimulator } from '../../test/client.ts'
import { useReceiver } from '../../test/receiver.ts'
import { groupId } from '../index.ts'

const simulator = useSimulator()
const receiver = useReceiver()

async function pollWith(options: string[], count: number) {
  const token = simulator.linked()
  const path = `/${token}`
  const events = [
    { type: 'messages', method: 'post' },
    { type: 'messages', method: 'patch' },
  ]
  await simulator.call(token, 'PATCH /settings', { webhooks: [{ url: receiver.url(path), events }] })
  const fields = { to: groupId(token, 20), title: 'Khi nào?', options, count }
  const { id } = (await simulator.call(token, 'POST /messages/poll', fields)).body.message
  const vote = (from: string, voted: string[], more: object = {}) =>
    simulator.control('POST /votes', { token, id, from, options: voted, ...more })
  const results = async () => (await simulator.call(token, `GET /messages/${id}`)).body.poll.results
  return { token, path, id, vote, results }
}

// R-1713
test('a vote replaces the former one of the same person, and can be taken back', async () => {
  const { vote, results } = await pollWith(['Sáng', 'Chiều'], 0)

  await vote('84901234567', ['Sáng'])
  await vote('123456789012345@lid', ['Sáng', 'Chiều'])
  await vote('84901234567', ['Chiều'])

  expect(await results()).toMatchObject([
    { name: 'Sáng', count: 1, voters: ['123456789012345@lid'] },
    { name: 'Chiều', count: 2, voters: ['84901234567', '123456789012345@lid'] },
  ])
  await vote('84901234567', [])
  expect(await results()).toMatchObject([{ count: 1 }, { count: 1 }])
})

// R-1713
test('webhooks are notified of a vote in one shape or the other', async () => {
  const { path, id, vote } = await pollWith(['Sáng', 'Chiều'], 1)
  const voted = { results: [{ name: 'Sáng', count: 1, voters: ['84901234567'] }, { count: 0 }] }

  await vote('84901234567', ['Sáng'])
  await receiver.waitFor(() => expect(receiver.requestsTo(path)).toHaveLength(2))
  await vote('84901234567', ['Sáng'], { shape: 'poll_update' })
  await receiver.waitFor(() => expect(receiver.requestsTo(path)).toHaveLength(3))

  expect(receiver.requestsTo(path).map(({ body }) => body)).toMatchObject([
    { messages: [{ id, type: 'poll' }], event: { event: 'post' } },
    {
      messages_updates: [{ id, after_update: { type: 'poll', poll: voted }, changes: ['poll'] }],
      event: { type: 'messages', event: 'patch' },
    },
    { messages: [{ id, type: 'poll_update', from_me: true, poll: voted }], event: { event: 'post' } },
  ])
})

test('a vote that the poll does not take is refused', async () => {
  const { token, vote, results } = await pollWith(['Sáng', 'Chiều'], 1)

  expect((await vote('84901234567', ['Tối'])).status).toBe(400)
  expect((await vote('84901234567', ['Sáng', 'Chiều'])).status).toBe(400)
  expect(
    (await simulator.control('POST /votes', { token, id: 'abcd-abcd', from: '1', options: [] })).status,
  ).toBe(404)
  expect(await results()).toMatchObject([{ count: 0 }, { count: 0 }])
})

test('where the token asks for votes, three members of each group vote, once', async () => {
  const token = 'test_linked_votes_shop'
  await simulator.control('POST /receipts', { token, answerMs: 0 })
  const fields = { to: groupId(token, 20), title: 'Khi nào?', options: ['Sáng', 'Chiều', 'Tối'], count: 0 }
  const { id } = (await simulator.call(token, 'POST /messages/poll', fields)).body.message
  const members = (await simulator.call(token, `GET /groups/${fields.to}`)).body.participants

  const counts = async () => {
    const { results } = (await simulator.call(token, `GET /messages/${id}`)).body.poll
    return results.map(({ count }: { count: number }) => count)
  }
  await expect.poll(counts).toEqual([2, 1, 1])
  const { results } = (await simulator.call(token, `GET /messages/${id}`)).body.poll
  const ids = members.map(({ id }: { id: string }) => id)
  for (const { voters } of results) for (const voter of voters) expect(ids).toContain(voter)
})
