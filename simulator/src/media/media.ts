import type { Journal } from '../state/journal.ts'
import type { MediaInfo } from '../state/ledger.ts'
import { newMediaId } from '../wire/identifiers.ts'
import { Refusal, refuse } from '../wire/refusal.ts'
import { inspect } from './inspect.ts'

/** WhatsApp's limit for documents, the largest files. Other kinds have lower ones, see `kinds.ts`. */
export const maxUploadBytes = 100 * 1024 * 1024
/** Bytes kept for `GET /media` over all channels. Hash, size and type of a file are kept for good. */
const keptBytes = 8 * 1024 * 1024

/** A file and the channel that uploaded it. */
export interface StoredMedia extends MediaInfo {
  token: string
}

/** The uploaded files of all channels. */
export interface Media {
  /**
   * Reads a file to its end and stores its hash, size and type; `mime` is the type if the bytes don't tell. Rejects
   * with a 400 refusal for an empty file and 413 for more than 100 MB.
   */
  store(token: string, source: AsyncIterable<Buffer> | Iterable<Buffer>, mime: string): Promise<MediaInfo>
  /** Returns a file. Throws a 404 refusal if this channel has none with the id. */
  find(token: string, id: string): MediaInfo
  /** Returns the bytes of a file. Throws a 404 refusal if the bytes are no longer kept, or the file was too large. */
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

  function keepBytes(id: string, bytes: Buffer) {
    contents.set(id, bytes)
    totalBytes += bytes.length
    for (const oldest of contents.keys()) {
      if (totalBytes <= keptBytes) break
      dropBytes(oldest)
    }
  }

  function find(token: string, id: string): StoredMedia {
    const media = files.get(id)
    if (media?.token !== token) throw refuse.notFound('media')
    return media
  }

  return {
    async store(token, source, fallback) {
      const { bytes, sha256, size, codecs, mime = otherType(fallback) } = await inspect(source)
      if (size === 0) throw refuse.parameters('media is empty')
      if (size > maxUploadBytes) throw new Refusal(413, 'request media too large')
      const media = { token, id: newMediaId(mime), sha256, size, mime, ...(codecs ? { codecs } : {}) }
      journal.append({ media })
      files.set(media.id, media)
      if (bytes) keepBytes(media.id, bytes)
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

/** Only the bytes can say that a file is an image, audio or a video. */
const otherType = (mime: string) => (/^(image|audio|video)\//.test(mime) ? 'application/octet-stream' : mime)

/**
 * Decodes a data URI (also `data:image/jpeg;name=x;base64,…`, as in Whapi's samples) or bare base64. Throws a 400
 * refusal for other text. Whapi also downloads URLs; the simulator refuses them, as it fetches nothing.
 */
export function decodeMedia(text: string): Buffer {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(base64)) throw refuse.parameters('media should be base64 or a media id')
  return Buffer.from(base64, 'base64')
}
