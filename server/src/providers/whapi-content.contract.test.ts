import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPresent, requestErrors, statusesOf } from '../../../simulator/test/openapi.ts'
import { textMessage } from '../../test/text-message.ts'
import {
  allMessages,
  type MediaFile,
  type OutgoingContent,
  type OutgoingMessage,
  type Provider,
} from './provider.ts'
import { createWhapi } from './whapi.ts'

/*
 * A provider that records each request and checks all of its fields against Whapi's OpenAPI file. The tests run without
 * the file, too, but then only our own expectations are checked.
 */
type Recorded = { call: string; type: string; body: unknown; errors: string[] }
const accepted = { sent: true, message: { id: 'AbCdEfGh-1234567890' } }
const uploaded = { media: [{ id: 'mp4-ab-cd' }] }

let requests: Recorded[] = []
let reply: { status: number; body: unknown } = { status: 200, body: accepted }
const server = createServer(async (request, response) => {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) {
      hash.update(chunk)
      chunks.push(chunk)
    }
  } catch {
    return // the client broke off
  }
  const { method = '', url = '', headers } = request
  const type = headers['content-type'] ?? ''
  const body = type.includes('json')
    ? JSON.parse(Buffer.concat(chunks).toString())
    : method === 'POST' && { sha256: hash.digest('hex'), length: headers['content-length'] }
  const errors = isPresent ? requestErrors(method.toLowerCase(), url, type, body) : []
  requests.push({ call: `${method} ${url}`, type, body, errors })
  response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
})

let whapi: Provider & { close(): Promise<void> }
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has an address
  whapi = createWhapi({ baseUrl: `http://127.0.0.1:${port}` })
})
beforeEach(() => {
  requests = []
  reply = { status: 200, body: accepted }
})
afterAll(async () => {
  await whapi.close()
  server.close()
})

const credentials = { token: 'token' }
const group = '120363194050948049@g.us'
const mediaId = 'mp4-ab-cd'
const video = { kind: 'video', mediaId, caption: '' } as const
const options = ['Sáng', 'Chiều']
const poll = { kind: 'poll' as const, question: 'Khi nào?', options, allowsSeveral: false }
const voice = { kind: 'voice', mediaId, seconds: 12.4 } as const
const place = { kind: 'location', latitude: 0, longitude: -0.5, name: '', address: '' } as const
const voiceType = 'audio/ogg; codecs=opus'

const bodies: [OutgoingContent, object][] = [
  [{ kind: 'text', text: 'Chào 👋' }, { body: 'Chào 👋' }],
  [
    { kind: 'image', mediaId, caption: 'Ảnh' },
    { media: mediaId, caption: 'Ảnh' },
  ],
  [{ kind: 'image', mediaId, caption: '' }, { media: mediaId }],
  [
    { ...video, caption: 'Xem' },
    { media: mediaId, no_encode: true, caption: 'Xem' },
  ],
  [video, { media: mediaId, no_encode: true }],
  [
    { kind: 'document', mediaId, caption: 'Giá', fileName: 'Bảng giá.pdf' },
    { media: mediaId, no_encode: true, filename: 'Bảng giá.pdf', caption: 'Giá' },
  ],
  [
    { kind: 'document', mediaId, caption: '', fileName: 'a.zip' },
    { media: mediaId, no_encode: true, filename: 'a.zip' },
  ],
  [
    { kind: 'audio', mediaId, seconds: 61 },
    { media: mediaId, no_encode: true, seconds: 61 },
  ],
  [
    { kind: 'audio', mediaId, seconds: null },
    { media: mediaId, no_encode: true },
  ],
  [voice, { media: mediaId, no_encode: true, mime_type: voiceType, seconds: 12 }],
  [
    { ...voice, seconds: 0.2 },
    { media: mediaId, no_encode: true, mime_type: voiceType, seconds: 1 },
  ],
  [poll, { title: 'Khi nào?', options: ['Sáng', 'Chiều'], count: 1 }],
  [
    { ...poll, allowsSeveral: true },
    { title: 'Khi nào?', options: ['Sáng', 'Chiều'], count: 0 },
  ],
  [place, { latitude: 0, longitude: -0.5 }],
  [
    { kind: 'location', latitude: 10.77, longitude: 106.7, name: 'Kho', address: 'Quận 1' },
    { latitude: 10.77, longitude: 106.7, name: 'Kho', address: 'Quận 1' },
  ],
]

// R-1700
test.each(bodies)('%j is one request with exactly these fields: %j', async (content, fields) => {
  const outcome = await whapi.send(credentials, group, { content })

  expect(outcome).toEqual({ kind: 'sent', providerMessageId: 'AbCdEfGh-1234567890' })
  expect(requests).toEqual([
    {
      call: `POST /messages/${content.kind}`,
      type: 'application/json',
      body: { to: group, ...fields },
      errors: [],
    },
  ])
})

// R-1701
test('mentions go with text, image and video, and no field is sent if there are none', async () => {
  const mentionsIn = async (message: OutgoingMessage) => {
    requests = []
    await whapi.send(credentials, group, message)
    const [{ body, errors } = { body: {}, errors: [] }] = requests
    expect(errors).toEqual([])
    return (body as { mentions?: unknown }).mentions // every body of a send is an object
  }
  const mentions = ['84901234567', '84907654321']

  for (const content of [textMessage('Hi').content, { ...video, kind: 'image' } as const, video]) {
    expect(await mentionsIn({ content, mentions })).toEqual(mentions)
    expect(await mentionsIn({ content, mentions: [] })).toBeUndefined()
    expect(await mentionsIn({ content })).toBeUndefined()
  }
  for (const content of [poll, voice, place]) expect(await mentionsIn({ content, mentions })).toBeUndefined()
})

const contents: OutgoingContent[] = [
  { kind: 'text', text: 'x' },
  { ...video, kind: 'image' },
  video,
  { kind: 'document', mediaId, caption: '', fileName: 'a.pdf' },
  { kind: 'audio', mediaId, seconds: null },
  voice,
  poll,
  place,
]

const reason = (code: string, params = {}) => ({ code, params })
const detail = 'the words of the provider'
/** The outcome of each status that the OpenAPI file documents for a send. */
const outcomes: Record<number, object> = {
  200: { kind: 'sent' },
  400: { kind: 'rejected', reason: reason('refused', { detail }) },
  401: { kind: 'account', problem: 'account_not_linked' },
  402: { kind: 'account', problem: 'account_unpaid' },
  403: { kind: 'rejected', reason: reason('not_allowed') },
  404: { kind: 'media_gone' },
  413: { kind: 'rejected', reason: reason('content_too_large') },
  415: { kind: 'rejected', reason: reason('media_refused') },
  429: { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: null },
  500: { kind: 'unknown', reason: reason('provider_error', { status: 500 }) },
}

// R-1702
describe.skipIf(!isPresent).each(contents)('a message of the kind $kind', (content) => {
  test.each(isPresent ? statusesOf('post', `/messages/${content.kind}`) : [])(
    'has the outcome of the documented status %i',
    async (status) => {
      const expected = outcomes[status]
      if (status !== 200) reply = { status, body: { error: { code: status, message: detail } } }

      expect(expected, `status ${status}`).toBeDefined()
      expect(await whapi.send(credentials, group, { content })).toMatchObject(expected ?? {})
      expect(requests).toHaveLength(1)
    },
  )
})

test('a 404 about media means another upload; about a chat, a newsletter or a poll it does not', async () => {
  const outcomeOf = (content: OutgoingContent, message: string) => {
    reply = { status: 404, body: { error: { code: 404, message } } }
    return whapi.send(credentials, group, { content })
  }
  for (const content of contents.filter((one) => 'mediaId' in one)) {
    expect(await outcomeOf(content, 'Specified media not found')).toEqual({ kind: 'media_gone' })
    expect(await outcomeOf(content, 'specified newsletter not found')).toMatchObject({
      reason: { code: 'chat_not_found' },
    })
  }
  expect(await outcomeOf(poll, 'not found')).toMatchObject({ reason: { code: 'chat_not_found' } })
})

const hex = 'ab'.repeat(32)
const message = (type: string, content: object, more: object = {}) => ({
  ...{ id: 'AbCdEfGh-1234567890', type, chat_id: group, from_me: true, timestamp: 1767225600, source: 'api' },
  [type]: content,
  ...more,
})
const file = { id: mediaId, mime_type: 'video/mp4', file_size: 9, timestamp: 1767225600 }
const none = { text: '', options: [], location: null, media: null }
const media = { sha256: null, size: 9, fileName: null }

// R-1705, R-2236
test.each([
  [message('text', { body: 'Hi' }), { kind: 'text', text: 'Hi' }],
  [message('link_preview', { body: 'https://a.example' }), { kind: 'text', text: 'https://a.example' }],
  [message('image', { ...file, caption: 'Ảnh' }), { kind: 'image', text: 'Ảnh', media }],
  // An image that moves is sent as an image.
  [message('gif', { ...file, caption: 'Tết' }), { kind: 'image', text: 'Tết', media }],
  [
    message('video', { ...file, sha256: hex.toUpperCase() }),
    { kind: 'video', media: { ...media, sha256: hex } },
  ],
  [
    message('document', { ...file, sha256: Buffer.from(hex, 'hex').toString('base64'), file_name: 'a.pdf' }),
    { kind: 'document', media: { sha256: hex, size: 9, fileName: 'a.pdf' } },
  ],
  // WhatsApp has a type of its own for a document with a caption.
  [
    message('document', { ...file, caption: 'Giá', filename: 'b.pdf' }, { type: 'documentWithCaption' }),
    { kind: 'document', text: 'Giá', media: { ...media, fileName: 'b.pdf' } },
  ],
  [message('audio', { ...file, sha256: 'odd' }), { kind: 'audio', media }],
  [message('voice', {}), { kind: 'voice', media: { ...media, size: null } }],
  [
    message('poll', { title: 'Khi nào?', options: ['Sáng', 'Chiều'], vote_limit: 1 }),
    { kind: 'poll', text: 'Khi nào?', options: ['Sáng', 'Chiều'] },
  ],
  [
    message('location', { latitude: 0, longitude: -0.5, name: 'Kho' }),
    { kind: 'location', location: { latitude: 0, longitude: -0.5 } },
  ],
  [message('location', { latitude: 'north' }), { kind: 'location' }],
  [message('sticker', file), { kind: 'other' }],
  [message('constructor', {}), { kind: 'other' }],
])('the listed message %j is %j', async (listed, expected) => {
  reply.body = { messages: [listed], count: 1, total: 1, offset: 0 }

  const { messages } = await allMessages(whapi.ownMessages(credentials, group, 0))

  expect(messages).toEqual([
    {
      ...{ id: 'AbCdEfGh-1234567890', chatId: group, timestamp: 1767225600, fromPhone: false },
      ...{ ...none, ...expected },
    },
  ])
  expect(requests.flatMap(({ errors }) => errors)).toEqual([])
})

// R-1700
test('channels, their posts and the results of a poll are read by documented calls', async () => {
  const channel = '120363171743427809@newsletter'
  reply.body = { newsletters: [], messages: [], total: 0, id: 'abcd-abcd' }

  await whapi.channels(credentials, { offset: 10, count: 5 })
  await allMessages(whapi.ownMessages(credentials, channel, 0))
  await whapi.pollResults(credentials, 'abcd-abcd')

  expect(requests.map(({ call }) => call)).toEqual([
    'GET /newsletters?offset=10&count=5',
    'GET /newsletters/120363171743427809%40newsletter/messages?count=500',
    'GET /messages/abcd-abcd',
  ])
  expect(requests.flatMap(({ errors }) => errors)).toEqual([])
})

const bytes = Buffer.alloc(300_000, 'video')
function fileOf(open: MediaFile['open'], size = bytes.length): MediaFile {
  return { mimeType: 'video/mp4', size, open }
}
const streamOf = (...chunks: Buffer[]) => Readable.from(chunks, { objectMode: false })

// R-1703
test('an upload streams the file once, with its type and length', async () => {
  reply.body = uploaded
  let opened = 0
  const file = fileOf(async () => {
    opened++
    return streamOf(bytes.subarray(0, 70_000), bytes.subarray(70_000))
  })

  expect(await whapi.upload(credentials, file)).toEqual({ kind: 'uploaded', mediaId })
  expect(requests).toEqual([
    {
      call: 'POST /media',
      type: 'video/mp4',
      body: { sha256: createHash('sha256').update(bytes).digest('hex'), length: '300000' },
      errors: [],
    },
  ])
  expect(opened).toBe(1)
})

const unreadable = { kind: 'busy', reason: reason('image_store_down'), retryAfterMs: null }

// R-1704
test.each([
  ['breaks in the middle', () => Readable.from(breaking(), { objectMode: false })],
  ['ends too early', () => streamOf(bytes.subarray(0, 70_000))],
  ['is longer than it says', () => streamOf(bytes, bytes)],
])('a file that %s is busy, and never uploaded', async (_name, open) => {
  reply.body = uploaded

  expect(
    await whapi.upload(
      credentials,
      fileOf(async () => open()),
    ),
  ).toEqual(unreadable)
  expect(
    await whapi.upload(
      credentials,
      fileOf(async () => streamOf(bytes)),
    ),
  ).toMatchObject({
    kind: 'uploaded',
  })
})

async function* breaking() {
  yield bytes.subarray(0, 70_000)
  throw new Error('EIO')
}

test('a refusal before the last byte ends the upload and closes the file', async () => {
  const refusing = createServer((_request, response) => {
    response
      .writeHead(413, { 'content-type': 'application/json' })
      .end('{"error":{"code":413,"message":"x"}}')
  })
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  const { port } = refusing.address() as AddressInfo // a TCP server has an address
  const own = createWhapi({ baseUrl: `http://127.0.0.1:${port}` })
  for (const [token, code] of [
    ['token', 'content_too_large'],
    ['no header can\r\ncarry this', 'account_bad_token'],
  ] as const) {
    const stream = new Readable({ read() {} })
    stream.push(bytes)
    const file = fileOf(async () => stream, 100_000_000)

    expect(await own.upload({ token }, file)).toMatchObject({ reason: { code } })
    expect(stream.destroyed).toBe(true)
  }
  await own.close()
  refusing.close()
})
