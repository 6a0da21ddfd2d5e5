import { expect, test } from 'vitest'
import { useSimulator } from '../../test/client.ts'
import { specialGroups } from '../index.ts'

const simulator = useSimulator()
const setChannel = (change: object) => simulator.control('POST /channels', change)
const send = (token: string) => simulator.call(token, 'POST /messages/text', { to: '84901234567', body: 'x' })

test('control creates a channel for any token and lists its special groups', async () => {
  const { body } = await setChannel({ token: 'my-own-token', state: 'AUTH', number: '84907654321' })
  expect(body).toMatchObject({
    state: 'AUTH',
    number: '84907654321',
    specialGroups: specialGroups('my-own-token'),
  })
  expect((await send('my-own-token')).body.message.from).toBe('84907654321')
  expect((await simulator.control('GET /channels')).body.channels).toContainEqual(body)
})

test.each([
  ['STOP', 402, 402],
  ['ERROR', 401, 401],
  ['LAUNCH', 401, 401],
  ['QR', 401, 401],
  ['SYNC_ERROR', 200, 500],
])('in %s a send is %i and a read %i', async (state, sent, read) => {
  const token = simulator.linked()
  await setChannel({ token, state })
  expect((await simulator.call(token, 'GET /health')).body.status.text).toBe(state)
  expect((await send(token)).status).toBe(sent)
  expect((await simulator.call(token, 'GET /groups')).status).toBe(read)
  await setChannel({ token, state: 'AUTH' })
  expect((await send(token)).status).toBe(200)
})

test('a restricted channel sends to groups only and reports the end of its restriction', async () => {
  const token = simulator.linked()
  const limit = () => simulator.call(token, 'GET /business/limits/reachout_timelock')
  const until = Math.floor(Date.now() / 1000) + 3600
  expect((await limit()).status).toBe(204)

  await setChannel({ token, restrictedUntil: until })
  expect(await limit()).toMatchObject({
    status: 200,
    body: { is_restricted: true, restricted_until: until, restriction_type: 'default' },
  })
  expect((await send(token)).status).toBe(403)
  const to = specialGroups(token).large
  expect((await simulator.call(token, 'POST /messages/text', { to, body: 'x' })).status).toBe(200)

  await setChannel({ token, restrictedUntil: 0 })
  expect((await send(token)).status).toBe(200)
})

test('an unpaid channel reads, but its sends are 402 with a flat error body', async () => {
  const token = simulator.linked()
  await setChannel({ token, unpaid: true })
  expect(await send(token)).toMatchObject({
    status: 402,
    body: { code: 402, error: 'trial version limit exceeded' },
  })
  expect((await simulator.call(token, 'GET /groups')).status).toBe(200)
})

test('a removed channel is 404 until control restores it', async () => {
  const token = simulator.linked()
  await setChannel({ token, removed: true })
  expect(await simulator.call(token, 'GET /health')).toMatchObject({
    status: 404,
    body: { error: { message: 'channel not found' } },
  })
  await setChannel({ token, removed: false })
  expect((await send(token)).status).toBe(200)
})

test('the ledger is filtered by channel and chat, or only counted', async () => {
  const token = simulator.linked()
  const { id } = (await send(token)).body.message
  const ledger = async (query: string) => (await simulator.control(`GET /ledger?${query}`)).body
  expect(await ledger(`token=${token}`)).toMatchObject({ total: 1, entries: [{ id, body: 'x' }] })
  expect(await ledger(`token=${token}&to=84901234567&count=true`)).toEqual({ total: 1 })
  expect(await ledger(`token=${token}&to=84901234568&count=true`)).toEqual({ total: 0 })
  expect((await ledger('to=84901234567')).total).toBeGreaterThan(0)
})

test('requests are counted by route', async () => {
  const token = simulator.linked()
  await send(token)
  await simulator.call(token, 'GET /media/jpeg-ab')
  expect((await simulator.control(`GET /requests?token=${token}`)).body).toEqual({
    requests: { 'POST /messages/text': 1, 'GET /media/:id': 1 },
  })
})

test.each([
  ['POST /channels', {}],
  ['POST /channels', { token: 'test_x', state: 'HAPPY' }],
  ['POST /latency', { ms: -1 }],
  ['POST /messages', { token: 'test_x' }],
  ['POST /channels', { token: 'test_x', newChatStatus: 'toString' }],
])('%s of %j is 400', async (route, body) => {
  expect((await simulator.control(route, body)).status).toBe(400)
})

test.each(['__proto__', 'constructor', 'toString'])('%s is no state of a channel', async (state) => {
  expect((await setChannel({ token: simulator.linked(), state })).status).toBe(400)
})

test.each(['constructor', 'toString'])('a channel has no setting %s', async (name) => {
  const { body } = await simulator.call(simulator.linked(), 'PATCH /settings', { [name]: 1, proxy: '' })
  expect(body.changes).toEqual(['proxy'])
})
