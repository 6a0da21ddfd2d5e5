import { createHash } from 'node:crypto'
import { newMediaId } from '../wire/identifiers.ts'
import { Refusal, refuse } from '../wire/refusal.ts'
import type { Journal } from './journal.ts'
import type { MediaInfo } from './ledger.ts'

/** WhatsApp's own limit for images. Whapi's limit is unconfirmed. */
export const maxMediaBytes = 16 * 1024 * 1024
/** Bytes kept for `GET /media` over all channels. Hash, size and type of a file are kept for good. */
const keptBytes = 32 * 1024 * 1024

/** A file and the channel that uploaded it. */
export interface StoredMedia extends MediaInfo {
  token: string
}

/** The uploaded files of all channels. */
export interface Media {
  /** Stores a file. Throws a 400 refusal for an empty file and 413 for more than 16 MB. */
  store(token: string, bytes: Buffer, mime: string): MediaInfo
  /** Returns a file. Throws a 404 refusal if this channel has none with the id. */
  find(token: string, id: string): MediaInfo
  /** Returns the bytes of a file. Throws a 404 refusal if the bytes are no longer kept. */
  bytes(token: string, id: string): Buffer
  /** Removes a file. Throws a 404 refusal if this channel has none with the id. */
  remove(token: string, id: string): void
  /** Restores a file from the journal, without its bytes. */
  restore(media: StoredMedia): void
}

/** Creates an empty media store. */
export function createMedia(journal: Journal): Media {
  const files = new Map<string, StoredMedia>()
  const contents = new Map<string, Buffer>()
  let totalBytes = 0

  function dropBytes(id: string) {
    totalBytes -= contents.get(id)?.length ?? 0
    contents.delete(id)
  }

  function find(token: string, id: string): StoredMedia {
    const media = files.get(id)
    if (media?.token !== token) throw refuse.notFound('media')
    return media
  }

  return {
    store(token, bytes, mime) {
      if (bytes.length === 0) throw refuse.parameters('media is empty')
      if (bytes.length > maxMediaBytes) throw new Refusal(413, 'request media too large')
      const sha256 = createHash('sha256').update(bytes).digest('base64')
      const media = { token, id: newMediaId(mime), sha256, size: bytes.length, mime }
      journal.append({ media })
      files.set(media.id, media)
      contents.set(media.id, bytes)
      totalBytes += bytes.length
      for (const oldest of contents.keys()) {
        if (totalBytes <= keptBytes) break
        dropBytes(oldest)
      }
      return media
    },
    find,
    bytes(token, id) {
      const bytes = contents.get(find(token, id).id)
      if (!bytes) throw refuse.notFound('media')
      return bytes
    },
    remove(token, id) {
      find(token, id)
      dropBytes(id)
      files.delete(id)
    },
    restore: (media) => void files.set(media.id, media),
  }
}

/**
 * Returns the MIME type of an image, read from its first bytes. Undefined if the bytes are no JPEG, PNG, WebP or GIF,
 * the kinds that Whapi accepts.
 */
export function imageMime(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])))
    return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp'
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif'
  return undefined
}

/**
 * Decodes a data URI (also `data:image/jpeg;name=x;base64,…`, as in Whapi's samples) or bare base64. Throws a 400
 * refusal for other text. Whapi also downloads URLs; the simulator refuses them, as it fetches nothing.
 */
export function decodeMedia(text: string): Buffer {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(base64)) throw refuse.parameters('media should be base64 or a media id')
  return Buffer.from(base64, 'base64')
}
