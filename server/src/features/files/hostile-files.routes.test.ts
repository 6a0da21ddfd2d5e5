import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { until } from '../../../test/until.ts'
import { zipOf } from '../../../test/zip.ts'
import { sql } from '../../platform/database/sql.ts'

// Files and requests that are made to do harm.

const context = useContext()

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/files', name))
const stored = async () => (await readdir(context.filesFolder)).filter((name) => !name.startsWith('.'))
const rows = () => context.db.many(sql`select from files`)

const SCRIPT = '<script>alert(1)</script>'

function upload(user: TestUser, bytes: Buffer, name = 'x.bin', type = 'application/octet-stream') {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)], { type }), name)
  return context.call(user, contract.files.upload, { body })
}

/** A box of MP4. */
function box(type: string, ...content: Buffer[]) {
  const body = Buffer.concat(content)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(8 + body.length)
  header.write(type, 4)
  return Buffer.concat([header, body])
}

/** The fixture with other bytes behind its media. */
const filmWith = (...boxes: Buffer[]) => Buffer.concat([fixture('video.mp4'), ...boxes])

/** As many boxes, each in the one before. */
function nested(depth: number) {
  const bytes = Buffer.alloc(depth * 8, '\0\0\0\0mdia')
  for (let n = 0; n < depth; n++) bytes.writeUInt32BE(8 * (depth - n), 8 * n)
  return box('moov', box('trak', bytes))
}

// R-1852
test.each([
  ['a GIF that is a script', Buffer.from('GIF89a/*\0*/=1;alert(1)//'), 'image/gif', ['document']],
  ['a JPEG with HTML', Buffer.from(`\xff\xd8\xff\xe0${SCRIPT}`, 'latin1'), 'image/jpeg', ['document']],
  [
    'a PNG that goes on as SVG',
    Buffer.from('\x89PNG\r\n\x1a\n<svg onload="alert(1)"/>', 'latin1'),
    'image/png',
    ['document'],
  ],
  [
    'a PDF that is a zip',
    Buffer.concat([Buffer.from('%PDF-1.7\n'), zipOf({ 'a.html': SCRIPT })]),
    'application/pdf',
    ['document'],
  ],
  ['an Ogg with HTML', Buffer.from(`OggS\0\x02${SCRIPT.repeat(10)}`, 'latin1'), 'audio/ogg', ['document']],
  ['a video with HTML in it', filmWith(box('free', Buffer.from(SCRIPT))), 'video/mp4', ['video', 'document']],
  [
    'an MP3 whose tag is HTML',
    Buffer.concat([
      Buffer.from(`ID3\x04\0\0\0\0\0${String.fromCharCode(SCRIPT.length)}${SCRIPT}`),
      fixture('plain.mp3'),
    ]),
    'audio/mpeg',
    ['audio', 'document'],
  ],
  [
    'XML that styles itself',
    Buffer.from('<?xml-stylesheet href="data:,x"?><x/>'),
    'text/plain',
    ['document'],
  ],
  [
    'a page that begins with a byte order mark',
    Buffer.from(`\ufeff<!doctype html>${SCRIPT}`),
    'text/plain',
    ['document'],
  ],
])('%s runs in no browser', async (_what, bytes, mimeType, kinds) => {
  const { status, body } = await upload(await context.add.user(), bytes, 'index.html', 'text/html')

  expect(status).toBe(201)
  expect(body).toMatchObject({ mimeType, kinds })
  const { headers, rawPayload } = await (await context.app).inject(body.url)
  expect(rawPayload.equals(bytes)).toBe(true)
  expect(headers).toMatchObject({
    'content-type': expect.stringContaining(mimeType),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })
  const isShown = headers['content-disposition'] === undefined
  expect(isShown).toBe(/^(video|audio)\//.test(mimeType))
})

// R-1755
test.each([
  ['100,000 boxes in each other', nested(100_000)],
  ['a box that claims to go on to the end', filmWith(Buffer.from('\0\0\0\0free'))],
  ['a box of 2⁶⁴ bytes', filmWith(Buffer.from('\0\0\0\x01free\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1'))],
  ['half a million empty boxes', filmWith(Buffer.alloc(4 << 20, '\0\0\0\x08free'))],
  ['a second index', filmWith(box('moov', fixture('video.mp4')))],
])('an MP4 with %s is answered at once', async (_what, bytes) => {
  const film = bytes.includes('ftyp')
    ? bytes
    : Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), bytes])
  const began = performance.now()
  const { status } = await upload(await context.add.user(), film)

  expect(status).toBe(201)
  expect(performance.now() - began).toBeLessThan(3000)
})

const TAIL = '\r\n--x--\r\n'
const partOf = (header: string, bytes = 'hello') =>
  `--x\r\nContent-Disposition: form-data; name="file"; ${header}\r\n\r\n${bytes}${TAIL}`

function requestOf(
  { token }: TestUser,
  body: string,
  headers = `Content-Length: ${Buffer.byteLength(body)}`,
) {
  return (
    `POST /api/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n` +
    `Content-Type: multipart/form-data; boundary=x\r\n\r\n${body}`
  )
}

/** A connection on which the test writes every byte itself. */
async function open() {
  const socket = connect(await context.listen(), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  let received = ''
  socket.on('data', (bytes) => (received += bytes))
  await once(socket, 'connect')
  const answer = (pattern: RegExp) => until(`the answer ${pattern}`, () => pattern.exec(received)?.[0])
  return { socket, answer, received: () => received }
}

// R-1757
test.each([
  ['filename="..\\..\\evil.txt"', /"fileName":"[^"/\\]*evil\.txt"/],
  ['filename="../../../etc/cron.d/x"', /"fileName":"x\.txt"/],
  [`filename*=UTF-8''..%2f..%2fpasswd%00.txt`, /"fileName":"passwd_\.txt"/],
  [`filename*=UTF-8''invoice%E2%80%AEfdp.exe`, /"fileName":"invoice_fdp\.exe"/],
  [`filename*=UTF-8''%C0%AE%C0%AE%2fx.txt`, /"fileName":"[^"/\\]*x\.txt"/],
  [`filename*=none''x.txt`, /"fileName":"[^"/\\]*\.txt"/],
  ['filename="\x07a\x1b[2Jb.txt"', /"fileName":"[^"\\]*b\.txt"/],
  ['filename="{{name}}.txt"', /"fileName":"\{name\}\}\.txt"/],
  ['filename="👨\u200d👩\u200d👧.pdf"', /"fileName":"👨\u200d👩\u200d👧\.pdf"/],
  [`filename="${'ế'.repeat(2000)}.pdf"`, /"fileName":"ế{70}[^"]*\.txt"/],
])('the name of %s is made harmless, and a message takes it', async (header, expected) => {
  const user = await context.add.user()
  const { socket, answer } = await open()
  socket.write(requestOf(user, partOf(header)))

  const json = await answer(/\{"name".*\}/)
  expect(json).toMatch(expected)
  const { name: file, fileName } = JSON.parse(json)
  const body = { textContent: '', content: { kind: 'document' as const, file, fileName } }
  expect((await context.call(user, contract.messages.create, { body })).status).toBe(201)
  expect((await stored()).every((name) => /^[0-9a-f]{32}\.\w+$/.test(name))).toBe(true)
})

// R-1853
test.each([
  ['a length that is too short', (body: string) => `Content-Length: ${body.length - 30}`, /^HTTP\/1\.1 400/],
  [
    'a length and pieces',
    (body: string) => `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`,
    /^HTTP\/1\.1 400/,
  ],
  ['two lengths', (body: string) => `Content-Length: ${body.length}\r\nContent-Length: 5`, /^HTTP\/1\.1 400/],
  ['a length of 2⁶⁴', () => 'Content-Length: 18446744073709551616', /^HTTP\/1\.1 4(00|13)/],
])('a request with %s is refused and leaves nothing', async (_what, headers, expected) => {
  const body = partOf('filename="a.txt"')
  const { socket, answer } = await open()
  socket.write(requestOf(await context.add.user(), body, headers(body)))

  await answer(expected)
  await until('nothing is left', async () => (await stored()).length === 0)
  expect(await rows()).toEqual([])
})

// R-1853
test('a client that closes before the length that it declared leaves nothing', async () => {
  const { socket } = await open()
  const body = partOf('filename="a.txt"', 'x'.repeat(300_000)).slice(0, -TAIL.length)
  socket.write(requestOf(await context.add.user(), body, `Content-Length: ${body.length + 1000}`))
  await until('a part is there', async () => (await stored()).length === 1)

  socket.end()

  await until('nothing is left', async () => (await stored()).length === 0)
  expect(await rows()).toEqual([])
})

// R-1853
test('a form of ten thousand chunks of one byte is one file', async () => {
  const { socket, answer } = await open()
  const body = partOf('filename="a.txt"', 'ab'.repeat(5000))
  const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
  socket.write(requestOf(await context.add.user(), `${chunks}0\r\n\r\n`, 'Transfer-Encoding: chunked'))

  expect(await answer(/\{"name".*\}/)).toContain('"size":10000')
})

// R-1760
test('uploads at once keep no more than the quota', async () => {
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)
  const user = await context.add.user()

  const answers = await Promise.all(
    Array.from({ length: 7 }, (_, n) => upload(user, Buffer.alloc(400_000, n + 1))),
  )

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(await stored()).toHaveLength(2)
  const { total } = await context.db.one<{ total: number }>(sql`select sum(size) as total from files`)
  expect(total).toBeLessThanOrEqual(1_000_000)
})

// R-1854
test('a hundred uploads at once are stored or refused, and then others go on', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => context.add.user()))

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => {
      const user = users[n % users.length]
      if (!user) throw new Error('There is no user')
      return upload(user, Buffer.alloc((1 << 20) + 1 + n, n), `${n}.bin`)
    }),
  )

  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].filter((status) => ![201, 429, 503].includes(status))).toEqual([])
  const kept = answers.filter(({ status }) => status === 201)
  expect(kept.length).toBeGreaterThanOrEqual(20)
  expect(await stored()).toHaveLength(kept.length)
  for (const user of users) expect((await upload(user, Buffer.from('small'))).status).toBe(201)
})

// R-1851
test('uploads that wait behind another answer keep no place when the connection closes', async () => {
  const user = await context.add.user()
  for (let n = 0; n < 2; n++) {
    const { socket, answer } = await open()
    socket.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${user.token}\r\n\r\n`)
    await answer(/text\/event-stream/)
    socket.write(requestOf(user, partOf('filename="a.txt"', 'x'.repeat((2 << 20) + n))))
    const count = n + 1
    // A part that still arrives is in the folder as well, and would leave with its client.
    await until('the upload is stored', async () => (await rows()).length === count)
    socket.destroy()
  }

  expect((await upload(user, Buffer.alloc(2 << 20, 7))).status).toBe(201)
})
