import { createHash } from 'node:crypto'
import { createBoxReader } from './mp4.ts'

/** A file as far as the simulator looks at it. */
export interface Inspected {
  /** Base64. */
  sha256: string
  /** Bytes. */
  size: number
  /** The MIME type by the first bytes, and by the movie header of an MP4. Undefined if unknown. */
  mime: string | undefined
  /** The codecs of an MP4's tracks. */
  codecs?: string[]
  /** The bytes of a small file, null for others. */
  bytes: Buffer | null
}

const headBytes = 64
/** Files up to this size can be read again with `GET /media/ID`. */
const smallBytes = 256 * 1024

/**
 * Reads a file to its end. Keeps no more than its first bytes, its movie header and, of a small file, the whole.
 * Rejects if the source breaks.
 */
export async function inspect(source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Inspected> {
  const hash = createHash('sha256')
  const boxes = createBoxReader()
  let size = 0
  let head = Buffer.alloc(0)
  let kept: Buffer[] | null = []
  for await (const chunk of source) {
    hash.update(chunk)
    size += chunk.length
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)])
    boxes.write(chunk)
    if (size <= smallBytes) kept?.push(Buffer.from(chunk))
    else kept = null
  }
  const isMp4 = head.toString('latin1', 4, 8) === 'ftyp'
  const codecs = isMp4 ? boxes.codecs() : null
  return {
    sha256: hash.digest('base64'),
    size,
    mime: isMp4 ? mp4Mime(codecs) : mimeOf(head),
    ...(codecs ? { codecs } : {}),
    bytes: kept && Buffer.concat(kept),
  }
}

function mp4Mime(codecs: string[] | null): string | undefined {
  if (!codecs) return undefined
  return codecs.every((codec) => codec === 'mp4a') ? 'audio/mp4' : 'video/mp4'
}

const signatures: [string, RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/gif', /^GIF8/],
  ['audio/ogg; codecs=opus', /^OggS.{24}OpusHead/s],
  ['audio/ogg', /^OggS/],
  ['audio/amr', /^#!AMR/],
  // ADTS. Its layer bits are 0, those of an MP3 are not.
  ['audio/aac', /^\xff[\xf0\xf1\xf8\xf9]/],
  ['audio/mpeg', /^(ID3|\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff])/],
  ['application/pdf', /^%PDF-/],
]

const mimeOf = (head: Buffer) => {
  const text = head.toString('latin1')
  return signatures.find(([, pattern]) => pattern.test(text))?.[0]
}
