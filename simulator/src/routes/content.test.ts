import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { type Body, png, testFile, useSimulator } from '../../test/client.ts'
import { groupId } from '../index.ts'

const simulator = useSimulator()
const to = '84901234567'
const megabyte = 1024 * 1024

async function upload(token: string, bytes: Buffer, type = 'application/octet-stream'): Promise<string> {
  const answer = await fetch(`${simulator.url}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: new Uint8Array(bytes),
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as Body).media[0].id
}

const send = async (token: string, kind: string, fields: object) =>
  simulator.call(token, `POST /messages/${kind}`, { to, ...fields })

// R-1710
test.each([
  ['video', 'video.mp4', { caption: 'Xem' }, { caption: 'Xem', mime_type: 'video/mp4' }],
  [
    'document',
    'audio-vorbis.ogg',
    { filename: 'Bảng giá.pdf', caption: 'Giá' },
    { file_name: 'Bảng giá.pdf', caption: 'Giá' },
  ],
  ['audio', 'audio.mp3', { seconds: 3 }, { seconds: 3, mime_type: 'audio/mpeg' }],
  ['audio', 'audio.m4a', {}, { mime_type: 'audio/mp4' }],
  ['audio', 'voice.ogg', {}, { mime_type: 'audio/ogg; codecs=opus' }],
  ['voice', 'voice.ogg', { seconds: 2 }, { seconds: 2, mime_type: 'audio/ogg; codecs=opus' }],
])(
  'a %s of %s is accepted, recorded and listed with its hash and size',
  async (kind, name, fields, shown) => {
    const token = simulator.linked()
    const bytes = testFile(name)
    const file = { sha256: createHash('sha256').update(bytes).digest('base64'), file_size: bytes.length }
    const media = await upload(token, bytes)

    const { status, body } = await send(token, kind, { media, no_encode: true, ...fields })

    expect(status).toBe(200)
    expect(body.message).toMatchObject({ type: kind, [kind]: { id: media, ...file, ...shown } })
    const { messages } = (await simulator.call(token, `GET /messages/list/${to}@s.whatsapp.net`)).body
    expect(messages[0]).toMatchObject({ id: body.message.id, [kind]: { ...file, ...shown } })
    expect(simulator.ledger.list(token)).toMatchObject([{ type: kind, media: { id: media } }])
  },
)

// R-1710
test('a poll, a location and mentions are recorded and listed', async () => {
  const token = simulator.linked()
  const poll = { title: 'Khi nào?', options: ['Sáng', 'Chiều'], count: 1 }
  const location = { latitude: 10.77, longitude: 106.7, name: 'Kho', address: 'Quận 1' }

  await send(token, 'poll', poll)
  await send(token, 'location', location)
  await send(token, 'text', { to: groupId(token, 20), body: 'Chào', mentions: ['84907654321'] })

  const { messages } = (await simulator.call(token, 'GET /messages/list?sort=asc')).body
  expect(messages).toMatchObject([
    {
      type: 'poll',
      poll: {
        ...{ title: 'Khi nào?', options: ['Sáng', 'Chiều'], vote_limit: 1, total: 0 },
        results: [
          { name: 'Sáng', count: 0, voters: [] },
          { name: 'Chiều', count: 0, voters: [] },
        ],
      },
    },
    { type: 'location', location },
    { type: 'text', context: { mentions: ['84907654321'] } },
  ])
})

const twoOptions = { title: 'Khi nào?', options: ['Sáng', 'Chiều'] }

// R-1711
test.each([
  ['poll', 'no question', { options: ['a', 'b'] }],
  ['poll', 'a question of 256 characters', { ...twoOptions, title: 'x'.repeat(256) }],
  ['poll', 'no options', { title: 'x' }],
  ['poll', 'options that are a text', { title: 'x', options: 'ab' }],
  ['poll', 'one option', { title: 'x', options: ['a'] }],
  ['poll', '13 options', { title: 'x', options: Array.from({ length: 13 }, (_, i) => `${i}`) }],
  ['poll', 'the same option twice', { title: 'x', options: ['a', 'b', 'a'] }],
  ['poll', 'an empty option', { title: 'x', options: ['a', ' '] }],
  ['poll', 'a limit of two answers', { ...twoOptions, count: 2 }],
  ['location', 'no longitude', { latitude: 1 }],
  ['location', 'a latitude beyond the pole', { latitude: 91, longitude: 0 }],
  ['text', 'a mention by LID', { body: 'x', mentions: ['123456789012345@lid'] }],
  ['text', 'a mention of everybody', { body: 'x', mentions: 'all' }],
  ['video', 'no media', { caption: 'x' }],
  ['audio', 'a negative length', { media: png.toString('base64'), seconds: -1 }],
])('a %s with %s is refused with 400', async (kind, _name, fields) => {
  const token = simulator.linked()

  expect((await send(token, kind, fields)).status).toBe(400)
  expect(simulator.ledger.list(token)).toEqual([])
})

// R-1711
test.each([
  ['video', 'video-mpeg4.mp4', 415],
  ['video', 'audio.m4a', 415],
  ['video', 'voice.ogg', 415],
  ['audio', 'video.mp4', 415],
  ['audio', 'audio-vorbis.ogg', 415],
  ['voice', 'audio.mp3', 415],
  ['voice', 'audio-vorbis.ogg', 415],
  ['image', 'video.mp4', 415],
])('a %s of %s is refused', async (kind, name, status) => {
  const token = simulator.linked()
  // The header may say anything: the bytes decide.
  const media = await upload(token, testFile(name), 'video/mp4')

  expect((await send(token, kind, { media })).status).toBe(status)
  expect(simulator.ledger.list(token)).toEqual([])
})

// R-1711
test('each kind has its limit of size, and an unknown media id is 404', async () => {
  const token = simulator.linked()
  // An MP4 may end with a box of free space, and Ogg and MP3 with anything.
  const free = Buffer.alloc(16 * megabyte)
  free.writeUInt32BE(free.length)
  free.write('free', 4, 'latin1')
  const large = await upload(token, Buffer.concat([testFile('video.mp4'), free]))
  const song = await upload(token, Buffer.concat([testFile('voice.ogg'), free]))

  expect((await send(token, 'video', { media: large })).status).toBe(413)
  expect((await send(token, 'audio', { media: song })).status).toBe(413)
  expect((await send(token, 'voice', { media: song })).status).toBe(413)
  expect((await send(token, 'document', { media: large, filename: 'a.mp4' })).status).toBe(200)
  for (const kind of ['image', 'video', 'document', 'audio', 'voice'])
    expect((await send(token, kind, { media: 'mp4-ab-cd' })).status).toBe(404)
})

// R-1704
test('an upload that breaks off in the middle harms nobody', async () => {
  const token = simulator.linked()
  const { hostname, port, pathname } = new URL(`${simulator.url}/media`)
  const headers = { authorization: `Bearer ${token}`, 'content-length': 16 * megabyte }
  const upstream = request({ hostname, port, path: pathname, method: 'POST', headers })
  upstream.on('error', () => {})
  const closed = new Promise((resolve) => upstream.on('close', resolve))
  await new Promise<void>((resolve) => upstream.write(Buffer.alloc(megabyte), () => resolve()))
  upstream.destroy()
  await closed

  expect(await upload(token, testFile('video.mp4'))).toMatch(/^mp4-/)
})

test('a body of more than 100 MB is refused before it is read', async () => {
  const token = simulator.linked()
  const answer = await fetch(`${simulator.url}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    body: new Blob([Buffer.alloc(100 * megabyte + 1)]),
  })

  expect(answer.status).toBe(413)
})

// R-1712
test('the provider may encode again and drop names all the same, and keeps the id of the file', async () => {
  const [token, other] = [simulator.linked(), simulator.linked()]
  const bytes = testFile('video.mp4')
  const original = { sha256: createHash('sha256').update(bytes).digest('base64'), size: bytes.length }
  const rules = { encodesAgainPercent: 100, dropsNamesPercent: 100 }
  expect((await simulator.control('POST /media', { token, ...rules })).body).toEqual(rules)
  expect((await simulator.control('POST /media', { token, dropsNamesPercent: 101 })).status).toBe(400)

  for (const channel of [token, other]) {
    const media = await upload(channel, bytes)
    await send(channel, 'document', { media, filename: 'a.mp4', no_encode: true })
  }

  const [changed] = simulator.ledger.list(token)
  expect(changed?.media?.sha256).not.toBe(original.sha256)
  expect(changed?.media?.size).toBeLessThan(original.size)
  expect(changed).not.toHaveProperty('fileName')
  expect(changed?.media?.id).toMatch(/^mp4-/)
  expect(simulator.ledger.list(other)).toMatchObject([{ media: original, fileName: 'a.mp4' }])
})
