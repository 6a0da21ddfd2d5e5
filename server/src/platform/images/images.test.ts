import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import sharp from 'sharp'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { picture } from '../../../test/pictures.ts'
import { sql, values } from '../database/sql.ts'
import { sweepImages } from './clean-up.ts'
import { hasImages } from './queries.ts'
import { openImages } from './store.ts'
import { openUploads } from './uploads.ts'

const context = useContext()

async function store() {
  const uploads = openUploads(context.db, context.images)
  onTestFinished(uploads.stop)
  const user = await context.add.user()
  const bytes = await picture()
  const id = await uploads.store({
    bytes,
    caller: { id: user.id, apiKey: null },
    signal: new AbortController().signal,
  })
  const { name } = await context.db.one<{ name: string }>(sql`select name from images where id = ${id}`)
  return { id, name }
}

//
test('an image is served with headers that forbid scripts and other content', async () => {
  const { name } = await store()

  const answer = await (await context.app).inject(`/images/${name}`)

  expect(name).toMatch(/^[0-9a-f]{32}\.png$/)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(await sharp(answer.rawPayload).metadata()).toMatchObject({ width: 40 })
})

test('any other name is not found', async () => {
  await store()
  for (const name of ['nothing.png', '..%2Fsecret.key', `${'0'.repeat(32)}.png`, `${'0'.repeat(32)}.svg`])
    expect((await (await context.app).inject(`/images/${name}`)).json()).toMatchObject({ code: 'not_found' })
})

test('a store that does not work answers image_store_down, not not_found', async () => {
  const { name } = await store()
  await context.breakImages()

  expect((await (await context.app).inject(`/images/${name}`)).json()).toMatchObject({
    code: 'image_store_down',
    error: expect.stringContaining('tell an Admin'),
  })
})

const sweep = () => sweepImages(context.db, context.images)

test('an image that nothing has referred to for an hour is deleted with its file', async () => {
  const { name } = await store()

  await sweep()
  expect(await context.images.read(name)).not.toBeNull()
  await context.shiftClock('61 minutes')
  await sweep()

  expect(await context.db.many(sql`select from images`)).toHaveLength(0)
  expect(await context.images.read(name)).toBeNull()
})

test('an image whose file could not be deleted is deleted by the next sweep', async () => {
  const { name } = await store()
  await sweep()
  await context.shiftClock('61 minutes')
  const remove = async () => Promise.reject(new Error('the store is down'))

  await expect(sweepImages(context.db, { ...context.images, remove })).rejects.toThrow()
  await sweep()

  expect(await context.images.read(name)).toBeNull()
  expect(await context.db.many(sql`select from images`)).toHaveLength(0)
})

// R-2221
test('an image whose file can’t be deleted does not keep the others', async () => {
  const stuck = await store()
  const other = await store()
  await sweep()
  await context.shiftClock('61 minutes')
  const remove = async (name: string) => {
    if (name === stuck.name) throw new Error('not permitted')
    await context.images.remove(name)
  }

  await expect(sweepImages(context.db, { ...context.images, remove })).rejects.toThrow('not permitted')

  expect(await context.images.read(other.name)).toBeNull()
  expect(await context.db.many(sql`select name from images`)).toEqual([{ name: stuck.name }])
})

test.each(['message', 'job'] as const)('an image of a %s stays', async (owner) => {
  const { id, name } = await store()
  await context.add[owner]({ imageId: id })

  await sweep()
  await context.shiftClock('2 days')
  await sweep()

  expect(await context.images.read(name)).not.toBeNull()
})

test('an image that was used again in between waits another hour', async () => {
  const { id, name } = await store()
  await sweep()
  const message = await context.add.message({ imageId: id })
  await sweep()
  await context.db.run(sql`delete from messages where id = ${message.id}`)
  await context.shiftClock('61 minutes')
  await sweep()

  expect(await context.images.read(name)).not.toBeNull()
})

test('a sweep waits for a transaction that starts to use the image, and keeps the image', async () => {
  const { id, name } = await store()
  await sweep()
  await context.shiftClock('2 hours')
  let swept: Promise<void> | undefined
  await context.db.begin(async (tx) => {
    await tx.run(sql`
      insert into messages (text_content, created_by_user_name, image_id) values ('Hello', 'somebody', ${id})`)
    swept = sweep()
    await expect.poll(() => countWaiting(context.db)).toBe(1)
  })
  await swept

  expect(await context.images.read(name)).not.toBeNull()
  expect(await context.db.many(sql`select from images`)).toHaveLength(1)
})

//
test('before the first image, a wrong address is not found', async () => {
  const answer = await (await context.app).inject(`/images/${'0'.repeat(32)}.png`)

  expect(answer.statusCode).toBe(404)
})

//
test('an image past the quota leaves no file: no user fills the disk with files that nobody counts', async () => {
  const { images, folder } = await newFolder()
  await images.prepare(false)
  const before = await readdir(folder)
  const uploads = openUploads(context.db, images)
  onTestFinished(uploads.stop)
  const { id: userId } = await context.add.user()
  const full = { name: 'x.png', mimeType: 'image/png', size: 1_000_000, userId }
  await context.db.run(sql`insert into images ${values(full)}`)
  await context.db.run(sql`update quotas set image_megabytes_per_user = 1`)

  const upload = {
    ...{ bytes: await picture(), signal: new AbortController().signal },
    caller: { id: userId, apiKey: null },
  }
  await expect(uploads.store(upload)).rejects.toMatchObject({ code: 'quota_images' })

  expect(await readdir(folder)).toEqual(before)
})

test('the image of a user who was deleted during the upload belongs to nobody', async () => {
  const uploads = openUploads(context.db, context.images)
  onTestFinished(uploads.stop)
  const nobody = {
    bytes: await picture(),
    caller: { id: 987_654, apiKey: null },
    signal: new AbortController().signal,
  }

  const id = await uploads.store(nobody)

  expect(await context.db.one(sql`select user_id from images where id = ${id}`)).toEqual({ userId: null })
})

test('the sweep deletes nothing outside of the folder, as a row of a crafted backup may ask', async () => {
  const { images, dataDir } = await newFolder()
  await images.prepare(false)
  await writeFile(join(dataDir, 'secret.key'), 'key')
  await context.db.run(sql`
    insert into images (name, mime_type, size, unused_since)
    values ('../secret.key', 'image/png', 3, clock_now() - interval '2 hours')`)

  await sweepImages(context.db, images)

  expect(await readdir(dataDir)).toContain('secret.key')
  expect(await context.db.many(sql`select from images`)).toEqual([])
})

/** The image store of a new data folder. */
async function newFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'images-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const images = openImages({ dataDir, imageStore: { kind: 'disk' } })
  return { images, dataDir, folder: join(dataDir, 'images') }
}

const OUTAGE = { code: 'image_store_down' }

test.each([
  ['missing', () => {}],
  ['empty', (folder: string) => mkdir(folder)],
  ['of a new disk', (folder: string) => mkdir(join(folder, 'lost+found'), { recursive: true })],
])('a folder that is %s is an outage, because its disk may not be mounted', async (_what, replace) => {
  const { images, dataDir, folder } = await newFolder()
  await images.prepare(false)
  const name = await images.put(await picture(), 'png')
  const away = join(dataDir, 'away')

  await rename(folder, away)
  await replace(folder)
  await expect(images.prepare(true)).rejects.toMatchObject(OUTAGE)
  await expect(images.read(name)).rejects.toMatchObject(OUTAGE)
  await expect(images.remove(name)).rejects.toMatchObject(OUTAGE)
  await expect(images.put(await picture(), 'png')).rejects.toMatchObject(OUTAGE)

  await rm(folder, { recursive: true, force: true })
  await rename(away, folder)
  expect(await images.read(name)).not.toBeNull()
  await images.remove(name)
  expect(await images.read(name)).toBeNull()
})

test('images that an older program has left are found', async () => {
  const { images, folder } = await newFolder()
  const name = `${'0'.repeat(32)}.png`
  await mkdir(folder)
  await writeFile(join(folder, name), await picture())

  await images.prepare(true)
  await images.prepare(true)

  expect(await images.read(name)).not.toBeNull()
  expect(await images.read(`${'1'.repeat(32)}.png`)).toBeNull()
})

test('the store is in use as soon as there is one image', async () => {
  expect(await hasImages(context.db)).toBe(false)
  await store()
  expect(await hasImages(context.db)).toBe(true)
})

test('a write that fails leaves no file under the image’s name', async () => {
  const { images, folder } = await newFolder()
  await images.prepare(false)
  const name = `${'0'.repeat(32)}.png`
  const broken = { length: 3 } as Uint8Array // not even bytes: writing it throws after the file is open

  await expect(images.putAs(name, broken)).rejects.toMatchObject(OUTAGE)

  expect(await images.read(name)).toBeNull()
  expect((await readdir(folder)).filter((file) => !file.startsWith('.'))).toEqual([])
})

test('a sweep removes what a crash has left of a write, but no write that may still run', async () => {
  const { folder, images } = await newFolder()
  await images.prepare(false)
  const [old, young] = [join(folder, 'old.png.part'), join(folder, 'young.png.part')]
  await writeFile(old, 'torn')
  await writeFile(young, 'torn')
  const twoHoursAgo = Date.now() / 1000 - 7200
  await utimes(old, twoHoursAgo, twoHoursAgo)

  await sweepImages(context.db, images)

  expect((await readdir(folder)).filter((file) => !file.startsWith('.'))).toEqual(['young.png.part'])
})

test('only the user who runs Sendroom can read the files', async () => {
  const { images, dataDir } = await newFolder()
  await images.prepare(false)
  const name = await images.put(await picture(), 'png')
  const mode = async (path: string) => (await stat(join(dataDir, path))).mode & 0o777

  expect([await mode('images'), await mode(`images/${name}`)]).toEqual([0o700, 0o600])
})

/** Starts a server with the part of S3 that we use. With `refusal` it refuses every call with that code. */
async function startBucket(refusal?: { status: number; code: string }) {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://s3').pathname
    if (request.method === 'PUT') objects.set(path, await buffer(request))
    if (request.method === 'DELETE') objects.delete(path)
    const found = objects.get(path)
    const missing = request.method === 'GET' && !found && { status: 404, code: 'NoSuchKey' }
    const refused = refusal ?? missing
    if (refused) {
      response.writeHead(refused.status, { 'content-type': 'application/xml' })
      return response.end(`<Error><Code>${refused.code}</Code><Message>Said by the store.</Message></Error>`)
    }
    response.writeHead(request.method === 'DELETE' ? 204 : 200, {
      'last-modified': new Date().toUTCString(),
      etag: '"1"',
    })
    response.end(request.method === 'GET' ? found : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { port } = server.address() as AddressInfo // listening on TCP
  const images = openImages({
    dataDir: '',
    imageStore: {
      kind: 's3',
      bucket: 'shop',
      prefix: 'sendroom',
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${port}`,
    },
  })
  return { objects, images }
}

test('images are stored in an S3 bucket if one is configured', async () => {
  const { objects, images } = await startBucket()

  const name = await images.put(await picture(), 'png')
  expect([...objects.keys()]).toEqual([`/shop/sendroom/${name}`])
  const read = await images.read(name)
  expect(read?.mimeType).toBe('image/png')
  expect(await sharp(read?.bytes).metadata()).toMatchObject({ format: 'png' })

  await images.remove(name)
  expect(await images.read(name)).toBeNull()
})

test.each([
  { status: 404, code: 'NoSuchBucket' },
  { status: 403, code: 'InvalidAccessKeyId' },
  { status: 403, code: 'AccessDenied' },
])('a bucket that answers $code is an outage, with the words of the store as the cause', async (refusal) => {
  const { images } = await startBucket(refusal)
  const bytes = await picture()

  for (const attempt of [
    () => images.put(bytes, 'png'),
    () => images.read(`${'0'.repeat(32)}.png`),
    () => images.remove(`${'0'.repeat(32)}.png`),
  ]) {
    const error = await attempt().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'image_store_down' })
    expect(pino.stdSerializers.err(error as Error).message).toContain('Said by the store.')
  }
})
