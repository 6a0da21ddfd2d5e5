import sharp from 'sharp'

const plain = { width: 40, height: 20, channels: 3, background: 'red' } as const

/** Pictures of 40 × 20 as people upload them. */
export const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'tiff' | 'avif' = 'png') =>
  sharp({ create: plain }).toFormat(format).toBuffer()

/** Taken with the phone upright (so 20 × 40 to look at), and telling who made it. */
export const photo = () =>
  sharp({ create: plain })
    .withExif({ IFD0: { Artist: 'Somebody Secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

export async function animation(frameCount = 3) {
  const colors = Array.from({ length: frameCount }, (_, n) => (n % 2 === 0 ? 'red' : 'blue'))
  const frames = await Promise.all(
    colors.map((background) =>
      sharp({ create: { ...plain, background } })
        .png()
        .toBuffer(),
    ),
  )
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: colors.map(() => 100) })
    .toBuffer()
}
