import sharp from 'sharp'
import { expect, test } from 'vitest'
import { animation, photo, picture, tiles } from '../../../test/pictures.ts'
import { cleanImage } from './clean-image.ts'

test.each([
  ['png', 'png'],
  ['jpeg', 'jpg'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  //
] as const)('a %s is accepted and keeps its format', async (format, extension) => {
  const image = await cleanImage(await picture(format))

  expect(image.extension).toBe(extension)
  expect(await sharp(image.bytes).metadata()).toMatchObject({ format, width: 40, height: 20 })
})

//
test('a photo is turned upright and loses what the phone wrote into it', async () => {
  const taken = await photo()
  expect((await sharp(taken).metadata()).exif?.toString('latin1')).toContain('Somebody Secret')

  const { bytes } = await cleanImage(taken)

  const metadata = await sharp(bytes).metadata()
  expect(metadata).toMatchObject({ width: 20, height: 40 })
  expect(metadata).not.toHaveProperty('exif')
  expect(metadata).not.toHaveProperty('orientation')
})

test('an animation stays animated', async () => {
  const { bytes } = await cleanImage(await animation())

  expect(await sharp(bytes).metadata()).toMatchObject({ pages: 3, delay: [100, 100, 100] })
})

test('an animation with a damaged frame is accepted, because browsers accept it too', async () => {
  const damaged = await animation()
  damaged[damaged.length - 29] = 0

  expect(await cleanImage(damaged)).toMatchObject({ extension: 'gif' })
})

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
const hidden = Buffer.from('<script>alert(1)</script>')

test('bytes hidden behind the picture are removed', async () => {
  const { bytes } = await cleanImage(Buffer.concat([await picture('png'), hidden]))

  expect(Buffer.from(bytes).includes(hidden)).toBe(false)
})

test.each([
  ['a text', async () => Buffer.from('I am no picture')],
  ['an SVG', async () => svg],
  ['a TIFF', () => picture('tiff')],
  ['an AVIF', () => picture('avif')],
  ['half a PNG', async () => (await picture('png')).subarray(0, 60)],
  ['half a JPEG', async () => (await photo()).subarray(0, -60)],
  //
])('%s is not an image', async (_case, make) => {
  await expect(cleanImage(await make())).rejects.toMatchObject({ code: 'not_an_image' })
})

/**
 * Returns an animation of small frames whose header claims a canvas of 2048 × 2048. The decoder rejects larger
 * claims.
 */
async function vastAnimation() {
  const gif = await animation(7)
  gif.writeUInt16LE(2048, 6)
  gif.writeUInt16LE(2048, 8)
  return gif
}

test.each([
  [
    'a small file of 27 million pixels',
    () =>
      sharp({ create: { width: 5200, height: 5200, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
  ],
  ['an animation of 7 frames with four million pixels each', () => vastAnimation()],
  //
])('%s has too many', async (_case, make) => {
  await expect(cleanImage(await make())).rejects.toMatchObject({ code: 'image_too_many_pixels' })
})

//
test('a large image gets sides of 4,096 pixels at most, whatever its format', async () => {
  for (const format of ['jpeg', 'png'] as const) {
    const wide = sharp({ create: { width: 4800, height: 2400, channels: 3, background: 'red' } })
    const { bytes } = await cleanImage(await wide.toFormat(format).toBuffer())

    expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 4096, height: 2048 })
  }
})

//
test('a still WebP gets 3 megapixels at most', async () => {
  const wide = sharp({ create: { width: 4800, height: 1600, channels: 3, background: 'red' } })
  const { bytes } = await cleanImage(await wide.webp().toBuffer())

  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 3000, height: 1000 })
})

test('a small image keeps its size', async () => {
  const { bytes } = await cleanImage(await tiles(300, 200))

  expect(await sharp(bytes).metadata()).toMatchObject({ width: 300, height: 200 })
})

test('an animation of large frames becomes smaller and stays animated', async () => {
  const wide = { create: { width: 5000, height: 1000, channels: 3, background: 'red' } } as const
  const other = { create: { ...wide.create, background: 'blue' } } as const
  const frames = await Promise.all([wide, other].map((input) => sharp(input).png().toBuffer()))
  const { bytes } = await cleanImage(
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
  )

  expect(await sharp(bytes).metadata()).toMatchObject({ width: 4096, pages: 2 })
})

//
test('an image that would take more than 5 MB again becomes smaller until it does not', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const blurred = sharp({ create: { width: 1400, height: 1400, channels: 3, background: 'red', noise } })
  const uploaded = await sharp(await blurred.png().toBuffer())
    .resize(4096, 4096)
    .jpeg({ quality: 25 })
    .toBuffer()
  const { bytes } = await cleanImage(uploaded)

  expect(uploaded.length).toBeLessThan(5 * 1024 * 1024)
  expect(bytes.length).toBeLessThan(5 * 1024 * 1024)
  expect((await sharp(bytes).metadata()).width).toBe(2048)
})
