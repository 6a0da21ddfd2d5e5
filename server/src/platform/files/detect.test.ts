import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { zipOf } from '../../../test/zip.ts'
import { detect } from './detect.ts'

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/files', name))

const sourceOf = (bytes: Buffer, size = bytes.length) => ({
  size,
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
})
const detectBytes = (bytes: Buffer | string, size?: number) => detect(sourceOf(Buffer.from(bytes), size))

const PLAYED = { whyNot: null, width: null, height: null }

// R-1753
test.each([
  [
    'video.mp4',
    { extension: 'mp4', kinds: ['video', 'document'], seconds: 2, width: 32, height: 24, whyNot: null },
  ],
  ['voice.ogg', { extension: 'ogg', kinds: ['voice', 'audio', 'document'], seconds: 2, ...PLAYED }],
  ['sound.mp3', { extension: 'mp3', kinds: ['audio', 'document'], seconds: 2, ...PLAYED }],
  ['plain.mp3', { extension: 'mp3', kinds: ['audio', 'document'], seconds: 2, ...PLAYED }],
  ['sound.m4a', { extension: 'm4a', kinds: ['audio', 'document'], seconds: 2, ...PLAYED }],
  ['sound.aac', { extension: 'aac', kinds: ['audio', 'document'], seconds: null, ...PLAYED }],
])('%s is what a phone plays', async (name, expected) => {
  expect(await detectBytes(fixture(name))).toEqual(expected)
})

// R-1754
test.each([
  ['hevc.mp4', 'mp4', 'codec'],
  ['mp3sound.mp4', 'mp4', 'codec'],
  ['fragmented.mp4', 'mp4', 'container'],
  ['stereo.ogg', 'ogg', 'channels'],
  ['vorbis.ogg', 'oga', 'codec'],
])('%s can only be a document, and the reason is given', async (name, extension, whyNot) => {
  expect(await detectBytes(fixture(name))).toMatchObject({ extension, whyNot, kinds: ['document'] })
})

// R-1754
test.each([
  ['a QuickTime film', '\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'mov'],
  ['an AVI', 'RIFF\0\0\0\0AVI LIST', 'avi'],
  ['a WebM', '\x1a\x45\xdf\xa3\x9f', 'mkv'],
  ['a WAV', 'RIFF\0\0\0\0WAVEfmt ', 'wav'],
  ['a FLAC', 'fLaC\0', 'flac'],
])('%s can only be a document, because of its container', async (_what, text, extension) => {
  const found = await detectBytes(Buffer.from(text, 'latin1'))
  expect(found).toMatchObject({ extension, whyNot: 'container', kinds: ['document'] })
})

// R-2272
test.each(['avif', 'avis'])(
  'a picture that begins as an MP4 does, of the brand %s, is no damaged video',
  async (brand) => {
    expect(await detectBytes(`\0\0\0\x1cftyp${brand}\0\0\0\0mif1miaf`)).toMatchObject({
      extension: 'avif',
      kinds: ['document'],
      whyNot: null,
    })
  },
)

// R-1754
test('beyond 16 MB a video or audio can only be a document', async () => {
  const large = (16 << 20) + 1
  const padding = Buffer.alloc(8)
  for (const name of ['video.mp4', 'voice.ogg', 'sound.mp3']) {
    const bytes = fixture(name)
    // A box that is skipped fills the MP4.
    padding.writeUInt32BE(large - bytes.length)
    padding.write('free', 4)
    const start = Buffer.concat([bytes, padding])
    expect(await detectBytes(name.endsWith('mp4') ? start : bytes, large), name).toMatchObject({
      whyNot: 'too_large',
      kinds: ['document'],
    })
  }
})

test('an upright video that is stored lying down is upright', async () => {
  const bytes = fixture('video.mp4')
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  const quarterTurn = [0, 0x10000, 0, -0x10000, 0]
  for (const [n, value] of quarterTurn.entries()) bytes.writeInt32BE(value, matrix + 4 * n)

  expect(await detectBytes(bytes)).toMatchObject({ kinds: ['video', 'document'], width: 24, height: 32 })
})

/** The fixture with four bytes of its box replaced, `at` bytes after the type. */
function changed(box: string, at: number, value: number): Buffer {
  const bytes = fixture('video.mp4')
  bytes.writeUInt32BE(value, bytes.indexOf(box) + 4 + at)
  return bytes
}

// R-1755
test.each([
  ['is longer than the file', changed('mdat', -8, 0x7fffffff)],
  ['is shorter than its header', changed('mdat', -8, 4)],
  ['has an inner box that is longer than the one around it', changed('stbl', -8, 0xfffffff0)],
  ['has an inner box of no length', changed('hdlr', -8, 1)],
  ['has more chunks than its table', changed('stco', 4, 0xffffffff)],
  ['has chunks after its end', changed('stco', 8, 0x7fffffff)],
  ['has a description that is cut off', changed('esds', -8, 12)],
  ['is cut off', fixture('video.mp4').subarray(0, 4000)],
  ['is nothing but a beginning', fixture('video.mp4').subarray(0, 40)],
  ['has no media', Buffer.concat([fixture('video.mp4').subarray(0, 32)])],
])('an MP4 that %s is no video', async (_what, bytes) => {
  expect(await detectBytes(bytes)).toEqual({
    extension: 'bin',
    kinds: ['document'],
    seconds: null,
    width: null,
    height: null,
    whyNot: 'damaged',
  })
})

// R-1755
test('an MP4 with an index too large for memory is no video, and is not read', async () => {
  const ftyp = fixture('video.mp4').subarray(0, 32)
  const moov = Buffer.alloc(8)
  moov.writeUInt32BE(60 << 20)
  moov.write('moov', 4)
  const mdat = Buffer.from('\0\0\0\x08mdat')
  const size = 32 + (60 << 20) + 8
  let most = 0
  const read = async (offset: number, length: number) => {
    most = Math.max(most, length)
    const bytes = Buffer.alloc(Math.min(length, size - offset))
    if (offset === 0) Buffer.concat([ftyp, moov]).copy(bytes)
    if (offset === 32) moov.copy(bytes)
    if (offset === size - 8) mdat.copy(bytes)
    return bytes
  }

  expect(await detect({ size, read })).toMatchObject({ whyNot: 'container', kinds: ['document'] })
  expect(most).toBeLessThan(5 << 20)
})

// R-1755
test('an MP4 whose index has hundreds of thousands of boxes is no video', async () => {
  const bytes = fixture('video.mp4')
  const moov = bytes.indexOf('moov') - 4
  const end = moov + bytes.readUInt32BE(moov)
  const empty = Buffer.from('\0\0\0\x08free'.repeat(300_000), 'latin1')
  bytes.writeUInt32BE(end - moov + empty.length, moov)
  const changed = Buffer.concat([bytes.subarray(0, end), empty, bytes.subarray(end)])

  expect(await detectBytes(changed)).toMatchObject({ whyNot: 'damaged', kinds: ['document'] })
})

// R-1755
test('any single byte of a video may be wrong: the answer is always one, and soon', async () => {
  const original = fixture('video.mp4')
  const index = original.indexOf('mdat')
  for (let at = 0; at < index; at++)
    for (const value of [0, 1, 0x7f, 0xff]) {
      const bytes = Buffer.from(original)
      bytes[at] = value
      expect((await detectBytes(bytes)).kinds).toContain('document')
    }
})

// R-1756
test.each([
  ['a PDF', '%PDF-1.7\n', 'pdf'],
  ['a text', 'Xin chào\n', 'txt'],
  ['HTML', '<!doctype html><script>alert(1)</script>', 'txt'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'txt'],
  ['a PNG', '\x89PNG\r\n\x1a\n\0\0', 'png'],
  ['a JPEG', '\xff\xd8\xff\xe0', 'jpg'],
  ['a WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'webp'],
  ['a program', 'MZ\x90\0\x03', 'bin'],
  ['bytes of nothing', '\x01\x02\x03', 'bin'],
  ['a broken zip', 'PK\x03\x04 and no more', 'zip'],
])('%s is a document', async (_what, text, extension) => {
  const bytes = text.startsWith('Xin') ? Buffer.from(text) : Buffer.from(text, 'latin1')
  expect(await detectBytes(bytes)).toMatchObject({ extension, kinds: ['document'], whyNot: null })
})

// R-1756
test('a zip that declares the name of a property of every object is a plain zip', async () => {
  const name = Buffer.from('mimetypeconstructor')
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04')
  header.writeUInt32LE('constructor'.length, 18)
  const bytes = Buffer.concat([header, name])

  expect(await detectBytes(bytes)).toMatchObject({ extension: 'zip', kinds: ['document'] })
})

// R-1756
test('a zip with megabytes of names is told apart by the first of them', async () => {
  const long = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(60_000, 'x'))
  const zip = (names: string[]) => detectBytes(zipOf(Object.fromEntries(names.map((name) => [name, 'x']))))

  expect(await zip(['[Content_Types].xml', 'word/', ...long])).toMatchObject({ extension: 'docx' })
  expect(await zip(['[Content_Types].xml', ...long, 'word/'])).toMatchObject({ extension: 'zip' })
})

// R-1756
test.each([
  ['docx', ['[Content_Types].xml', 'word/document.xml']],
  ['xlsx', ['[Content_Types].xml', 'xl/workbook.xml']],
  ['pptx', ['[Content_Types].xml', 'ppt/presentation.xml']],
  ['zip', ['word/document.xml']],
] as const)('a zip is a %s by the names in it', async (extension, names) => {
  const bytes = zipOf(Object.fromEntries(names.map((name) => [name, 'x'])))
  expect(await detectBytes(bytes)).toMatchObject({ extension, kinds: ['document'] })
})
