import { Readable } from 'node:stream'
import type { Simulator } from '@sendroom/simulator'
import { specialGroups } from '@sendroom/simulator'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { textMessage } from '../../test/text-message.ts'
import { allMessages, type Provider, type ProviderFailure } from './provider.ts'
import { startSimulator } from './test-mode.ts'
import { createWhapi } from './whapi.ts'

const token = 'test_linked_odd_contract'
const credentials = { token }
const person = '84901234567@s.whatsapp.net'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let simulator: Simulator
let whapi: Provider & { close(): Promise<void> }

beforeAll(async () => {
  simulator = await startSimulator({ pathKey: 'key', linkAfterMs: 0 })
  whapi = createWhapi({ baseUrl: simulator.url })
})
afterEach(() => simulator.faults.clear())
afterAll(async () => {
  await whapi.close()
  await simulator.close()
})

const sendText = () => whapi.send(credentials, person, textMessage('Hello'))
const fileOf = (bytes: Buffer, mimeType = 'image/png') => ({
  ...{ mimeType, size: bytes.length },
  open: async () => Readable.from([bytes], { objectMode: false }),
})
const imageOf = (mediaId: string, caption = '') => ({ content: { kind: 'image', mediaId, caption } }) as const
const answer = (status: number, body?: unknown, more: { flat?: boolean; retryAfter?: number } = {}) =>
  ({ kind: 'status', status, body, ...more }) as const
const error = (message: string, details?: string) => ({ error: { code: 0, message, details } })
const reason = (code: string, params = {}) => ({ code, params })
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('the call should have failed'),
    (failure: ProviderFailure) => failure,
  )

const problem = (code: string) => ({ kind: 'account', problem: code, reason: reason(code) })
const unknown = (status: number) => ({ kind: 'unknown', reason: reason('provider_error', { status }) })
const rejected = (code: string, params = {}) => ({ kind: 'rejected', reason: reason(code, params) })
const unreadable = { kind: 'unknown', reason: reason('provider_unreadable') }

test.each([
  // the provider refuses
  [
    answer(400, error('wrong request parameters', 'to is malformed')),
    rejected('bad_recipient', { detail: 'wrong request parameters: to is malformed' }),
  ],
  [
    answer(400, error('wrong request parameters', 'body is required')),
    rejected('content_refused', { detail: 'wrong request parameters: body is required' }),
  ],
  [answer(400, error('invalid phone number')), rejected('not_on_whatsapp')],
  [answer(400, 'Bad thing'), rejected('refused', { detail: 'Bad thing' })],
  [answer(403), rejected('not_allowed')],
  [answer(404, error('specified chat not found')), rejected('chat_not_found')],
  [answer(405, undefined, { flat: true }), rejected('refused', { detail: 'forced 405' })],
  [answer(413), rejected('content_too_large')],
  [answer(415), rejected('media_refused')],
  [{ kind: 'not-sent' } as const, rejected('refused', { detail: 'sent: false' })],
  // the provider is busy
  [answer(429), { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: null }],
  [
    answer(429, undefined, { retryAfter: 7 }),
    { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: 7000 },
  ],
  // the instance has a problem
  [answer(401), problem('account_not_linked')],
  [answer(401, { message: 'Invalid token' }), problem('account_bad_token')],
  [answer(402, undefined, { flat: true }), problem('account_unpaid')],
  [answer(404, error('Channel Not Found')), problem('account_bad_token')],
  [answer(403, error('this account is restricted')), problem('account_restricted')],
  // this person can't be written to first, or the account is locked
  [answer(403, error('refused', 'error 463')), { kind: 'no_first_message' }],
  [answer(400, error('reachout is locked for new chats')), { kind: 'no_first_message' }],
  [answer(500, error('error 463')), unknown(500)],
  // maybe sent
  [answer(500), unknown(500)],
  [answer(502, '<html><h1>Bad gateway</h1></html>'), unknown(502)],
  [answer(408), unknown(408)],
  [answer(302, 'Moved'), unreadable],
  [answer(200, error('odd')), unreadable],
  [{ kind: 'malformed' } as const, unreadable],
  [{ kind: 'empty' } as const, unreadable],
  [{ kind: 'no-id' } as const, unreadable],
  [{ kind: 'accept-then-drop' } as const, { kind: 'unknown', reason: reason('provider_unreachable') }],
  [{ kind: 'drop-before' } as const, { kind: 'unknown', reason: reason('provider_unreachable') }],
])('the answer %j to a text is exactly one outcome', async (fault, outcome) => {
  simulator.faults.add({ ...fault, path: '^/messages/text' })

  expect(await sendText()).toEqual(outcome)
})

test('a text is sent to the full chat id, and the outcome has the provider’s message id', async () => {
  const outcome = await whapi.send(credentials, '84907777777', textMessage('Xin chào 🌸'))

  const [entry] = simulator.ledger.list(token, '84907777777@s.whatsapp.net')
  expect(entry).toMatchObject({ type: 'text', body: 'Xin chào 🌸', source: 'api' })
  expect(outcome).toEqual({ kind: 'sent', providerMessageId: entry?.id })
})

test('an image is uploaded as bytes and sent by its id, with its caption', async () => {
  const upload = await whapi.upload(credentials, fileOf(png))
  const mediaId = upload.kind === 'uploaded' ? upload.mediaId : ''

  const outcome = await whapi.send(credentials, '84908888888@s.whatsapp.net', imageOf(mediaId, 'Look'))

  const [entry] = simulator.ledger.list(token, '84908888888@s.whatsapp.net')
  expect(outcome).toEqual({ kind: 'sent', providerMessageId: entry?.id })
  expect(entry).toMatchObject({ type: 'image', caption: 'Look', media: { id: mediaId, size: png.length } })
})

test('a 404 for an image means media_gone, unless its words mean the chat or the channel', async () => {
  const sendImage = () => whapi.send(credentials, person, imageOf('png-abc-def'))

  expect(await sendImage()).toEqual({ kind: 'media_gone' })
  simulator.faults.add({ ...answer(404, error('specified chat not found')), times: 1 })
  expect(await sendImage()).toEqual(rejected('chat_not_found'))
  simulator.faults.add({ ...answer(404, error('channel not found')), times: 1 })
  expect(await sendImage()).toEqual(problem('account_bad_token'))
})

test.each([
  ['a group where only admins may write', specialGroups(token).announcementsOnly, 'not_allowed'],
  ['a group that the channel has left', specialGroups(token).left, 'not_allowed'],
  ['a number that is not on WhatsApp', '84901230000', 'not_on_whatsapp'],
])('%s is rejected with its reason', async (_name, to, code) => {
  expect(await whapi.send(credentials, to, textMessage('Hello'))).toEqual(rejected(code))
})

test('nothing is written if mayWrite returns false', async () => {
  const to = '84906666666@s.whatsapp.net'

  const outcome = await whapi.send(credentials, to, textMessage('Hello'), () => false)

  expect(outcome).toMatchObject({ kind: 'busy' })
  expect(simulator.ledger.list(token, to)).toEqual([])
  expect(await whapi.send(credentials, to, textMessage('Hello'), () => true)).toMatchObject({ kind: 'sent' })
})

test('an error page is cut to its words, without the token', async () => {
  const page = `<html><head><title>x</title></head><body>${'No  way, '.repeat(50)}</body></html>`
  simulator.faults.add({ ...answer(405, `<b>${token}</b> said:\n ${page}`), times: 1 })

  const outcome = await sendText()

  const detail = outcome.kind === 'rejected' ? String(outcome.reason.params.detail) : ''
  expect(detail).toMatch(/^… said: No way, No way,/)
  expect(detail.length).toBe(200)
})

test('a token that no header can carry is a bad token', async () => {
  const odd = { token: 'test_linked\r\nx: y' }

  expect(await whapi.send(odd, person, textMessage('Hello'))).toEqual(problem('account_bad_token'))
  expect(await whapi.status(odd)).toEqual({ status: 'BadToken', linkedNumber: null })
})

test.each([
  [answer(400), rejected('media_refused')],
  [answer(415), rejected('media_refused')],
  [answer(413), rejected('content_too_large')],
  [answer(404, error('not found')), rejected('media_missing')],
  [answer(404, error('channel not found')), problem('account_bad_token')],
  [answer(401), problem('account_not_linked')],
  [
    answer(429, undefined, { retryAfter: 3 }),
    { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: 3000 },
  ],
  [answer(503), { kind: 'busy', reason: reason('provider_error', { status: 503 }), retryAfterMs: null }],
  [
    answer(200, { media: [{ id: 'media_init' }] }),
    { kind: 'busy', reason: reason('provider_unreadable'), retryAfterMs: null },
  ],
  [answer(200, {}), { kind: 'busy', reason: reason('provider_unreadable'), retryAfterMs: null }],
  [
    { kind: 'accept-then-drop' } as const,
    { kind: 'busy', reason: reason('provider_unreachable'), retryAfterMs: null },
  ],
])('the answer %j to an upload is exactly one outcome', async (fault, outcome) => {
  simulator.faults.add({ ...fault, path: '^/media' })

  expect(await whapi.upload(credentials, fileOf(png))).toEqual(outcome)
})

// R-1703
test.each([
  [answer(413), rejected('content_too_large')],
  [answer(429), { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: null }],
  [
    { kind: 'drop-before' } as const,
    { kind: 'busy', reason: reason('provider_unreachable'), retryAfterMs: null },
  ],
  [null, { kind: 'uploaded', mediaId: expect.stringMatching(/^zip-/) }],
])('the answer %j to a file that is still being written is exactly one outcome', async (fault, outcome) => {
  if (fault) simulator.faults.add({ ...fault, path: '^/media' })
  const file = fileOf(Buffer.alloc(20_000_000), 'application/zip')

  expect(await whapi.upload(credentials, file)).toEqual(outcome)
})

test.each([
  ['AUTH', 'Connected'],
  ['QR', 'NeedsLogin'],
  ['NOT_INIT', 'Connecting'],
  ['INIT', 'Connecting'],
  ['LAUNCH', 'Connecting'],
  ['SYNC_ERROR', 'Degraded'],
  ['ERROR', 'Disconnected'],
  ['STOP', 'Unpaid'],
] as const)('a channel in state %s has the status %s', async (state, status) => {
  const channel = simulator.channels.create(`test_in_${state}`)
  simulator.channels.change(channel, { state, number: '84905555555' })

  expect(await whapi.status({ token: channel.token })).toEqual({
    status,
    linkedNumber: status === 'Connected' ? '84905555555' : null,
  })
})

test.each([
  [answer(200, { status: { code: 99, text: 'DREAMING' } }), 'Unknown'],
  [answer(401), 'NeedsLogin'],
  [answer(402), 'Unpaid'],
  [answer(404, error('channel not found')), 'BadToken'],
])('the answer %j to health is a status', async (fault, status) => {
  simulator.faults.add({ ...fault, path: '^/health' })

  expect(await whapi.status(credentials)).toEqual({ status, linkedNumber: null })
})

test('reading the status wakes a sleeping channel only on request', async () => {
  const sleeper = { token: 'test_sleeper' }
  const wokenAt = () => simulator.channels.find(sleeper.token)?.wokenAt

  await whapi.status(sleeper)
  expect(wokenAt()).toBeNull()
  await whapi.status(sleeper, { wake: true })
  expect(wokenAt()).toBeTypeOf('number')
})

test('a restriction has its end, and is null if the provider does not report one', async () => {
  const restricted = { token: 'test_linked_restricted' }
  const seconds = Math.floor(Date.now() / 1000) + 3600
  const underFault = async (fault: Parameters<Simulator['faults']['add']>[0]) => {
    const id = simulator.faults.add({ ...fault, path: '^/business/limits' })
    const restriction = await whapi.restriction(restricted)
    simulator.faults.remove(id)
    return restriction
  }
  expect(await whapi.restriction(restricted)).toBeNull() // 204
  simulator.channels.change(simulator.channels.create(restricted.token), { restrictedUntil: seconds })

  expect(await whapi.restriction(restricted)).toEqual({ until: new Date(seconds * 1000).toISOString() })
  for (const restricted_until of [null, 1e300, -1e300, 'tomorrow'])
    expect(await underFault(answer(200, { is_restricted: true, restricted_until }))).toEqual({ until: null })
  for (const fault of [answer(404), answer(500), answer(200, 'yes'), { kind: 'drop-before' } as const])
    expect(await underFault(fault)).toBeNull()
  expect(await whapi.send(restricted, person, textMessage('Hello'))).toMatchObject(
    problem('account_restricted'),
  )
})

test('a QR code is a data URI, while the channel is ready and not linked', async () => {
  const newcomer = { token: 'test_newcomer' }

  expect(await failureOf(whapi.qr(newcomer))).toMatchObject({ kind: 'not_ready' })
  simulator.channels.change(simulator.channels.create(newcomer.token), { state: 'QR' })
  expect(await whapi.qr(newcomer)).toMatch(/^data:image\/png;base64,iVBOR/)
  // This simulator links a channel as soon as its QR code is shown.
  expect(await failureOf(whapi.qr(newcomer))).toMatchObject({ kind: 'conflict' })
})

test.each([
  [answer(200, { status: 'TIMEOUT' }), 'not_ready'],
  [answer(200, { status: 'ERROR', base64: 'x' }), 'not_ready'],
  [answer(422), 'not_ready'],
  [answer(409), 'conflict'],
  [answer(406), 'refused'],
])('the answer %j to a QR request fails as %s', async (fault, kind) => {
  simulator.faults.add({ ...fault, path: '^/users/login' })

  expect(await failureOf(whapi.qr(credentials))).toMatchObject({ kind })
})

test('a QR code without the data URI prefix gets one', async () => {
  simulator.faults.add({ ...answer(200, { status: 'OK', base64: 'iVBORw0' }), path: '^/users/login' })

  expect(await whapi.qr(credentials)).toBe('data:image/png;base64,iVBORw0')
})

test('a pairing code needs a valid phone number and a channel that is not linked', async () => {
  expect(await whapi.pairingCode({ token: 'test_pairing' }, '84901112222')).toMatch(/^\w{4}-\w{4}$/)
  expect(await failureOf(whapi.pairingCode(credentials, '84901112222'))).toMatchObject({ kind: 'conflict' })
  expect(await failureOf(whapi.pairingCode({ token: 'test_pairing2' }, '12'))).toMatchObject({
    kind: 'refused',
  })
})

test('a logout unlinks the channel, and a second one conflicts', async () => {
  const leaver = { token: 'test_linked_leaver' }

  await whapi.logout(leaver)

  expect(await whapi.status(leaver)).toMatchObject({ status: 'Connecting' })
  expect(await failureOf(whapi.logout(leaver))).toMatchObject({ kind: 'conflict' })
})

test('groups are read in pages, and may lack participants or a name', async () => {
  const first = await whapi.groups(credentials, { offset: 0, count: 200 })
  const second = await whapi.groups(credentials, { offset: 200, count: 200 })

  expect([first.total, first.rows.length, second.rows.length]).toEqual([320, 200, 120])
  const groups = new Map([...first.rows, ...second.rows].map((group) => [group.chatId, group]))
  expect(groups.size).toBe(320)
  const { withoutParticipants, nameless, hiddenNumbers, large, announcementsOnly } = specialGroups(token)
  expect(groups.get(announcementsOnly)).toMatchObject({ isAdminsOnly: true })
  expect(groups.get(withoutParticipants)).toMatchObject({ participants: null, participantCount: null })
  expect(groups.get(nameless)).toMatchObject({ name: '' })
  expect(groups.get(large)).toMatchObject({
    participantCount: 1024,
    participants: { length: 1024 },
    isAdminsOnly: false,
  })
  const hidden = groups.get(hiddenNumbers)?.participants ?? []
  expect(hidden.filter(({ personId }) => /^\d+@lid$/.test(personId)).length).toBe(hidden.length - 1)
  expect(hidden.filter(({ rank }) => rank === 'creator')).toHaveLength(1)
})

test('a group is read by its id, and not found if the channel is not in it', async () => {
  const { legacy, left } = specialGroups(token)

  expect(await whapi.group(credentials, legacy)).toMatchObject({ chatId: legacy, name: expect.any(String) })
  expect(await failureOf(whapi.group(credentials, left))).toMatchObject({ kind: 'not_found' })
  simulator.faults.add({ ...answer(403), times: 1 })
  expect(await failureOf(whapi.group(credentials, legacy))).toMatchObject({ kind: 'not_found' })
  simulator.faults.add({ ...answer(404, error('channel not found')), times: 1 })
  expect(await failureOf(whapi.group(credentials, legacy))).toMatchObject({
    kind: 'account',
    status: 'BadToken',
  })
})

test('contacts have the digits and the names of people', async () => {
  const { rows, next, total } = await whapi.contacts(credentials, { offset: 2000, count: 500 })

  expect(total).toBeGreaterThan(2500)
  expect(next).toBe(2500)
  expect(rows).toHaveLength(500)
  expect(rows.every(({ personId, name }) => /^\d+$/.test(personId) && name !== '')).toBe(true)
})

test('contacts without a name give no row but count for the next page', async () => {
  expect(await whapi.contacts(credentials, { offset: 0, count: 500 })).toMatchObject({ rows: [], next: 500 })
})

test.each([
  ['an answer without a page', answer(200, { groups: 'none' }), 'unreachable', 'provider_unreadable'],
  ['an answer that is no JSON', answer(200, 'OK'), 'unreachable', 'provider_unreadable'],
  ['a server error', answer(503), 'unreachable', 'provider_error'],
  ['a lost connection', { kind: 'drop-before' } as const, 'unreachable', 'provider_unreachable'],
  ['bad parameters', answer(400), 'refused', 'provider_error'],
  ['too many requests', answer(429), 'busy', 'provider_busy'],
  ['not linked', answer(401), 'account', 'account_not_linked'],
])('a read that meets %s fails with its reason', async (_name, fault, kind, code) => {
  simulator.faults.add(fault)

  expect(await failureOf(whapi.groups(credentials, { offset: 0, count: 10 }))).toMatchObject({
    kind,
    reason: { code },
  })
})

test('a failed read has the time of Retry-After', async () => {
  simulator.faults.add(answer(429, undefined, { retryAfter: 9 }))

  expect(await failureOf(whapi.contacts(credentials, { offset: 0, count: 1 }))).toMatchObject({
    retryAfterMs: 9000,
  })
})

const ownMessages = (chatId: string | null, from: number) =>
  allMessages(whapi.ownMessages(credentials, chatId, from))

test('own messages have their kind, their text and whether the phone wrote them', async () => {
  const to = '84904444444@s.whatsapp.net'
  const startedAt = Math.floor(Date.now() / 1000)
  const upload = await whapi.upload(credentials, fileOf(png))
  const mediaId = upload.kind === 'uploaded' ? upload.mediaId : ''
  await whapi.send(credentials, to, textMessage('plain'))
  await whapi.send(credentials, to, textMessage('see https://example.com/'))
  await whapi.send(credentials, to, imageOf(mediaId, 'a caption'))
  await whapi.send(credentials, to, imageOf(mediaId))
  const draft = { token, to, type: 'text', source: 'mobile' } as const
  simulator.ledger.accept({ ...draft, body: 'by hand' }, Date.now())
  simulator.ledger.accept({ ...draft, body: 'theirs', from: '84904444444' }, Date.now())
  simulator.ledger.accept({ ...draft, body: 'long ago' }, (startedAt - 60) * 1000)

  const { messages, clockAheadMs } = await ownMessages(to, startedAt)

  expect(messages.map(({ kind, text, fromPhone }) => [kind, text, fromPhone])).toEqual([
    ['text', 'plain', false],
    ['text', 'see https://example.com/', false],
    ['image', 'a caption', false],
    ['image', '', false],
    ['text', 'by hand', true],
  ])
  expect(messages.every(({ timestamp }) => timestamp >= startedAt)).toBe(true)
  expect(messages[0]?.id).toBe(simulator.ledger.list(token, to)[0]?.id)
  expect(Math.abs(clockAheadMs)).toBeLessThan(2000)
})

test('own messages are read to the last page, without gaps or duplicates', async () => {
  const to = '84903333333@s.whatsapp.net'
  const draft = { token, to, type: 'text', source: 'api' } as const
  for (let i = 0; i < 1200; i++) simulator.ledger.accept({ ...draft, body: `${i}` }, Date.now())

  const { messages } = await ownMessages(to, 0)

  expect(new Set(messages.map(({ id }) => id)).size).toBe(1200)
})

test("the provider's clock is read from its Date header", async () => {
  await shiftClock(3_600_000)
  const { clockAheadMs } = await ownMessages(person, 0).finally(() => shiftClock(0))

  expect(Math.abs(clockAheadMs - 3_600_000)).toBeLessThan(3000)
})

test('an unknown private chat has no messages, and any other failure is an error', async () => {
  const stranger = '84902222222@s.whatsapp.net'
  const lookUp = (chatId = stranger) => ownMessages(chatId, 0)

  expect(await lookUp()).toMatchObject({ messages: [] })
  // A missing group may have been left, which proves nothing about its messages.
  simulator.faults.add({ ...answer(404, error('chat not found')), times: 1 })
  expect(await failureOf(lookUp('120363000000000001@g.us'))).toMatchObject({ kind: 'not_found' })
  simulator.faults.add({ ...answer(404, '<h1>404</h1>'), times: 1 })
  expect(await failureOf(lookUp())).toMatchObject({ kind: 'not_found' })
  simulator.faults.add({ ...answer(200, {}), times: 1 })
  expect(await failureOf(lookUp())).toMatchObject({ reason: { code: 'provider_unreadable' } })
  simulator.faults.add({ ...answer(404, error('channel not found')), times: 1 })
  expect(await failureOf(lookUp())).toMatchObject({ kind: 'account' })
})

async function shiftClock(shiftMs: number) {
  const reply = await fetch(`${simulator.url}/_control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ shiftMs }),
  })
  expect(reply.status).toBe(200)
}
