import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { expect, onTestFinished, test, vi } from 'vitest'
import { picture } from '../../test/pictures.ts'
import { useWorld } from '../../test/world.ts'
import { keepImage, openImages, sweepImages } from './images.ts'

const world = useWorld()

async function keep() {
  const id = await keepImage(world.sql, world.images, await picture())
  const [{ name }] = await world.sql<[{ name: string }]>`select name from images where id = ${id}`
  return { id, name }
}

test('[R-196] an image is served with headers that let it do nothing else', async () => {
  const { name } = await keep()

  const answer = await (await world.app).inject(`/images/${name}`)

  expect(name).toMatch(/^[0-9a-f]{32}\.png$/)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(await sharp(answer.rawPayload).metadata()).toMatchObject({ width: 40 })
})

test('no other name is found', async () => {
  for (const name of ['nothing.png', '..%2Fsecret.key', `${'0'.repeat(32)}.png`, `${'0'.repeat(32)}.svg`])
    expect((await (await world.app).inject(`/images/${name}`)).json()).toMatchObject({ code: 'not_found' })
})

const sweep = () => sweepImages(world.sql, world.images)

test('an image that nothing has referred to for an hour is swept with its file', async () => {
  const { name } = await keep()

  await sweep()
  expect(await world.images.read(name)).not.toBeNull()
  await world.shiftClock('61 minutes')
  await sweep()

  expect(await world.sql`select from images`).toHaveLength(0)
  expect(await world.images.read(name)).toBeNull()
})

test.each(['message', 'job'] as const)('an image of a %s stays', async (owner) => {
  const { id, name } = await keep()
  await world.add[owner]({ imageId: id })

  await sweep()
  await world.shiftClock('2 days')
  await sweep()

  expect(await world.images.read(name)).not.toBeNull()
})

test('an image taken into use again waits its hour anew', async () => {
  const { id, name } = await keep()
  await sweep()
  const message = await world.add.message({ imageId: id })
  await sweep()
  await world.sql`delete from messages where id = ${message.id}`
  await world.shiftClock('61 minutes')
  await sweep()

  expect(await world.images.read(name)).not.toBeNull()
})

test('a sweep waits for whoever is taking the image into use, and leaves it to them', async () => {
  const { id, name } = await keep()
  await sweep()
  await world.shiftClock('2 hours')
  let swept: Promise<void> | undefined
  await world.sql.begin(async (tx) => {
    await tx`
      insert into messages (text_content, created_by_user_name, image_id) values ('Hello', 'somebody', ${id})`
    swept = sweep()
    await expect
      .poll(
        () =>
          world.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      .toHaveLength(1)
  })
  await swept

  expect(await world.images.read(name)).not.toBeNull()
  expect(await world.sql`select from images`).toHaveLength(1)
})

/** As much of S3 as we use: objects by their path. */
async function startBucket() {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://s3').pathname
    if (request.method === 'PUT') objects.set(path, await buffer(request))
    if (request.method === 'DELETE') objects.delete(path)
    const found = objects.get(path)
    const status = request.method === 'DELETE' ? 204 : found ? 200 : 404
    response.writeHead(status, { 'last-modified': new Date().toUTCString(), etag: '"1"' })
    response.end(request.method === 'GET' ? found : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { objects, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // it listens on a port
}

test('images live in an S3 bucket where one is configured', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { objects, endpoint } = await startBucket()
  const imageStore = {
    kind: 's3',
    bucket: 'shop',
    prefix: 'sendroom',
    region: 'eu-central-1',
    endpoint,
  } as const
  const images = openImages({ dataDir: '', imageStore })

  const name = await images.put(await picture(), 'png')
  expect([...objects.keys()]).toEqual([`/shop/sendroom/${name}`])
  const read = await images.read(name)
  expect(read?.mimeType).toBe('image/png')
  expect(await sharp(read?.bytes).metadata()).toMatchObject({ format: 'png' })

  await images.remove(name)
  expect(await images.read(name)).toBeNull()
})
