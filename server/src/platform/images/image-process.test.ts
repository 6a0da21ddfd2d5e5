import sharp from 'sharp'
import { afterEach, expect, test } from 'vitest'
import { picture, tiles } from '../../../test/pictures.ts'
import { until } from '../../../test/until.ts'
import { type ImageProcess, openImageProcess } from './image-process.ts'

let images: ImageProcess
afterEach(() => images.stop())

const open = (limits?: Parameters<typeof openImageProcess>[0]) => {
  images = openImageProcess(limits)
}
const never = new AbortController().signal
const clean = async (bytes: Uint8Array | Promise<Uint8Array> = picture(), signal = never) =>
  images.clean(await bytes, signal)

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const TOO_COMPLEX = { code: 'image_too_complex' }

test('images are decoded in another process, which the next image uses again', async () => {
  open()
  expect(images.pid()).toBeUndefined()
  expect(await clean()).toMatchObject({ extension: 'png' })
  const first = images.pid()
  expect(first).not.toBe(process.pid)
  await expect(clean(Buffer.from('no picture'))).rejects.toMatchObject({ code: 'not_an_image' })
  expect(await clean()).toMatchObject({ extension: 'png' })
  expect(images.pid()).toBe(first)
})

//
test('a photo fits into the memory, although it has to be turned, and so does a large lossy WebP', async () => {
  open()
  const create = { channels: 3, background: 'red' } as const
  const photo = sharp({ create: { ...create, width: 4000, height: 3000 } }).withMetadata({ orientation: 6 })
  expect(await clean(photo.jpeg().toBuffer())).toMatchObject({ extension: 'jpg' })
  const large = sharp({ create: { ...create, width: 5000, height: 5000 } })
  expect(await clean(large.webp({ effort: 0 }).toBuffer())).toMatchObject({ extension: 'webp' })
})

//
test('an image that takes too much memory ends its process and is refused, and the next one gets another', async () => {
  open({ maxMegabytes: 120 })
  await expect(clean(tiles(4800, 4800))).rejects.toMatchObject(TOO_COMPLEX)
  expect(await clean()).toMatchObject({ extension: 'png' })
})

//
test('an image that takes too long ends its process and is refused', async () => {
  open({ maxMs: 1 })
  await expect(clean()).rejects.toMatchObject(TOO_COMPLEX)
  expect(images.pid()).toBeUndefined()
})

//
test('a crash fails the image that caused it, and the next one gets another process', async () => {
  open()
  await clean()
  const large = await tiles(4800, 4800)
  const first = images.pid() ?? 0
  const failing = clean(large)
  process.kill(first, 'SIGSEGV')
  await expect(failing).rejects.toMatchObject(TOO_COMPLEX)
  expect(await clean()).toMatchObject({ extension: 'png' })
  expect(images.pid()).not.toBe(first)
})

test('a process that ends between two images is replaced', async () => {
  open()
  await clean()
  process.kill(images.pid() ?? 0, 'SIGKILL')
  await until('the end to be noticed', () => images.pid() === undefined)
  expect(await clean()).toMatchObject({ extension: 'png' })
})

test('the process of a client that has left ends', async () => {
  open()
  await clean()
  const first = images.pid() ?? 0
  const large = await tiles(4800, 4800)
  const leaving = new AbortController()
  const endless = clean(large, leaving.signal)
  setTimeout(() => leaving.abort(), 20)
  await expect(endless).rejects.toThrow('aborted')
  expect(isAlive(first)).toBe(false)
})

test('an idle process ends, and so does one that is stopped', async () => {
  open({ idleMs: 20 })
  await clean()
  await until('the idle process to end', () => images.pid() === undefined)

  open()
  await clean()
  const pid = images.pid() ?? 0
  await images.stop()
  expect(isAlive(pid)).toBe(false)
})

test('the process has none of the server’s secrets in its environment', async () => {
  process.env.SECRET_KEY = 'x'.repeat(32)
  try {
    open()
    await clean()
  } finally {
    delete process.env.SECRET_KEY
  }
  if (process.platform !== 'linux') return
  const { readFile } = await import('node:fs/promises')
  expect(await readFile(`/proc/${images.pid()}/environ`, 'utf8')).not.toContain('SECRET_KEY')
})
