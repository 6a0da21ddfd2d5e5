import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { png, testFile } from '../../test/client.ts'
import { openJournal } from '../state/journal.ts'
import { inspect } from './inspect.ts'
import { createMedia } from './media.ts'

const inBytes = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    ),
  )

test.each([
  ['video.mp4', 'video/mp4', ['avc1', 'mp4a']],
  ['video-moov-last.mp4', 'video/mp4', ['avc1', 'mp4a']],
  ['video-mpeg4.mp4', 'video/mp4', ['mp4v']],
  ['audio.m4a', 'audio/mp4', ['mp4a']],
  ['audio.mp3', 'audio/mpeg', undefined],
  ['voice.ogg', 'audio/ogg; codecs=opus', undefined],
  ['audio-vorbis.ogg', 'audio/ogg', undefined],
])('%s is %s with the codecs %j, in pieces of any size', async (name, mime, codecs) => {
  const file = testFile(name)
  const sha256 = createHash('sha256').update(file).digest('base64')

  for (const size of [1, 7, 4096])
    expect(await inspect(inBytes(file, size))).toEqual({
      ...{ sha256, mime, size: file.length, bytes: file },
      ...(codecs ? { codecs } : {}),
    })
})

test('an MP4 that lies about a length, is cut or has no movie header is none', async () => {
  const video = testFile('video.mp4')
  const lying = Buffer.from(video)
  lying.writeUInt32BE(lying.readUInt32BE(0) + 1, 0)

  for (const bytes of [lying, video.subarray(0, -1), video.subarray(0, 32)])
    expect((await inspect([bytes])).mime).toBeUndefined()
})

test('a large file is not kept', async () => {
  expect((await inspect([Buffer.alloc(300_000)])).bytes).toBeNull()
})

test('bytes decide on the type, and the header only where it names no image, audio or video', async () => {
  const media = createMedia(openJournal())
  const mimeOf = async (bytes: Buffer, header: string) => (await media.store('token', [bytes], header)).mime

  expect(await mimeOf(png, 'video/mp4')).toBe('image/png')
  expect(await mimeOf(Buffer.from('a,b'), 'text/csv')).toBe('text/csv')
  expect(await mimeOf(Buffer.from('a,b'), 'audio/mpeg')).toBe('application/octet-stream')
  expect(await mimeOf(Buffer.from('%PDF-1.7'), 'application/zip')).toBe('application/pdf')
})

test('a file that breaks is not stored', async () => {
  const media = createMedia(openJournal())
  async function* breaking() {
    yield png
    throw new Error('aborted')
  }

  await expect(media.store('token', breaking(), 'image/png')).rejects.toThrow('aborted')
  await expect(media.store('token', [], 'image/png')).rejects.toMatchObject({ status: 400 })
})
