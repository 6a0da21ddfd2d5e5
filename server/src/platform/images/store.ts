import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Refusal } from '../refusal.ts'
import { openBucket, type StoreConfig } from '../storage/bucket.ts'
import { openFolder } from '../storage/folder.ts'
import type { Place } from '../storage/place.ts'
import type { CleanImage, ImageType } from './clean-image.ts'

export type StoredImage = { bytes: Uint8Array; mimeType: string }

/** The image files. Every method throws the refusal `image_store_down` if the store does not work. */
export type ImageStore = {
  /** Writes the file under a new unguessable name and returns the name. */
  put: (bytes: Uint8Array, extension: CleanImage['extension']) => Promise<string>
  /** Writes the file under a name that another store has chosen. */
  putAs: (name: string, bytes: Uint8Array) => Promise<void>
  /** Returns null if there is no such file. */
  read: (name: string) => Promise<StoredImage | null>
  remove: (name: string) => Promise<void>
  /** Creates the place, unless `isUsed` says that there are images already: then it exists, or is out of reach. */
  prepare: (isUsed: boolean) => Promise<void>
  /** Removes what writes that a crash ended have left. */
  removeLeftovers: () => Promise<void>
}

const MIME: Record<CleanImage['extension'], ImageType> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
}
const NAME = /^[0-9a-f]{32}\.(jpg|png|webp|gif)$/

/** Returns the MIME type of a stored file, whose name `put` has chosen. */
export const mimeTypeOf = (name: string) => MIME[name.split('.')[1] as CleanImage['extension']] // NAME allows no other

/** Opens the store of the configuration: a folder in the data folder, or an S3 bucket. */
export function openImages({ dataDir, imageStore, outgoingHosts = null }: StoreConfig): ImageStore {
  // The S3 client is loaded for the first image, because it costs memory and time.
  let opened: Promise<Place> | undefined
  const place = () => {
    opened ??=
      imageStore.kind === 's3'
        ? openBucket(imageStore, join(dataDir, 'uploads'), outgoingHosts)
        : openFolder(join(dataDir, 'images'), 'images')
    return opened
  }
  async function putAs(name: string, bytes: Uint8Array) {
    if (!NAME.test(name)) throw new Error(`Not the name of an image: ${name}`)
    await place()
      .then((it) => it.put(name, bytes, mimeTypeOf(name)))
      .catch(refuse)
  }
  return {
    async put(bytes, extension) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`
      await putAs(name, bytes)
      return name
    },
    putAs,
    async read(name) {
      if (!NAME.test(name)) return null
      const bytes = await place()
        .then((it) => it.get(name))
        .catch(refuse)
      return bytes && { bytes, mimeType: mimeTypeOf(name) }
    },
    async remove(name) {
      // A crafted backup may have any name in its rows, such as that of a file in another folder.
      if (!NAME.test(name)) return
      await place()
        .then((it) => it.remove(name))
        .catch(refuse)
    },
    async prepare(isUsed) {
      await place()
        .then((it) => it.prepare?.(isUsed))
        .catch(refuse)
    },
    async removeLeftovers() {
      await place()
        .then((it) => it.removeLeftovers())
        .catch(refuse)
    },
  }
}

/** For `.catch`: a full disk or a missing or locked bucket is not the caller's mistake. */
function refuse(cause: unknown): never {
  throw new Refusal('image_store_down', {}, null, cause)
}
