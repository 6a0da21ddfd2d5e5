import { createReadStream } from 'node:fs'
import { access, mkdir, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../sync-folder.ts'
import { createDraft, type Draft, removeOldDrafts } from './draft.ts'
import type { Place } from './place.ts'

/** A folder on this machine, or on a disk that several share. `what` is the plural of what is in it, as in `images`. */
export async function openFolder(folder: string, what: string): Promise<Place> {
  /**
   * An unmounted disk looks like an empty folder. So a folder without this file is an outage: no file in it is missing,
   * and none is written into it.
   */
  const marker = `.sendroom-${what}`
  const path = (name: string) => join(folder, name)
  const requireMarker = () => access(path(marker))

  /** Resolves to null if the file is missing from a folder that works. */
  async function orNull<T>(found: Promise<T>): Promise<T | null> {
    try {
      return await found
    } catch (error) {
      if (!isMissing(error)) throw error
      await requireMarker()
      return null
    }
  }

  return {
    async put(name, bytes) {
      await requireMarker()
      await writeWhole(folder, name, bytes)
    },
    get: (name) => orNull(readFile(path(name))),
    async createDraft() {
      await requireMarker()
      return createDraft(folder)
    },
    async keep(draft, name) {
      await requireMarker()
      await rename(draft.path, path(name))
      await syncFolder(folder)
    },
    async open(name, range) {
      const size = await orNull(sizeOf(path(name)))
      return size === null ? null : { size, stream: createReadStream(path(name), range) }
    },
    sizeOf: (name) => orNull(sizeOf(path(name))),
    async remove(name) {
      await requireMarker()
      await rm(path(name), { force: true })
    },
    async prepare(isUsed) {
      if (await has(path(marker))) return
      // An older program left images and no marker.
      if (isUsed && !(await hasFiles(folder))) throw new Error(`The ${what} are not in ${folder}`)
      // Other users of the machine may not read what is sent to customers.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const text = `Sendroom keeps its ${what} here. Do not delete this file.\n`
      await writeWhole(folder, marker, Buffer.from(text))
    },
    async removeLeftovers() {
      await requireMarker()
      await removeOldDrafts(folder)
    },
  }
}

/** Returns when the whole file is on the disk under its name. Otherwise a power failure could leave a part of it. */
async function writeWhole(folder: string, name: string, bytes: Uint8Array) {
  const draft = await createDraft(folder)
  try {
    await writeAndName(draft, join(folder, name), bytes)
  } catch (error) {
    await draft.discard()
    throw error
  }
  await syncFolder(folder)
}

async function writeAndName(draft: Draft, path: string, bytes: Uint8Array) {
  await draft.write(bytes)
  await draft.finish()
  await draft.close()
  await rename(draft.path, path)
}

const sizeOf = async (path: string) => (await stat(path)).size

const has = (path: string) =>
  access(path).then(
    () => true,
    (error) => {
      if (isMissing(error)) return false
      throw error
    },
  )

async function hasFiles(folder: string): Promise<boolean> {
  if (!(await has(folder))) return false
  // The folder of a new disk is `lost+found`.
  for await (const entry of await opendir(folder)) if (entry.isFile()) return true
  return false
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'
