import { groupId } from '@sendroom/simulator'
import { expect, test } from 'vitest'
import { useSimulator } from '../../test/simulated.ts'
import { textMessage } from '../../test/text-message.ts'
import type { Webhook } from './provider.ts'
import { eventOf, webhooksWith } from './whapi-events.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live
const credentials = { token: 'test_linked_events' }
const to = '84901234567@s.whatsapp.net'

/** Sends a message whose acks all happen at once, and reads its receipts. */
async function receiptsOfSent(chatId: string, rules: object) {
  simulated.simulator.receipts.change(credentials.token, {
    sentMs: 0,
    deliveredMs: 0,
    readMs: 0,
    spreadMs: 0,
    ...rules,
  })
  const outcome = await whapi().send(credentials, chatId, textMessage('Hello'))
  if (outcome.kind !== 'sent') throw new Error(`The message was not sent: ${outcome.kind}`)
  return whapi().messageStatus(credentials, chatId, outcome.providerMessageId)
}

//
test.each(['__proto__', 'constructor', 'toString'])('the status %s is none that we know', (word) => {
  const body = { statuses: [{ id: 'm1', status: word }], health: { status: { text: word } } }
  expect(eventOf(body)).toEqual({
    receipts: [],
    incoming: [],
    votes: [],
    instance: null,
    groupsChanged: false,
  })
})

test('messageStatus reads the receipt of a message to a person', async () => {
  expect(await receiptsOfSent(to, { readPercent: 100 })).toMatchObject([
    { state: 'read', viewer: null, at: null },
  ])
  expect(await receiptsOfSent(to, { readPercent: 0 })).toMatchObject([{ state: 'delivered' }])
  expect(await receiptsOfSent(to, { fate: 'failed' })).toMatchObject([{ state: 'failed', viewer: null }])
  expect(await receiptsOfSent(to, { fate: 'stuck' })).toEqual([])
})

test('messageStatus reads the receipts of all members for a message to a group', async () => {
  const chat = groupId(credentials.token, 20)
  const { participantCount } = await whapi().group(credentials, chat)
  const receipts = await receiptsOfSent(chat, { readPercent: 100, fate: 'normal' })
  expect(receipts).toHaveLength((participantCount ?? 0) - 1)
  expect(new Set(receipts.map(({ viewer }) => viewer)).size).toBe(receipts.length)
  expect(receipts[0]).toMatchObject({ state: 'read', at: expect.any(String) })
})

test('messageStatus fails for an unknown message', async () => {
  await expect(whapi().messageStatus(credentials, to, 'abcd-abcd')).rejects.toMatchObject({
    kind: 'not_found',
  })
})

test('a channel without limits is not metered, a trial is', async () => {
  expect(await whapi().isMetered(credentials)).toBe(false)
  const body = { messages: 150, chats: [], checks: 30, requests: 1000 }
  simulated.simulator.faults.add({ kind: 'status', status: 200, body, path: '^/limits' })
  expect(await whapi().isMetered(credentials)).toBe(true)
})

const webhook: Webhook = { key: '1.key', url: 'https://a.example/api/webhooks/whapi/1.key', secret: 's' }
const [ours = {}] = webhooksWith({ webhooks: [] }, webhook.key, webhook) ?? []
const theirs = { url: 'https://b.example/hook', anything: ['of', 'theirs'] }
const former = { ...ours, url: 'https://old.example/api/webhooks/whapi/1.key' }

test.each([
  ['none of ours', [theirs], webhook, [theirs, ours]],
  ['no list', undefined, webhook, [ours]],
  ['the right webhook', [theirs, ours], webhook, null],
  ['an extra field', [{ ...ours, extra: true }], webhook, null],
  ['a header in another case', [{ ...ours, headers: { 'X-Sendroom-Secret': 's' } }], webhook, null],
  ['another secret', [{ ...ours, headers: { 'x-sendroom-secret': 'old' } }], webhook, [ours]],
  ['fewer events', [{ ...ours, events: [{ type: 'statuses', method: 'post' }] }], webhook, [ours]],
  ['our former URL', [former, theirs], webhook, [theirs, ours]],
  ['ours twice', [ours, ours], webhook, [ours]],
  ['ours to be removed', [theirs, ours], null, [theirs]],
  ['nothing to be removed', [theirs], null, null],
])('the list of webhooks, with %s', (_name, webhooks, wanted, expected) => {
  expect(webhooksWith({ webhooks }, webhook.key, wanted)).toEqual(expected)
})

test.each([
  ['from `event`', { event: 'delete' }],
  ['from `method`, as documented', { method: 'delete' }],
])('the verb is read %s', (_name, event) => {
  expect(eventOf({ user: { id: '1' }, event: { type: 'users', ...event } }).instance?.status).toBe(
    'NeedsLogin',
  )
})
