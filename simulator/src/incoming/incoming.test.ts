import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Body, call, useSimulator } from '../../test/client.ts'
import { useReceiver } from '../../test/receiver.ts'
import { startSimulator } from '../index.ts'

const simulator = useSimulator()
const receiver = useReceiver()

/** Creates a channel whose messages arrive at `/<token>`, and whose people answer at once. */
async function useChannel(rules: object = {}) {
  const token = simulator.linked()
  await simulator.call(token, 'PATCH /settings', {
    webhooks: [
      { url: receiver.url(`/${token}`), mode: 'body', events: [{ type: 'messages', method: 'post' }] },
    ],
  })
  await simulator.control('POST /receipts', { token, answerMs: 0, ...rules })
  const listed = async (query = 'from_me=false&sort=asc'): Promise<Body[]> =>
    (await simulator.call(token, `GET /messages/list?${query}`)).body.messages
  return {
    token,
    listed,
    send: async (to: string) =>
      (await simulator.call(token, 'POST /messages/text', { to, body: 'x' })).body.message,
    receive: (from: string, body: string, more: object = {}) =>
      simulator.control('POST /messages', { token, from, body, ...more }),
    arrived: (): Body[] =>
      receiver
        .requestsTo(`/${token}`)
        .flatMap(({ body }) => body.messages)
        .filter(({ from_me }) => !from_me),
  }
}

test('somebody writes in private, quotes a message, and reads back as in the webhook', async () => {
  const { send, receive, arrived, listed } = await useChannel()
  const { id } = await send('84901234567')
  await receive('84901234567', 'Hello', { quoted: id })
  await receiver.waitFor(() => expect(arrived()).toHaveLength(1))
  expect(arrived()).toEqual(await listed())
  expect(arrived()).toEqual([
    {
      ...{ id: expect.any(String), from_me: false, type: 'text', text: { body: 'Hello' }, source: 'mobile' },
      ...{ chat_id: '84901234567@s.whatsapp.net', from: '84901234567' },
      ...{ timestamp: expect.any(Number), context: { quoted_id: id } },
    },
  ])
})

// R-1193
const lid = /^\d+@lid$/
test.each([
  ['84901255501', 'Dừng', '84901255501', false],
  ['84901255502', 'cho tôi dừng nhé', '84901255502', false],
  ['84901255503', 'dung', '84901255503', false],
  ['84901255505', 'Tôi sẽ báo cáo số này', '84901255505', false],
  ['84901255506', 'STOP', lid, false],
  ['84901255507', 'STOP', lid, true],
  ['84901255508', 'STOP', lid, false],
])('%s answers %s', async (to, text, from, quotes) => {
  const { send, arrived } = await useChannel()
  const { id } = await send(to)
  await receiver.waitFor(() => expect(arrived()).toHaveLength(1))
  const [answer] = arrived()
  expect(answer).toMatchObject({ text: { body: text }, from: expect.stringMatching(from) })
  expect(answer.chat_id.split('@')[0]).toBe(answer.from.split('@')[0])
  expect(answer.context).toEqual(quotes ? { quoted_id: id } : undefined)
})

test('the LID of a hidden sender is told beforehand or never, and its number not at all', async () => {
  const { token, send, listed } = await useChannel()
  for (const to of ['84901255506', '84901255507']) await send(to)
  await receiver.waitFor(async () => expect(await listed()).toHaveLength(2))
  const [told, secret] = (await listed()).map(({ from }: Body) => from)
  const get = async (path: string) => (await simulator.call(token, `GET /contacts/${path}`)).body
  expect(await get('lids?ContactIDList=84901255506,84901255507')).toEqual({ '84901255506': { lid: told } })
  for (const from of [told, secret])
    expect((await simulator.call(token, `GET /contacts/ids/${encodeURIComponent(from)}`)).status).toBe(404)
})

test('the number of a LID is told for people whom the channel has written to', async () => {
  const { token, send } = await useChannel()
  await send('84901234567')
  const { body } = await simulator.call(token, 'GET /contacts/lids/84901234567')
  const ids = await simulator.call(token, `GET /contacts/ids/${encodeURIComponent(body.lid)}`)
  expect(ids.body).toEqual({ id: '84901234567@s.whatsapp.net' })
})

test('incoming messages arrive late, twice and in reverse order, and read back in order', async () => {
  const { receive, arrived, listed } = await useChannel({
    ...{ lateMs: 100, disorders: ['duplicates', 'reversed'] },
  })
  await receive('84901234567', 'STOP')
  await receive('84901234567', 'START')
  const texts = (messages: Body[]) => messages.map(({ text }) => text.body)
  expect(arrived()).toEqual([])
  expect(texts(await listed())).toEqual(['STOP', 'START'])
  await receiver.waitFor(() => expect(arrived()).toHaveLength(4))
  expect(texts(arrived())).toEqual(['START', 'START', 'STOP', 'STOP'])
})

test('after a restart people still answer, each message once', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'incoming-'))
  const token = 'test_linked_restarted'
  const start = async () => {
    const started = await startSimulator({ file: path.join(folder, 'simulator.jsonl') })
    return { ...started, call: (route: string, body?: unknown) => call(started.url, token, route, body) }
  }
  const first = await start()
  await first.call('POST /_control/receipts', { token, answerMs: 0 })
  await first.call('POST /messages/text', { to: '84901255501', body: 'x' })
  await receiver.waitFor(() => expect(first.ledger.list(token)).toHaveLength(2))
  await first.call('POST /_control/receipts', { token, answerMs: 1000 })
  await first.call('POST /messages/text', { to: '84901255503', body: 'x' })
  await first.close()

  const second = await start()
  const received = () => second.ledger.list(token).flatMap(({ from, body }) => (from ? [body] : []))
  expect(received()).toEqual(['Dừng'])
  await receiver.waitFor(() => expect(received()).toEqual(['Dừng', 'dung']))
  await second.close()
  rmSync(folder, { recursive: true })
})
