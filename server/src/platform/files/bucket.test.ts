import { createHash } from 'node:crypto'
import { mkdir, readdir, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeTemporaryFolder } from '../../../test/temporary-folder.ts'
import { until } from '../../../test/until.ts'
import { type FileStore, newName, openFiles } from './store.ts'

type Put = { bytes: Buffer; headers: Record<string, unknown> }

/** Starts a server with the part of S3 that we use. */
async function startBucket(refusal?: { status: number; code: string }) {
  const objects = new Map<string, Put>()
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://s3').pathname
    const bytes = await buffer(request)
    if (request.method === 'PUT' && !refusal) objects.set(path, { bytes, headers: request.headers })
    if (request.method === 'DELETE') objects.delete(path)
    const found = objects.get(path)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const refused = refusal ?? (isRead && !found ? { status: 404, code: 'NoSuchKey' } : undefined)
    if (refused) {
      response.writeHead(refused.status, { 'content-type': 'application/xml' })
      return response.end(`<Error><Code>${refused.code}</Code><Message>Said by the store.</Message></Error>`)
    }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = found?.bytes.subarray(Number(start ?? 0), end ? Number(end) + 1 : undefined)
    const range = start && { 'content-range': `bytes ${start}-${end}/${found?.bytes.length}` }
    const length = isRead && { 'content-length': part?.length }
    response.writeHead(range ? 206 : request.method === 'DELETE' ? 204 : 200, {
      etag: '"1"',
      ...range,
      ...length,
    })
    response.end(request.method === 'GET' ? part : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { port } = server.address() as AddressInfo // listening on TCP
  const dataDir = await makeTemporaryFolder('bucket')
  const endpoint = `http://127.0.0.1:${port}`
  const imageStore = {
    kind: 's3',
    bucket: 'shop',
    prefix: 'sendroom',
    region: 'eu-central-1',
    endpoint,
  } as const
  return { objects, dataDir, endpoint, imageStore, files: openFiles({ dataDir, imageStore }) }
}

// R-1764
test('files are kept in a bucket if one is configured, read whole and in parts, and deleted', async () => {
  const { objects, files, dataDir } = await startBucket()
  const name = newName('mp4')
  const bytes = Buffer.alloc(3 << 20, 'film')

  const draft = await files.createDraft()
  await draft.write(bytes)
  await draft.finish()
  expect(draft.path).toContain(join(dataDir, 'uploads'))
  await files.keep(draft, name)
  await draft.discard()

  const put = objects.get(`/shop/sendroom/files/${name}`)
  expect(
    createHash('sha256')
      .update(put?.bytes ?? '')
      .digest('hex'),
  ).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(put?.headers).toMatchObject({ 'content-type': 'video/mp4', 'content-length': String(bytes.length) })
  expect(await files.sizeOf(name)).toBe(bytes.length)
  const whole = await files.openFile(name)
  expect(whole && (await buffer(whole.stream)).equals(bytes)).toBe(true)
  const part = await files.openFile(name, { start: 2, end: 5 })
  expect(part?.size).toBe(bytes.length)
  expect(part && String(await buffer(part.stream))).toBe('lmfi')

  await files.remove(name)
  expect(await files.sizeOf(name)).toBeNull()
  expect(await files.openFile(name)).toBeNull()
})

// R-2213
test('an upload removes what a crash has left of former ones on this machine', async () => {
  const { files, dataDir } = await startBucket()
  const folder = join(dataDir, 'uploads')
  await mkdir(folder)
  for (const name of ['old.part', 'young.part']) await writeFile(join(folder, name), 'torn')
  const twoHoursAgo = Date.now() / 1000 - 7200
  await utimes(join(folder, 'old.part'), twoHoursAgo, twoHoursAgo)
  const draft = await files.createDraft()
  await draft.discard()
  expect(await readdir(folder)).toEqual(['young.part'])
})

// R-1761, R-1764
test.each([
  { status: 404, code: 'NoSuchBucket' },
  { status: 403, code: 'AccessDenied' },
])('a bucket that answers $code is an outage, and the upload leaves nothing', async (refusal) => {
  const { files } = await startBucket(refusal)
  const draft = await files.createDraft()
  onTestFinished(() => draft.discard())
  await draft.write(Buffer.from('hello'))
  await draft.finish()

  for (const attempt of [
    () => files.keep(draft, newName('txt')),
    () => files.openFile(newName('txt')),
    () => files.remove(newName('txt')),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'file_store_down', cause: { name: refusal.code } })
})

async function finishDraft(files: FileStore) {
  const draft = await files.createDraft()
  await draft.write(Buffer.from('hello'))
  await draft.finish()
  return draft
}

async function openPaths() {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return Promise.all(links)
}

// R-2231
test('an upload that does not reach the bucket leaves no file open', async () => {
  if (process.platform !== 'linux') return
  const { dataDir, imageStore } = await startBucket()
  const files = openFiles({ dataDir, imageStore: { ...imageStore, endpoint: 'http://127.0.0.1:1' } })
  const draft = await finishDraft(files)
  await expect(files.keep(draft, newName('txt'))).rejects.toMatchObject({ code: 'file_store_down' })
  await draft.discard()
  await until('the file is closed', async () => !(await openPaths()).join().includes(draft.path))
})

// R-2232
test('an upload that can’t be read from the disk is refused, and ends nothing else', async () => {
  const { files, objects } = await startBucket()
  const draft = await finishDraft(files)
  await rm(draft.path)
  await expect(files.keep(draft, newName('txt'))).rejects.toMatchObject({ code: 'file_store_down' })
  expect(objects.size).toBe(0)
})

// R-2132
test('a bucket that AWS’s own variables put elsewhere is not asked unless OUTGOING_HOSTS names its host', async () => {
  const { objects, dataDir, endpoint, imageStore } = await startBucket()
  vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint)
  const { endpoint: _, ...atAmazon } = imageStore
  const name = newName('mp4')
  objects.set(`/shop/sendroom/files/${name}`, { bytes: Buffer.from('film'), headers: {} })
  const open = (...outgoingHosts: string[]) => openFiles({ dataDir, imageStore: atAmazon, outgoingHosts })
  await expect(open('shop.s3.eu-central-1.amazonaws.com').sizeOf(name)).rejects.toMatchObject({
    code: 'file_store_down',
  })
  expect(await open('127.0.0.1').sizeOf(name)).toBe(4)
})
