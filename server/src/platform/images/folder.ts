import { randomUUID } from 'node:crypto'
import { access, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../sync-folder.ts'
import type { Place } from './place.ts'

/**
 * An unmounted disk looks like an empty folder. So a folder without this file is an outage: no image in it is missing,
 * and none is written into it.
 */
const MARKER = '.sendroom-images'
/** A file that is being written. */
const PART = '.part'
/** Far longer than a write takes, also that of another process. */
const LEFTOVER_MS = 3_600_000

export async function openFolder(folder: string): Promise<Place> {
  const path = (name: string) => join(folder, name)
  const requireMarker = () => access(path(MARKER))
  return {
    async put(name, bytes) {
      await requireMarker()
      await writeWhole(folder, name, bytes)
    },
    async get(name) {
      try {
        return await readFile(path(name))
      } catch (error) {
        if (!isMissing(error)) throw error
        await requireMarker()
        return null
      }
    },
    async remove(name) {
      await requireMarker()
      await rm(path(name), { force: true })
    },
    async prepare(isUsed) {
      if (await has(path(MARKER))) return
      // An older program left images and no marker.
      if (isUsed && !(await hasFiles(folder))) throw new Error(`The images are not in ${folder}`)
      // Other users of the machine may not read what is sent to customers.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(
        folder,
        MARKER,
        Buffer.from('Sendroom keeps its images here. Do not delete this file.\n'),
      )
    },
    async removeLeftovers() {
      await requireMarker()
      for await (const { name } of await opendir(folder)) {
        if (!name.endsWith(PART)) continue
        const written = await stat(path(name)).catch(() => null) // it may have got its name
        if (written && written.mtimeMs < Date.now() - LEFTOVER_MS) await rm(path(name), { force: true })
      }
    },
  }
}

/** Returns when the whole file is on the disk under its name. Otherwise a power failure could leave a part of it. */
async function writeWhole(folder: string, name: string, bytes: Uint8Array) {
  const part = join(folder, `${name}.${randomUUID()}${PART}`)
  try {
    const file = await open(part, 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folder, name))
  } catch (error) {
    await rm(part, { force: true }).catch(() => {}) // the sweep removes what stays
    throw error
  }
  await syncFolder(folder)
}

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
