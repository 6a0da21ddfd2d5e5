import sharp from 'sharp'

const red = { width: 40, height: 20, channels: 3, background: 'red' } as const

/** A picture of 40 × 20 pixels. */
export const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'tiff' | 'avif' = 'png') =>
  sharp({ create: red }).toFormat(format).toBuffer()

/** A photo that was taken with the phone upright, so viewers show it as 20 × 40. Its metadata name the photographer. */
export const photo = () =>
  sharp({ create: red })
    .withExif({ IFD0: { Artist: 'Somebody Secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

/**
 * A hostile image: a few kilobytes as lossless WebP, because equal tiles of random colors compress well. Any other
 * encoding takes many seconds and megabytes.
 */
export function tiles(width: number, height: number) {
  const raw = Buffer.alloc(width * height * 3)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 3) raw.writeUIntBE(colorOf(x % 64, y % 64), at, 3)
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer()
}

/** Looks random, and is always the same. */
const colorOf = (x: number, y: number) => ((x * 73_856_093) ^ (y * 19_349_663)) & 0xffffff

export async function animation(frameCount = 3) {
  const colors = Array.from({ length: frameCount }, (_, n) => (n % 2 === 0 ? 'red' : 'blue'))
  const frames = await Promise.all(
    colors.map((background) =>
      sharp({ create: { ...red, background } })
        .png()
        .toBuffer(),
    ),
  )
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: colors.map(() => 100) })
    .toBuffer()
}
