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
