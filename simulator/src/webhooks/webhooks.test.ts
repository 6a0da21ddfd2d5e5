import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Body, useSimulator } from '../../test/client.ts'
import { useReceiver } from '../../test/receiver.ts'

const simulator = useSimulator({ webhookBackoffMs: 10, linkAfterMs: 20 })
const receiver = useReceiver()

const subscribe = (token: string, path: string, more: object = {}) =>
  simulator.call(token, 'PATCH /settings', {
    webhooks: [
      {
        url: receiver.url(path),
        headers: { 'X-Webhook-Secret': 'secret' },
        events: ['channel', 'users', 'messages', 'groups'].flatMap((type) => [
          { type, method: 'post' },
          { type, method: 'delete' },
        ]),
        ...more,
      },
    ],
  })
const postEvent = (token: string, event: object) =>
  simulator.control('POST /events', { token, type: 'groups', groups: [{ id: '1@g.us' }], ...event })

test.each([
  ['body', 'POST', '/mode-body'],
  ['path', 'POST', '/mode-path/groups/post'],
  ['method', 'POST', '/mode-method/groups'],
])('an event goes out in the mode %s with the custom headers', async (mode, method, path) => {
  const token = simulator.linked()
  await subscribe(token, `/mode-${mode}`, { mode })
  await postEvent(token, {})
  expect(receiver.requestsTo(`/mode-${mode}`)).toMatchObject([
    {
      ...{ method, path, headers: { 'x-webhook-secret': 'secret' } },
      body: {
        groups: [{ id: '1@g.us' }],
        event: { type: 'groups', event: 'post' },
        channel_id: expect.stringMatching(/^[A-Z]+-\w{5}$/),
      },
    },
  ])
})

test('the mode method uses the verb of the event as HTTP method', async () => {
  const token = simulator.linked()
  await subscribe(token, '/verb', { mode: 'method' })
  await postEvent(token, { verb: 'delete' })
  expect(receiver.requestsTo('/verb')).toMatchObject([{ method: 'DELETE', path: '/verb/groups' }])
})

test('a webhook receives only the types and verbs of its subscription', async () => {
  const token = simulator.linked()
  await subscribe(token, '/filter', { events: [{ type: 'groups', method: 'put' }] })
  await postEvent(token, {})
  await postEvent(token, { type: 'chats', verb: 'put' })
  await postEvent(token, { verb: 'put' })
  expect(receiver.requestsTo('/filter').map(({ body }) => body.event)).toEqual([
    { type: 'groups', event: 'put' },
  ])
})

test('an event is retried until the answer is 200', async () => {
  const token = simulator.linked()
  await subscribe(token, '/retry')
  receiver.failNext(3)
  await postEvent(token, {})
  await receiver.waitFor(() => expect(receiver.requestsTo('/retry')).toHaveLength(4))
  expect(new Set(receiver.requestsTo('/retry').map(({ body }) => JSON.stringify(body))).size).toBe(1)
})

test('webhooks are notified of linking and unlinking', async () => {
  const token = simulator.unlinked()
  await subscribe(token, '/link')
  await simulator.call(token, 'GET /users/login/84901234567')
  // The two calls have connections of their own, so either may arrive first.
  const usersFirst = (requests: { body: Body }[]) =>
    requests.map(({ body }) => body).sort((one, other) => (one.event.type < other.event.type ? 1 : -1))
  const arrived = () => receiver.requestsTo('/link')
  await receiver.waitFor(() => expect(arrived()).toHaveLength(2))
  expect(usersFirst(arrived())).toMatchObject([
    { user: { id: '84901234567', name: expect.any(String) } },
    { health: { status: { text: 'AUTH' } } },
  ])
  await wait(400) // the channel would be awake after 300 ms; it must not report its state a second time
  expect(arrived()).toHaveLength(2)
  await simulator.call(token, 'POST /users/logout')
  await receiver.waitFor(() => expect(arrived()).toHaveLength(4))
  expect(usersFirst(arrived().slice(2))).toMatchObject([
    { event: { type: 'users', event: 'delete' } },
    { health: { status: { text: 'QR' } } },
  ])
})

test('webhooks are notified of own messages', async () => {
  const token = simulator.linked()
  await subscribe(token, '/own')
  await simulator.call(token, 'POST /messages/text', { to: '84901234567', body: 'x' })
  await receiver.waitFor(() =>
    expect(receiver.requestsTo('/own')).toMatchObject([
      { body: { messages: [{ from_me: true, source: 'api', status: 'pending' }] } },
    ]),
  )
})
