import { expect, test } from 'vitest'
import { useSimulator } from '../../test/simulated.ts'
import { textMessage } from '../../test/text-message.ts'
import { allMessages } from './provider.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live
const page = { offset: 0, count: 100 }

async function channelsOf(token: string) {
  const [owned, administered, followed] = (await whapi().channels({ token }, page)).rows
  if (!owned || !administered || !followed) throw new Error('Every account has three channels.')
  return { owned, administered, followed }
}

// R-1732
test('channels have their name, our role and the number of subscribers', async () => {
  const credentials = { token: 'test_linked_channels' }

  expect(await whapi().channels(credentials, page)).toMatchObject({
    rows: [
      { chatId: expect.stringMatching(/^\d{18}@newsletter$/), role: 'owner', subscriberCount: 1284 },
      { role: 'admin', name: 'Hàng mới về' },
      { role: 'subscriber' },
    ],
    ...{ next: 3, total: 3 },
  })
  expect(await whapi().channels(credentials, { offset: 2, count: 5 })).toMatchObject({
    rows: [{ role: 'subscriber' }],
    next: 3,
  })
  const odd = [{ id: '1234567890@newsletter', role: 'constructor' }, { name: 'without an id' }]
  const body = { newsletters: odd, total: 2 }
  simulated.simulator.faults.add({ kind: 'status', status: 200, body, path: '^/newsletters', times: 1 })
  expect((await whapi().channels(credentials, page)).rows).toEqual([
    { chatId: '1234567890@newsletter', name: '', role: 'guest', subscriberCount: null },
  ])
})

// R-1733
test('a post goes where we are owner or admin, and has no receipts', async () => {
  const credentials = { token: 'test_linked_posts' }
  const { owned, administered, followed } = await channelsOf(credentials.token)
  const times = { sentMs: 0, deliveredMs: 0, readMs: 0, readPercent: 100 }
  simulated.simulator.receipts.change(credentials.token, times)

  for (const { chatId } of [owned, administered]) {
    const outcome = await whapi().send(credentials, chatId, textMessage('Chào'))
    if (outcome.kind !== 'sent') return expect.unreachable(`The post was not sent: ${outcome.kind}`)
    expect(await whapi().messageStatus(credentials, chatId, outcome.providerMessageId)).toEqual([])
  }
  expect(await whapi().send(credentials, followed.chatId, textMessage('Chào'))).toEqual({
    kind: 'rejected',
    reason: { code: 'not_allowed', params: {} },
  })
})

const posts = (token: string, chatId: string, from: number) =>
  allMessages(whapi().ownMessages({ token }, chatId, from))

// R-1734
test('posts are read to the last page, oldest first, from a time on', async () => {
  const token = 'test_linked_pages'
  const { owned } = await channelsOf(token)
  const now = Math.floor(Date.now() / 1000)
  const draft = { token, to: owned.chatId, type: 'text', source: 'api' } as const
  for (let i = 0; i < 1100; i++)
    simulated.simulator.ledger.accept({ ...draft, body: `${i}` }, (now - 1100 + i) * 1000)
  simulated.simulator.ledger.accept({ ...draft, body: 'theirs', from: '84901234567' }, now * 1000)

  const all = await posts(token, owned.chatId, 0)
  expect(all.messages.map(({ text }) => Number(text))).toEqual(Array.from({ length: 1100 }, (_, i) => i))
  expect(Math.abs(all.clockAheadMs)).toBeLessThan(2000)
  const recent = await posts(token, owned.chatId, now - 10)
  expect(recent.messages.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (_, i) => `${1090 + i}`))
  const calls = simulated.simulator.channels.find(token)?.requests.get('GET /newsletters/:id/messages')
  expect(calls).toBe(4 + 2)
})

// R-1734
test('a channel without posts has none; one that is unknown, or pages that lead nowhere, are an error', async () => {
  const token = 'test_linked_silent'
  const { owned } = await channelsOf(token)

  expect((await posts(token, owned.chatId, 0)).messages).toEqual([])
  await expect(posts(token, '120363000000000000@newsletter', 0)).rejects.toMatchObject({ kind: 'not_found' })
  await whapi().send({ token }, owned.chatId, textMessage('Chào'))
  const { messages } = await posts(token, owned.chatId, 0)
  const listed = messages.map(({ id, timestamp }) => ({ id, timestamp, type: 'text', text: { body: 'x' } }))
  const body = { messages: listed, total: 1 }
  simulated.simulator.faults.add({ kind: 'status', status: 200, body, path: '/messages$', times: 1 })
  await expect(posts(token, owned.chatId, 0)).rejects.toMatchObject({
    reason: { code: 'provider_unreadable' },
  })
})

test('a list of all chats has no posts', async () => {
  const token = 'test_linked_all'
  const { owned } = await channelsOf(token)
  await whapi().send({ token }, owned.chatId, textMessage('Chào'))

  expect((await allMessages(whapi().ownMessages({ token }, null, 0))).messages).toEqual([])
})
