import { type imageTypes, limits } from '@sendroom/contract/limits'
import type { Sharp } from 'sharp'
import { Refusal } from '../refusal.ts'

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

const isSupported = (type: string): type is ImageType => Object.hasOwn(ENCODINGS, type)

/**
 * Checks an image by its bytes and encodes it again: upright, without metadata (phones store the location there) and
 * without anything hidden behind the picture. Animations stay animated. Throws the refusal `not_an_image` or
 * `image_too_many_pixels`.
 */
export async function cleanImage(bytes: Buffer): Promise<CleanImage> {
  const sharp = await loadSharp()
  const open = (animated: boolean) =>
    sharp(bytes, { animated, limitInputPixels: MAX_PIXELS, failOn: 'error' })
  try {
    // This reads only the header, so the pixel limit is not needed here. It would throw an error of its own.
    const {
      format,
      width,
      height,
      pages = 1,
    } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata()
    const type = `image/${format}`
    if (!isSupported(type)) throw new Error(`There is no encoding for ${type}.`)
    if (width * height * pages > MAX_PIXELS) throw new Refusal('image_too_many_pixels')
    const { extension, encode } = ENCODINGS[type]
    // sharp loads an animation as one tall strip of frames. Rotating the strip would mix them up.
    const image = pages > 1 ? open(true) : open(false).autoOrient()
    return { bytes: await encode(image).toBuffer(), extension }
  } catch (error) {
    if (error instanceof Refusal) throw error
    // The decoder fails on any damaged or unknown file, with many different errors.
    throw new Refusal('not_an_image')
  }
}

/** Loads sharp with the first image, because a process without images does not need its memory. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  // Uploads come from strangers. Decoders for SVG, PDF and the like have a history of security holes.
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
