import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Body, png, testFile, useSimulator } from '../test/client.ts'
import { answerErrors, isPresent, schemaErrors } from '../test/openapi.ts'
import { groupId, specialGroups } from './index.ts'

const simulator = useSimulator()

function expectValid(verb: string, route: string, answer: { status: number; body: Body }) {
  expect(answerErrors(verb, route, answer)).toEqual([])
}

const image = `data:image/png;base64,${png.toString('base64')}`
const base64 = (name: string) => testFile(name).toString('base64')
const to = '84901234567'
const cases: [string, string, number, string?, unknown?][] = [
  ['get', '/health', 200],
  ['get', '/settings', 200],
  ['patch', '/settings', 200, undefined, { webhooks: [{ url: 'https://a.example', mode: 'body' }] }],
  ['patch', '/settings', 400, undefined, { webhooks: [{}] }],
  ['delete', '/settings', 409],
  ['get', '/settings/events', 200],
  ['get', '/users/login', 409],
  ['get', '/users/login/rowdata', 409],
  ['get', '/users/login/{PhoneNumber}', 409, '/users/login/84901234567'],
  ['get', '/users/login/{PhoneNumber}', 400, '/users/login/abc'],
  ['get', '/users/profile', 200],
  ['post', '/users/logout', 200],
  ['get', '/groups', 400, '/groups?count=0'],
  ['get', '/groups/{GroupID}', 404, '/groups/120363194050948049@g.us'],
  ['get', '/contacts', 200],
  ['get', '/contacts/{ContactID}', 404, '/contacts/84901234567'],
  ['get', '/contacts/lids', 200, `/contacts/lids?ContactIDList=${to},84900000000`],
  ['get', '/contacts/lids/{ContactID}', 200, `/contacts/lids/${to}`],
  ['get', '/contacts/lids/{ContactID}', 404, '/contacts/lids/84900000000'],
  ['post', '/contacts', 200, undefined, { contacts: [to, '84900000000'] }],
  ['post', '/contacts', 400, undefined, {}],
  ['post', '/media', 200, undefined, { media: image }],
  ['post', '/media', 400, undefined, {}],
  ['get', '/media/{MediaID}', 404, '/media/jpeg-ab-cd'],
  ['post', '/messages/text', 200, undefined, { to, body: 'x' }],
  ['post', '/messages/text', 200, undefined, { to, body: 'https://a.example/b' }],
  ['post', '/messages/text', 400, undefined, { to }],
  ['post', '/messages/text', 403, undefined, { to: '120363194050948049@g.us', body: 'x' }],
  ['post', '/messages/text', 413, undefined, { to, body: 'x'.repeat(70_000) }],
  ['post', '/messages/image', 200, undefined, { to, media: image, caption: 'x' }],
  ['post', '/messages/image', 404, undefined, { to, media: 'jpeg-ab-cd' }],
  ['post', '/messages/image', 415, undefined, { to, media: 'AAAA' }],
  ['post', '/messages/image', 413, undefined, { to, media: Buffer.alloc(17_000_000, 1).toString('base64') }],
  ['post', '/messages/video', 200, undefined, { to, media: base64('video.mp4'), caption: 'x' }],
  ['post', '/messages/video', 415, undefined, { to, media: base64('video-mpeg4.mp4') }],
  ['post', '/messages/document', 200, undefined, { to, media: image, filename: 'a.png', caption: 'x' }],
  ['post', '/messages/audio', 200, undefined, { to, media: base64('audio.mp3'), seconds: 1 }],
  ['post', '/messages/voice', 200, undefined, { to, media: base64('voice.ogg') }],
  ['post', '/messages/voice', 404, undefined, { to, media: 'ogg-ab-cd' }],
  ['post', '/messages/poll', 200, undefined, { to, title: 'x', options: ['a', 'b'], count: 0 }],
  ['post', '/messages/poll', 400, undefined, { to, title: 'x', options: ['a', 'a'] }],
  ['post', '/messages/location', 200, undefined, { to, latitude: 1, longitude: 2, name: 'x' }],
  ['post', '/messages/location', 400, undefined, { to, latitude: 1 }],
  ['get', '/newsletters', 200],
  ['get', '/newsletters', 400, '/newsletters?count=0'],
  ['get', '/newsletters/{NewsletterID}', 404, '/newsletters/120363000000000000@newsletter'],
  ['get', '/newsletters/{NewsletterID}/messages', 404, '/newsletters/120363000000000000@newsletter/messages'],
  ['get', '/messages/list', 200],
  ['get', '/messages/list/{ChatID}', 404, '/messages/list/84909999999@s.whatsapp.net'],
  ['get', '/messages/{MessageID}', 404, '/messages/abcd-abcd'],
  ['get', '/statuses/{MessageID}', 404, '/statuses/abcd-abcd'],
]

test.skipIf(!isPresent).each(cases)(
  'the answer %s %s %i matches the OpenAPI file',
  async (verb, route, status, url = route, body) => {
    const answer = await simulator.call(simulator.linked(), `${verb.toUpperCase()} ${url}`, body)
    expect(answer.status).toBe(status)
    expectValid(verb, route, answer)
  },
)

test.skipIf(!isPresent)('the answers before and after linking match the OpenAPI file', async () => {
  const token = simulator.unlinked()
  const get = async (route: string, url = route) => {
    expectValid('get', route, await simulator.call(token, `GET ${url}`))
  }
  await get('/health')
  await get('/users/login')
  await simulator.control('POST /channels', { token, state: 'QR' })
  await get('/health')
  await get('/users/login')
  await get('/users/login/rowdata')
  await get('/users/login/{PhoneNumber}', '/users/login/84901234567')
  expectValid('post', '/users/logout', await simulator.call(token, 'POST /users/logout'))
  expectValid('post', '/messages/text', await simulator.call(token, 'POST /messages/text', { to, body: 'x' }))
})

test.skipIf(!isPresent)(
  'every group matches the OpenAPI file, except two that lack fields as on the live API',
  async () => {
    const token = simulator.linked()
    const { withoutParticipants, nameless } = specialGroups(token)
    const { status, body } = await simulator.call(token, 'GET /groups?count=500')
    const complete = body.groups.filter(({ id }: Body) => id !== withoutParticipants && id !== nameless)
    expect(complete).toHaveLength(318)
    expectValid('get', '/groups', { status, body: { ...body, groups: complete } })
    const group = await simulator.call(token, `GET /groups/${groupId(token, 9)}`)
    expectValid('get', '/groups/{GroupID}', group)
  },
)

test.skipIf(!isPresent)('messages, media and acks match the OpenAPI file', async () => {
  const token = simulator.linked()
  const sent = await simulator.call(token, 'POST /messages/image', { to, media: image })
  await simulator.call(token, 'POST /messages/text', { to, body: 'see https://a.example/b' })
  const { id, image: stored } = sent.body.message
  await simulator.control('POST /messages', { token, body: 'hi', from: to, quoted: id })
  const poll = { to, title: 'x', options: ['a', 'b'] }
  const { message } = (await simulator.call(token, 'POST /messages/poll', poll)).body
  await simulator.control('POST /votes', { token, id: message.id, from: to, options: ['a'] })
  const [newsletter] = (await simulator.call(token, 'GET /newsletters')).body.newsletters
  await simulator.call(token, 'POST /messages/text', { to: newsletter.id, body: 'x', mentions: [to] })
  await simulator.control('POST /messages', { token, body: 'STOP', from: '123456789012345@lid' })
  for (const [verb, route, url] of [
    ['get', '/messages/list', '/messages/list?from_me=false'],
    ['get', '/messages/list/{ChatID}', `/messages/list/${to}@s.whatsapp.net`],
    ['get', '/messages/{MessageID}', `/messages/${id}`],
    ['get', '/messages/{MessageID}', `/messages/${message.id}`],
    ['get', '/newsletters/{NewsletterID}', `/newsletters/${newsletter.id}`],
    ['get', '/newsletters/{NewsletterID}/messages', `/newsletters/${newsletter.id}/messages`],
    ['get', '/statuses/{MessageID}', `/statuses/${id}`],
    ['delete', '/media/{MediaID}', `/media/${stored.id}`],
  ] as const) {
    expectValid(verb, route, await simulator.call(token, `${verb.toUpperCase()} ${url}`))
  }
})

// The server's tests read this call.
test.skipIf(!isPresent)('an incoming webhook call matches the OpenAPI file', () => {
  const call = readFileSync(path.resolve(import.meta.dirname, '../test/whapi-incoming.json'), 'utf8')
  expect(schemaErrors('WebhookPayload', JSON.parse(call))).toEqual([])
})
