import { createHash } from 'node:crypto'
import { newMediaId } from './identifiers.ts'
import type { Journal } from './journal.ts'
import type { MediaMark } from './ledger.ts'
import { Refusal, refuse } from './refusal.ts'

/** The provider's cap is not known; this is WhatsApp's own for images. */
export const maxMediaBytes = 16 * 1024 * 1024
/** Bytes kept for GET; what a file was (hash, size) is kept for good. */
const keptBytes = 32 * 1024 * 1024

export interface StoredMedia extends MediaMark {
  token: string
}

export interface Media {
  /** Stores a file for a channel; refuses an empty one with 400 and a large one with 413. */
  store(token: string, bytes: Buffer, mime: string): MediaMark
  /** The file of that id; refuses with 404 when this channel has none. */
  find(token: string, id: string): MediaMark
  /** Its bytes; refuses with 404 when they are no longer kept. */
  bytes(token: string, id: string): Buffer
  remove(token: string, id: string): void
  restore(media: StoredMedia): void
}

export function createMedia(journal: Journal): Media {
  const marks = new Map<string, StoredMedia>()
  const contents = new Map<string, Buffer>()
  let total = 0

  function forget(id: string) {
    total -= contents.get(id)?.length ?? 0
    contents.delete(id)
  }

  function find(token: string, id: string): StoredMedia {
    const media = marks.get(id)
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
      marks.set(media.id, media)
      contents.set(media.id, bytes)
      total += bytes.length
      for (const oldest of contents.keys()) {
        if (total <= keptBytes) break
        forget(oldest)
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
      forget(id)
      marks.delete(id)
    },
    restore: (media) => void marks.set(media.id, media),
  }
}

/** What the bytes are, by their first ones; undefined when no image the provider takes. */
export function imageMime(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])))
    return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp'
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif'
  return undefined
}

/** A data URI (`data:image/jpeg;name=x;base64,…` too) or bare base64. Whapi would fetch a URL; we do not. */
export function decodeMedia(text: string): Buffer {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(base64)) throw refuse.parameters('media should be base64 or a media id')
  return Buffer.from(base64, 'base64')
}
