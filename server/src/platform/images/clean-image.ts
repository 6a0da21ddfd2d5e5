import { type imageTypes, limits } from '@sendroom/contract/limits'
import type { Sharp } from 'sharp'
import { Refusal } from '../refusal.ts'

export type ImageType = (typeof imageTypes)[number]
export type CleanImage = { bytes: Uint8Array; extension: 'jpg' | 'png' | 'webp' | 'gif' }

const MAX_PIXELS = limits.imageMegapixels * 1_000_000
const MAX_BYTES = limits.imageMegabytes * 1024 * 1024
/** The longest side that WhatsApp shows. To encode more pixels takes seconds and hundreds of megabytes. */
const MAX_SIDE = 4096
/**
 * The pixels of a still WebP. Its decoder makes a large picture small while it reads; of the whole picture it and its
 * encoder keep five copies. That takes 75 MB for 5 megapixels and 210 MB for 25.
 */
const MAX_WEBP_PIXELS = 3_000_000
/** Each attempt has half the side of the one before. A still image of 1024 × 1024 always fits. */
const ATTEMPTS = 3

type OpenSharp = Awaited<ReturnType<typeof loadSharp>>
type Encoding = { extension: CleanImage['extension']; encode: (image: Sharp) => Sharp }

const ENCODINGS: Record<ImageType, Encoding> = {
  // Optimised codes save 5 % of the file, but need all coefficients at once: 75 MB for 25 megapixels.
  'image/jpeg': { extension: 'jpg', encode: (image) => image.jpeg({ quality: 90, optimiseCoding: false }) },
  'image/png': { extension: 'png', encode: (image) => image.png() },
  // From effort 3 the encoder keeps its tokens, which take 140 MB more for 4096 × 4096. The file gets 2 % smaller.
  'image/webp': { extension: 'webp', encode: (image) => image.webp({ quality: 90, effort: 2 }) },
  'image/gif': { extension: 'gif', encode: (image) => image.gif() },
}

const isSupported = (type: string): type is ImageType => Object.hasOwn(ENCODINGS, type)

/**
 * Checks an image by its bytes and encodes it again: upright, not larger than needed, without metadata (phones store
 * the location there) and without anything hidden behind the picture. Animations stay animated. Throws the refusals
 * `not_an_image`, `image_too_many_pixels` and `image_too_complex`. Runs in the image process only.
 */
export async function cleanImage(bytes: Uint8Array): Promise<CleanImage> {
  const sharp = await loadSharp()
  try {
    const { width, height, pages, type } = await readHeader(sharp, bytes)
    const { extension, encode } = ENCODINGS[type]
    const image = open(sharp, bytes, pages)
    let side = Math.min(MAX_SIDE, Math.max(width, height))
    if (extension === 'webp' && pages === 1) {
      const ratio = Math.max(width, height) / Math.min(width, height)
      side = Math.min(side, Math.floor(Math.sqrt(MAX_WEBP_PIXELS * ratio)))
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++, side = Math.ceil(side / 2)) {
      const size = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const
      const encoded = await encode(image.clone().resize(size)).toBuffer()
      if (encoded.length <= MAX_BYTES) return { bytes: encoded, extension }
    }
    throw new Refusal('image_too_complex')
  } catch (error) {
    if (error instanceof Refusal) throw error
    // The decoder fails on any damaged or unknown file, with many different errors.
    throw new Refusal('not_an_image')
  }
}

/** Decodes no pixels. So the pixel limit is not needed here, where it would throw an error of its own. */
async function readHeader(sharp: OpenSharp, bytes: Uint8Array) {
  const header = sharp(bytes, { limitInputPixels: false, failOn: 'error' })
  const { format, width, height, pages = 1 } = await header.metadata()
  const type = `image/${format}`
  if (!isSupported(type)) throw new Error(`There is no encoding for ${type}.`)
  if (width * height * pages > MAX_PIXELS) throw new Refusal('image_too_many_pixels')
  return { type, width, height, pages }
}

function open(sharp: OpenSharp, bytes: Uint8Array, pages: number): Sharp {
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const
  // sharp loads an animation as one tall strip of frames. Rotating the strip would mix them up.
  return pages > 1 ? sharp(bytes, { ...options, animated: true }) : sharp(bytes, options).autoOrient()
}

/** Loads sharp with the first image, so that a process that can't load it says so to the one who waits. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  // More threads would take more memory, and the processors that everybody else needs.
  sharp.concurrency(1)
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
