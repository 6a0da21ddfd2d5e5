import { expect, test } from 'vitest'
import { groupId } from '../../../simulator/src/index.ts'
import { useSimulator } from '../../test/simulated.ts'
import type { Webhook } from './provider.ts'
import { newsOf, webhooksWith } from './whapi-news.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live
const account = { token: 'test_linked_news' }
const to = '84901234567@s.whatsapp.net'

/** A message that went out, all of whose acks have happened. */
async function sent(chatId: string, rules: object) {
  simulated.simulator.receipts.change(account.token, {
    sentMs: 0,
    deliveredMs: 0,
    readMs: 0,
    spreadMs: 0,
    ...rules,
  })
  const outcome = await whapi().sendText(account, chatId, 'Hello')
  if (outcome.kind !== 'sent') throw new Error(`It was not sent: ${outcome.kind}`)
  return whapi().messageStatus(account, chatId, outcome.providerMessageId)
}

test('the status of a message to a person is asked for', async () => {
  expect(await sent(to, { readPercent: 100 })).toMatchObject([{ state: 'read', viewer: null, at: null }])
  expect(await sent(to, { readPercent: 0 })).toMatchObject([{ state: 'delivered' }])
  expect(await sent(to, { fate: 'failed' })).toMatchObject([{ state: 'failed', viewer: null }])
  expect(await sent(to, { fate: 'stuck' })).toEqual([])
})

test('that of a group’s message is asked for by member', async () => {
  const chat = groupId(account.token, 20)
  const { participantCount } = await whapi().group(account, chat)
  const receipts = await sent(chat, { readPercent: 100, fate: 'normal' })
  expect(receipts).toHaveLength((participantCount ?? 0) - 1)
  expect(new Set(receipts.map(({ viewer }) => viewer)).size).toBe(receipts.length)
  expect(receipts[0]).toMatchObject({ state: 'read', at: expect.any(String) })
})

test('a message nobody knows is a failure of the call', async () => {
  await expect(whapi().messageStatus(account, to, 'abcd-abcd')).rejects.toMatchObject({ kind: 'not_found' })
})

test('an account without limits is not metered; a trial is', async () => {
  expect(await whapi().isMetered(account)).toBe(false)
  const body = { messages: 150, chats: [], checks: 30, requests: 1000 }
  simulated.simulator.faults.add({ kind: 'status', status: 200, body, path: '^/limits' })
  expect(await whapi().isMetered(account)).toBe(true)
})

const webhook: Webhook = { key: '1.key', url: 'https://a.example/api/webhooks/whapi/1.key', secret: 's' }
const [ours = {}] = webhooksWith({ webhooks: [] }, webhook.key, webhook) ?? []
const theirs = { url: 'https://b.example/hook', anything: ['of', 'theirs'] }
const former = { ...ours, url: 'https://old.example/api/webhooks/whapi/1.key' }

test.each([
  ['none yet', [theirs], webhook, [theirs, ours]],
  ['no list at all', undefined, webhook, [ours]],
  ['it is so already', [theirs, ours], webhook, null],
  ['more than we asked for', [{ ...ours, extra: true }], webhook, null],
  ['headers written differently', [{ ...ours, headers: { 'X-Sendroom-Secret': 's' } }], webhook, null],
  ['another secret', [{ ...ours, headers: { 'x-sendroom-secret': 'old' } }], webhook, [ours]],
  ['fewer events', [{ ...ours, events: [{ type: 'statuses', method: 'post' }] }], webhook, [ours]],
  ['our former address', [former, theirs], webhook, [theirs, ours]],
  ['ours twice', [ours, ours], webhook, [ours]],
  ['to be taken back', [theirs, ours], null, [theirs]],
  ['nothing to be taken back', [theirs], null, null],
])('the list of webhooks, with %s', (_name, webhooks, wanted, expected) => {
  expect(webhooksWith({ webhooks }, webhook.key, wanted)).toEqual(expected)
})

test.each([
  ['by `event`', { event: 'delete' }],
  ['by `method`, as the description says', { method: 'delete' }],
])('the verb is read %s', (_name, event) => {
  expect(newsOf({ user: { id: '1' }, event: { type: 'users', ...event } }).account?.status).toBe('NeedsLogin')
})
