import { expect, test } from 'vitest'
import { useSimulator } from '../test/client.ts'
import { useReceiver } from '../test/receiver.ts'

const simulator = useSimulator({ webhookBackoffMs: 10, linkAfterMs: 20 })
const receiver = useReceiver()

const listen = (token: string, path: string, more: object = {}) =>
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
const push = (token: string, event: object) =>
  simulator.control('POST /events', { token, type: 'groups', groups: [{ id: '1@g.us' }], ...event })

test.each([
  ['body', 'POST', '/mode-body'],
  ['path', 'POST', '/mode-path/groups/post'],
  ['method', 'POST', '/mode-method/groups'],
])('an event goes out in the mode %s, with the headers asked for', async (mode, method, path) => {
  const token = simulator.linked()
  await listen(token, `/mode-${mode}`, { mode })
  await push(token, {})
  expect(receiver.of(`/mode-${mode}`)).toMatchObject([
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

test('the mode method carries the verb of the event', async () => {
  const token = simulator.linked()
  await listen(token, '/verb', { mode: 'method' })
  await push(token, { verb: 'delete' })
  expect(receiver.of('/verb')).toMatchObject([{ method: 'DELETE', path: '/verb/groups' }])
})

test('only the events that were asked for are told, by type and verb', async () => {
  const token = simulator.linked()
  await listen(token, '/filter', { events: [{ type: 'groups', method: 'put' }] })
  await push(token, {})
  await push(token, { type: 'chats', verb: 'put' })
  await push(token, { verb: 'put' })
  expect(receiver.of('/filter').map(({ body }) => body.event)).toEqual([{ type: 'groups', event: 'put' }])
})

test('what is not answered with 200 comes again', async () => {
  const token = simulator.linked()
  await listen(token, '/again')
  receiver.refuse(3)
  await push(token, {})
  await receiver.waitFor(() => expect(receiver.of('/again')).toHaveLength(4))
  expect(new Set(receiver.of('/again').map(({ body }) => JSON.stringify(body))).size).toBe(1)
})

test('linking and unlinking are told', async () => {
  const token = simulator.fresh()
  await listen(token, '/link')
  await simulator.call(token, 'GET /users/login/84901234567')
  await receiver.waitFor(() =>
    expect(receiver.of('/link').map(({ body }) => body.health?.status.text ?? body.user)).toEqual([
      { id: '84901234567', name: expect.any(String) },
      'AUTH',
    ]),
  )
  await simulator.call(token, 'POST /users/logout')
  await receiver.waitFor(() => expect(receiver.of('/link')).toHaveLength(4))
  expect(receiver.of('/link').slice(2)).toMatchObject([
    { body: { event: { type: 'users', event: 'delete' } } },
    { body: { health: { status: { text: 'QR' } } } },
  ])
})

test('an own message is told as well', async () => {
  const token = simulator.linked()
  await listen(token, '/own')
  await simulator.call(token, 'POST /messages/text', { to: '84901234567', body: 'x' })
  await receiver.waitFor(() =>
    expect(receiver.of('/own')).toMatchObject([
      { body: { messages: [{ from_me: true, source: 'api', status: 'pending' }] } },
    ]),
  )
})
