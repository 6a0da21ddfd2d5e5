import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { sweepFiles } from '../../platform/images/clean-up.ts'

const context = useContext()

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/files', name))

function formOf(bytes: Buffer | string, name: string, type = 'application/octet-stream'): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(Buffer.from(bytes))], { type }), name)
  return form
}

const upload = (user: TestUser, bytes: Buffer | string, name: string, type?: string) =>
  context.call(user, contract.files.upload, { body: formOf(bytes, name, type) })

/** The files in the store's folder. */
const stored = async () => (await readdir(context.filesFolder)).filter((name) => !name.startsWith('.'))
/** The bytes of the one upload that goes on. */
async function partSize() {
  const [name = ''] = await stored()
  return (await stat(join(context.filesFolder, name))).size
}
const rows = () => context.db.many<{ name: string }>(sql`select name from files`)

// R-1750
test('a video is stored, and the answer says what can be sent', async () => {
  const user = await context.add.user()

  const { status, body } = await upload(user, fixture('video.mp4'), 'Kỳ nghỉ.mp4')

  expect(status).toBe(201)
  expect(body).toEqual({
    name: expect.stringMatching(/^[0-9a-f]{32}\.mp4$/),
    url: `/files/${body.name}`,
    fileName: 'Kỳ nghỉ.mp4',
    mimeType: 'video/mp4',
    size: fixture('video.mp4').length,
    seconds: 2,
    width: 32,
    height: 24,
    kinds: ['video', 'document'],
    whyNot: null,
  })
  expect(await stored()).toEqual([body.name])
  const opened = await context.files.openFile(body.name)
  expect(opened && Buffer.from(await opened.stream.toArray().then(Buffer.concat))).toEqual(
    fixture('video.mp4'),
  )
})

// R-1756, R-1757
test.each([
  ['an SVG as PNG', '<svg onload="alert(1)"/>', 'picture.png', 'image/png', 'txt', 'picture.png'],
  ['HTML as a video', '<script>alert(1)</script>', 'film.mp4', 'video/mp4', 'txt', 'film.mp4'],
  ['a PDF that is also HTML', '%PDF-1.7 <script>alert(1)</script>', 'x.html', 'text/html', 'pdf', 'x.html'],
  ['a path', 'hello', '../../../secret.key', 'text/plain', 'txt', 'secret.key'],
  ['a name of dots', 'hello', '...', 'text/plain', 'txt', 'file.txt'],
])(
  '%s is a document under a name of ours, which no browser opens',
  async (_what, bytes, name, type, extension, fileName) => {
    const { status, body } = await upload(await context.add.user(), bytes, name, type)

    expect(status).toBe(201)
    expect(body).toMatchObject({
      fileName,
      kinds: ['document'],
      name: expect.stringMatching(`^[0-9a-f]{32}\\.${extension}$`),
    })
    const served = await (await context.app).inject(body.url)
    expect(served.headers).toMatchObject({
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    })
    expect(served.body).toBe(bytes)
  },
)

// R-1757
test('a name of 64 kB is cut off, and the file is stored', async () => {
  const { status, body } = await upload(await context.add.user(), 'hello', 'x'.repeat(64_000))

  expect(status).toBe(201)
  expect(body.fileName).toBe(`${'x'.repeat(251)}.txt`)
})

// R-1758
test('the same content of a user is kept once, each upload with its own name for recipients', async () => {
  const user = await context.add.user()

  const all = await Promise.all(['a.ogg', 'b.ogg'].map((name) => upload(user, fixture('voice.ogg'), name)))

  expect(all.map(({ body }) => body.fileName)).toEqual(['a.ogg', 'b.ogg'])
  expect(new Set(all.map(({ body }) => body.name)).size).toBe(1)
  expect(await rows()).toHaveLength(1)
  expect(await stored()).toEqual([all[0]?.body.name])
})

// R-1758
test('two users with the same bytes have a file each, and nobody learns of the other', async () => {
  const [lan, minh] = [await context.add.user(), await context.add.user()]
  const first = await upload(lan, 'hello', 'a.txt')
  const second = await upload(minh, 'hello', 'a.txt')

  expect(second.status).toBe(201)
  expect(second.body).toEqual({ ...first.body, name: expect.any(String), url: expect.any(String) })
  expect(second.body.name).not.toBe(first.body.name)
  expect(await stored()).toHaveLength(2)

  // Another user's upload of the same bytes keeps a file from deletion no more than any other does.
  await sweepFiles(context.db, context.files)
  await context.shiftClock('61 minutes')
  await upload(minh, 'hello', 'b.txt')
  await sweepFiles(context.db, context.files)
  expect(await stored()).toEqual([second.body.name])
})

// R-1758, R-1760
test('the same bytes count for each user who uploads them', async () => {
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)
  const bytes = Buffer.alloc(600_000)
  for (const user of [await context.add.user(), await context.add.user()]) {
    expect((await upload(user, bytes, 'a.bin')).status).toBe(201)
    expect((await upload(user, Buffer.alloc(600_000, 1), 'b.bin')).body.code).toBe('quota_images')
  }
})

// R-1758
test('a file whose bytes were lost is whole again after the same upload', async () => {
  const user = await context.add.user()
  const { body } = await upload(user, 'hello', 'a.txt')
  await rm(join(context.filesFolder, body.name))

  const again = await upload(user, 'hello', 'a.txt')

  expect(again.body.name).toBe(body.name)
  expect(await stored()).toEqual([body.name])
})

// R-1758
test('no row is locked while the store is asked: a bucket may take seconds to answer', async () => {
  const lockRows = () => context.db.many(sql`select from files for update nowait`)
  const sizeOf = vi.fn(async () => (await lockRows()) && null)
  const files = vi.spyOn(context, 'files', 'get').mockReturnValue({ ...context.files, sizeOf })
  onTestFinished(() => files.mockRestore())
  const user = await context.add.user()
  await upload(user, 'hello', 'a.txt')

  expect((await upload(user, 'hello', 'b.txt')).status).toBe(201)
  expect(sizeOf).toHaveBeenCalledOnce()
})

// R-1751
test.each([
  ['nothing', () => formOf('', 'a.txt'), 'file_empty'],
  ['no file', () => new FormData(), 'file_missing'],
  ['two files', twoFiles, 'too_large'],
  ['10,000 fields', manyFields, 'too_large'],
])('a form with %s is refused and leaves nothing', async (_what, form, code) => {
  const { body } = await context.call(await context.add.user(), contract.files.upload, { body: form() })

  expect(body.code).toBe(code)
  expect(await stored()).toEqual([])
  expect(await rows()).toEqual([])
})

function twoFiles() {
  const form = formOf('one', 'a.txt')
  form.append('file', new Blob(['two']), 'b.txt')
  return form
}

function manyFields() {
  const form = new FormData()
  for (let n = 0; n < 10_000; n++) form.append(`x${n}`, '')
  form.append('file', new Blob(['hello']), 'a.txt')
  return form
}

const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const TAIL = '\r\n--x--\r\n'

/** A request over HTTP whose body the test writes itself. */
async function begin({ token }: TestUser, headers: Record<string, string | number> = {}) {
  const port = await context.listen()
  const sent = httpRequest({
    port,
    method: 'POST',
    path: '/api/files',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=x',
      ...headers,
    },
  })
  sent.on('error', () => {})
  onTestFinished(() => void sent.destroy())
  const answered = once(sent, 'response').then(async ([response]) => ({
    status: response.statusCode,
    body: JSON.parse(await text(response)),
  }))
  return { sent, answered }
}

// R-1751
test('a body that says it is too large is refused before any of it arrives', async () => {
  const { sent, answered } = await begin(await context.add.user(), {
    'content-length': (limits.fileMegabytes + 1) << 20,
  })
  sent.flushHeaders()

  expect(await answered).toMatchObject({ status: 413, body: { code: 'file_over_limit' } })
})

// R-1751
test('a body of unknown length is cut off at the limit, and leaves nothing', async () => {
  const { sent, answered } = await begin(await context.add.user())
  const piece = Buffer.alloc(4 << 20)
  sent.write(HEAD)
  let isAnswered = false
  void answered.then(() => (isAnswered = true))
  for (let n = 0; n <= limits.fileMegabytes / 4 && !isAnswered; n++)
    await new Promise((resolve) => sent.write(piece, resolve))
  sent.end(TAIL)

  expect(await answered).toMatchObject({ status: 413, body: { code: 'file_over_limit' } })
  await until('the part is gone', async () => (await stored()).length === 0)
})

// R-1751
test('a file that arrives byte by byte is the same file', async () => {
  const { sent, answered } = await begin(await context.add.user())
  for (const character of `${HEAD}${'ab'.repeat(5000)}${TAIL}`) sent.write(character)
  sent.end()

  const { status, body } = await answered
  expect(status).toBe(201)
  expect(body).toMatchObject({ size: 10_000, mimeType: 'text/plain' })
})

// R-1751
test('a client that leaves in the middle leaves nothing', async () => {
  const { sent, answered } = await begin(await context.add.user())
  void answered.catch(() => {})
  sent.write(HEAD + 'x'.repeat(100_000))
  await until('a part is there', async () => (await stored()).length === 1)

  sent.destroy()

  await until('the part is gone', async () => (await stored()).length === 0)
  expect(await rows()).toEqual([])
})

// R-1752
test('a client that sends too slowly is cut off, and leaves nothing', async () => {
  const user = await context.add.user()
  const port = await context.listen()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes))
  socket.write(
    `POST /api/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${user.token}\r\nContent-Length: 50000000\r\n` +
      `Content-Type: multipart/form-data; boundary=x\r\n\r\n${HEAD}`,
  )
  const half = Buffer.alloc(2 << 20)
  await until('a part is there', async () => (await stored()).length === 1)
  for (let n = 0; n < 2; n++) {
    socket.write(half)
    vi.advanceTimersByTime(20_000)
  }
  await until('four megabytes are there', async () => (await partSize()) >= 4 << 20)
  vi.advanceTimersByTime(41_000)
  expect(answer).toBe('')

  vi.advanceTimersByTime(2_000)

  await until('the request is ended', () => answer)
  expect(answer).toMatch(/^HTTP\/1\.1 408/)
  await until('the part is gone', async () => (await stored()).length === 0)
})

// R-1760
test('past the quota, which counts images too, an upload is refused before it begins and leaves nothing', async () => {
  const user = await context.add.user()
  const image = { name: 'x.png', mimeType: 'image/png', size: 999_000, userId: user.id }
  await context.db.run(sql`
    insert into images (name, mime_type, size, user_id) values (${image.name}, ${image.mimeType}, ${image.size}, ${user.id})`)
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)

  const refused = { status: 409, body: { code: 'quota_images', params: { limit: 1 } } }
  expect(await upload(user, Buffer.alloc(2000), 'a.bin')).toMatchObject(refused)
  const { sent, answered } = await begin(user, { 'content-length': 900_000 })
  sent.flushHeaders()
  expect(await answered).toMatchObject(refused)
  // Without a declared length the real one counts.
  const chunked = await begin(user)
  chunked.sent.end(HEAD + 'x'.repeat(3000) + TAIL)
  expect(await chunked.answered).toMatchObject(refused)

  expect(await stored()).toEqual([])
  expect((await upload(user, 'small', 'a.txt')).status).toBe(201)
})

// R-1761
test('a store that does not work is 503, and says whom to tell', async () => {
  await context.breakFiles()

  const { status, body } = await upload(await context.add.user(), 'hello', 'a.txt')

  expect(status).toBe(503)
  expect(body).toMatchObject({ code: 'file_store_down', error: expect.stringContaining('tell an Admin') })
})

// R-1761
test('a disk that is full in the middle of an upload is 503, leaves nothing, and later works again', async () => {
  const user = await context.add.user()
  const probe = await open(join(context.filesFolder, '.sendroom-files'))
  const prototype = Object.getPrototypeOf(probe)
  await probe.close()
  const full = Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' })
  const write = vi.spyOn(prototype, 'write').mockRejectedValue(full)
  onTestFinished(() => void write.mockRestore())

  expect(await upload(user, Buffer.alloc(3 << 20), 'a.bin')).toMatchObject({
    status: 503,
    body: { code: 'file_store_down' },
  })
  expect(write).toHaveBeenCalled()
  expect(await stored()).toEqual([])
  expect(await rows()).toEqual([])

  write.mockRestore()
  expect((await upload(user, Buffer.alloc(3 << 20), 'a.bin')).status).toBe(201)
})

// R-1750
test('whoever loses the right during the upload stores nothing', async () => {
  const user = await context.add.user()
  const { sent, answered } = await begin(user)
  sent.write(HEAD)
  await until('a part is there', async () => (await stored()).length === 1)
  await context.db.run(sql`update users set can_send_messages = false where id = ${user.id}`)

  sent.end(`hello${TAIL}`)

  expect(await answered).toMatchObject({ status: 403 })
  await until('the part is gone', async () => (await stored()).length === 0)
  expect(await rows()).toEqual([])
})
