import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { json, sql, values } from '../database/sql.ts'
import { sweepFiles } from '../images/clean-up.ts'
import { insertFile, touchFile } from './queries.ts'
import { readRange } from './range.ts'
import { newName, openFiles } from './store.ts'
import { type Extension, mimeTypeOf } from './types.ts'

const context = useContext()

const TEXT = 'The quick brown fox'
const hashOf = (text: string) => createHash('sha256').update(text).digest()

/** Stores a file with its row. */
async function store(extension: Extension = 'mp4', text = TEXT) {
  const name = newName(extension)
  const draft = await context.files.createDraft()
  await draft.write(Buffer.from(text))
  await draft.finish()
  await context.files.keep(draft, name)
  await draft.discard()
  const { id: userId } = await context.add.user()
  await insertFile(context.db, {
    name,
    mimeType: mimeTypeOf(name),
    size: text.length,
    seconds: null,
    width: null,
    height: null,
    kinds: ['document'],
    whyNot: null,
    sha256: hashOf(text),
    userId,
  })
  const { id } = await context.db.one<{ id: number }>(sql`select id from files where name = ${name}`)
  return { id, name, userId }
}

const get = async (name: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  (await context.app).inject({ url: `/files/${name}`, headers, method })

// R-1759
test('a video is served with headers that forbid scripts and other content, and let it be kept for ever', async () => {
  const { name } = await store()

  const answer = await get(name)

  expect(answer.statusCode).toBe(200)
  expect(answer.body).toBe(TEXT)
  expect(answer.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(TEXT.length),
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(answer.headers['content-disposition']).toBeUndefined()
})

// R-1759
test.each(['pdf', 'txt', 'png', 'docx', 'bin', 'zip'] as const)(
  'a file of type %s is saved, not shown',
  async (extension) => {
    const { name } = await store(extension)
    expect((await get(name)).headers['content-disposition']).toBe('attachment')
  },
)

// R-1759
test.each([
  ['bytes=0-3', 206, 'The ', 'bytes 0-3/19'],
  ['bytes=4-', 206, 'quick brown fox', 'bytes 4-18/19'],
  ['bytes=-3', 206, 'fox', 'bytes 16-18/19'],
  ['bytes=-100', 206, TEXT, 'bytes 0-18/19'],
  ['bytes=10-100000', 206, TEXT.slice(10), 'bytes 10-18/19'],
  ['bytes=19-', 416, '', 'bytes */19'],
  ['bytes=99999999999999999999-', 416, '', 'bytes */19'],
  ['bytes=-0', 416, '', 'bytes */19'],
  ['bytes=5-2', 200, TEXT, undefined],
  ['bytes=0-1,4-5', 200, TEXT, undefined],
  ['bytes=-', 200, TEXT, undefined],
  ['lines=0-1', 200, TEXT, undefined],
])('a player that asks for %s gets %i', async (range, status, body, contentRange) => {
  const { name } = await store()

  const answer = await get(name, { range })

  expect(answer.statusCode).toBe(status)
  expect(answer.body).toBe(body)
  expect(answer.headers['content-range']).toBe(contentRange)
  if (status !== 416) expect(answer.headers['content-length']).toBe(String(body.length))
})

test('a part of another version is not asked for: the whole file comes', async () => {
  const { name } = await store()

  expect((await get(name, { range: 'bytes=0-3', 'if-range': `"${name}"` })).body).toBe('The ')
  expect((await get(name, { range: 'bytes=0-3', 'if-range': '"other"' })).body).toBe(TEXT)
})

test('HEAD has the size and no bytes', async () => {
  const { name } = await store()

  const answer = await get(name, {}, 'HEAD')

  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-length']).toBe(String(TEXT.length))
  expect(answer.body).toBe('')
})

test('an empty file has no range', () => expect(readRange('bytes=0-', 0)).toBeNull())

// R-1759
test('any other name is not found', async () => {
  const { name } = await store()
  const others = [
    'nothing.mp4',
    '..%2Fsecret.key',
    `${'0'.repeat(32)}.mp4`,
    `${name}x`,
    `${'0'.repeat(32)}.svg`,
  ]
  for (const other of others) expect((await get(other)).json(), other).toMatchObject({ code: 'not_found' })
})

// R-1761
test('a store that does not work answers file_store_down, not not_found', async () => {
  const { name } = await store()
  await context.breakFiles()

  expect((await get(name)).json()).toMatchObject({ code: 'file_store_down' })
})

const sweep = () => sweepFiles(context.db, context.files)

// R-1762
test('a file that nothing has used for an hour is deleted with its row', async () => {
  const { name } = await store()

  await sweep()
  expect(await context.files.sizeOf(name)).toBe(TEXT.length)
  await context.shiftClock('61 minutes')
  await sweep()

  expect(await context.db.many(sql`select from files`)).toHaveLength(0)
  expect(await context.files.sizeOf(name)).toBeNull()
})

// R-1762
test.each(['messages', 'jobs'] as const)('a file that one of the %s uses stays', async (table) => {
  const { id, name } = await store()
  const owner = table === 'messages' ? await context.add.message() : await context.add.job()
  const uses = table === 'messages' ? sql`update messages` : sql`update jobs`
  await context.db.run(
    sql`${uses} set file_id = ${id}, content = ${json({ kind: 'document' })} where id = ${owner.id}`,
  )

  await sweep()
  await context.shiftClock('2 days')
  await sweep()

  expect(await context.files.sizeOf(name)).toBe(TEXT.length)
})

// R-1762
test('a file that is uploaded again has another hour', async () => {
  const { name, userId } = await store()
  await sweep()
  await context.shiftClock('50 minutes')
  await touchFile(context.db, { userId, sha256: hashOf(TEXT) })
  await context.shiftClock('50 minutes')
  await sweep()

  expect(await context.files.sizeOf(name)).toBe(TEXT.length)
})

// R-1762
test('a sweep waits for an upload of the same content, and keeps the file', async () => {
  const { name, userId } = await store()
  await sweep()
  await context.shiftClock('2 hours')
  let swept: Promise<void> | undefined
  await context.db.begin(async (tx) => {
    await touchFile(tx, { userId, sha256: hashOf(TEXT) })
    swept = sweep()
    await expect.poll(() => countWaiting(context.db)).toBe(1)
  })
  await swept

  expect(await context.files.sizeOf(name)).toBe(TEXT.length)
})

// R-1762
test('an upload waits for the sweep of the same content, and finds no row afterwards', async () => {
  const { userId } = await store()
  await sweep()
  await context.shiftClock('2 hours')
  let touched: Promise<unknown> | undefined
  const remove = async (name: string) => {
    touched = touchFile(context.db, { userId, sha256: hashOf(TEXT) })
    await expect.poll(() => countWaiting(context.db)).toBe(1)
    await context.files.remove(name)
  }

  await sweepFiles(context.db, { ...context.files, remove })

  expect(await touched).toBeUndefined()
})

test('the sweep deletes nothing outside of the folder, as a row of a crafted backup may ask', async () => {
  const { files, dataDir } = await newFolder()
  await files.prepare(false)
  await writeFile(join(dataDir, 'secret.key'), 'key')
  const row = {
    name: '../secret.key',
    mimeType: 'text/plain',
    size: 3,
    sha256: randomBytes(32),
    kinds: ['document'],
  }
  const unusedSince = sql`clock_now() - interval '2 hours'`
  await context.db.run(sql`insert into files ${values({ ...row, unusedSince })}`)

  await sweepFiles(context.db, files)

  expect(await readdir(dataDir)).toContain('secret.key')
  expect(await context.db.many(sql`select from files`)).toEqual([])
})

async function newFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'files-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return { files: openFiles({ dataDir, imageStore: { kind: 'disk' } }), dataDir }
}

test('only the user who runs Sendroom can read the files', async () => {
  const { name } = await store()
  const mode = async (path: string) => (await stat(join(context.filesFolder, path))).mode & 0o777

  expect([await mode('.'), await mode(name)]).toEqual([0o700, 0o600])
})

// R-1762
test('a sweep removes what a crash has left of an upload, but no upload that may still go on', async () => {
  await store()
  for (const [name, hours] of [
    ['old.part', 2],
    ['young.part', 0],
  ] as const) {
    const path = join(context.filesFolder, name)
    await writeFile(path, 'torn')
    const at = Date.now() / 1000 - hours * 3600
    await utimes(path, at, at)
  }

  await sweep()

  expect((await readdir(context.filesFolder)).filter((name) => name.endsWith('.part'))).toEqual([
    'young.part',
  ])
})

test('the whole file or a part of it is opened', async () => {
  const { name } = await store()
  const whole = await context.files.openFile(name)
  const part = await context.files.openFile(name, { start: 4, end: 8 })

  expect(whole).toMatchObject({ size: TEXT.length, mimeType: 'video/mp4' })
  expect(whole && (await buffer(whole.stream)).toString()).toBe(TEXT)
  expect(part && (await buffer(part.stream)).toString()).toBe('quick')
  expect(await context.files.openFile(newName('mp4'))).toBeNull()
})
