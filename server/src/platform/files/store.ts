import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Refusal } from '../refusal.ts'
import { openBucket, type StoreConfig } from '../storage/bucket.ts'
import type { Draft } from '../storage/draft.ts'
import { openFolder } from '../storage/folder.ts'
import type { Place, Range } from '../storage/place.ts'
import { type Extension, isStoredName, mimeTypeOf } from './types.ts'

/** `size` is that of the whole file, also when the stream has a part of it. Whoever opens it reads or destroys it. */
export type OpenedFile = { size: number; mimeType: string; stream: Readable }

/**
 * The files of messages other than images, which are too large for memory. Every method throws the refusal
 * `file_store_down` if the store does not work.
 */
export type FileStore = {
  /** Begins a new file. For errors of what is done with it: `storeDown`. */
  createDraft: () => Promise<Draft>
  /** Gives a finished draft its name. */
  keep: (draft: Draft, name: string) => Promise<void>
  /** Returns null if there is no such file. */
  openFile: (name: string, range?: Range) => Promise<OpenedFile | null>
  sizeOf: (name: string) => Promise<number | null>
  remove: (name: string) => Promise<void>
  /** Creates the place, unless `isUsed` says that there are files already: then it exists, or is out of reach. */
  prepare: (isUsed: boolean) => Promise<void>
  /** Removes what uploads that a crash ended have left. */
  removeLeftovers: () => Promise<void>
}

/** A new name that nobody can guess. */
export const newName = (extension: Extension) => `${randomBytes(16).toString('hex')}.${extension}`

/** Opens the store of the configuration: a folder in the data folder, or a folder of the bucket that has the images. */
export function openFiles({ dataDir, imageStore, outgoingHosts = null }: StoreConfig): FileStore {
  // The S3 client is loaded for the first file, because it costs memory and time.
  let opened: Promise<Place> | undefined
  function openPlace() {
    if (imageStore.kind === 'disk') return openFolder(join(dataDir, 'files'), 'files')
    const prefix = imageStore.prefix ? `${imageStore.prefix}/files` : 'files'
    return openBucket({ ...imageStore, prefix }, join(dataDir, 'uploads'), outgoingHosts)
  }
  async function use<T>(work: (place: Place) => Promise<T>): Promise<T> {
    opened ??= openPlace()
    return opened.then(work).catch(storeDown)
  }
  return {
    createDraft: () => use((place) => place.createDraft()),
    async keep(draft, name) {
      if (!isStoredName(name)) throw new Error(`Not the name of a file: ${name}`)
      await use((place) => place.keep(draft, name, mimeTypeOf(name)))
    },
    async openFile(name, range) {
      if (!isStoredName(name)) return null
      const found = await use((place) => place.open(name, range))
      return found && { ...found, mimeType: mimeTypeOf(name) }
    },
    sizeOf: async (name) => (isStoredName(name) ? use((place) => place.sizeOf(name)) : null),
    async remove(name) {
      // A crafted backup may have any name in its rows, such as that of a file in another folder.
      if (isStoredName(name)) await use((place) => place.remove(name))
    },
    async prepare(isUsed) {
      await use(async (place) => place.prepare?.(isUsed))
    },
    async removeLeftovers() {
      await use((place) => place.removeLeftovers())
    },
  }
}

/** For `.catch`: a full disk or a missing or locked bucket is not the caller's mistake. */
export function storeDown(cause: unknown): never {
  throw new Refusal('file_store_down', {}, null, cause)
}
