import { type imageTypes, limits } from '@sendroom/contract/limits'
import type { Sharp } from 'sharp'
import { Refusal } from './refusal.ts'

export type ImageType = (typeof imageTypes)[number]
export type CleanImage = { bytes: Buffer; extension: 'jpg' | 'png' | 'webp' | 'gif' }

const MAX_PIXELS = limits.imageMegapixels * 1_000_000

type Encoding = { extension: CleanImage['extension']; encode: (image: Sharp) => Sharp }

const ENCODINGS: Record<ImageType, Encoding> = {
  'image/jpeg': { extension: 'jpg', encode: (image) => image.jpeg({ quality: 90 }) },
  'image/png': { extension: 'png', encode: (image) => image.png() },
  'image/webp': { extension: 'webp', encode: (image) => image.webp({ quality: 90 }) },
  'image/gif': { extension: 'gif', encode: (image) => image.gif() },
}

const isTaken = (type: string): type is ImageType => Object.hasOwn(ENCODINGS, type)

/**
 * Judges an image by its bytes and encodes it anew: upright, without metadata (a phone writes the place into it)
 * and without anything hidden behind the picture. Animations stay animated.
 */
export async function cleanImage(bytes: Buffer): Promise<CleanImage> {
  const sharp = await loadSharp()
  const open = (animated: boolean) =>
    sharp(bytes, { animated, limitInputPixels: MAX_PIXELS, failOn: 'error' })
  try {
    // Only the head is read here, so that the limit on what is decoded need not hold yet.
    const {
      format,
      width,
      height,
      pages = 1,
    } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata()
    const type = `image/${format}`
    if (!isTaken(type)) throw new Error(`There is no encoding for ${type}.`)
    if (width * height * pages > MAX_PIXELS) throw new Refusal('image_too_many_pixels')
    const { extension, encode } = ENCODINGS[type]
    // An animation is one tall strip of frames here, and turning that would mix them up.
    const image = pages > 1 ? open(true) : open(false).autoOrient()
    return { bytes: await encode(image).toBuffer(), extension }
  } catch (error) {
    if (error instanceof Refusal) throw error
    // What can't be read to its end is no image, whatever the decoder says of it.
    throw new Refusal('not_an_image')
  }
}

/** Loaded with the first image: it costs memory that a process without images need not spend. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  // No other decoder ever sees a stranger's bytes: SVG, PDF and the like have a history.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
      'VipsForeignLoadNsgifBuffer',
    ],
  })
  return sharp
}
