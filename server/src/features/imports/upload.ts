import { limits } from '@sendroom/contract/limits'
import type { FastifyRequest } from 'fastify'
import type { Begin, Caller } from '../../platform/access.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { UploadLimit } from '../../platform/large-bodies.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readUpload } from '../../platform/upload.ts'
import { countWaiting, deleteImport, insertImport } from './imports.queries.ts'
import { insertPart, PART_BYTES } from './parts.queries.ts'

export const UPLOAD: UploadLimit = { maxBytes: limits.importMegabytes << 20, tooLarge: 'file_too_large' }

/**
 * Writes the uploaded file into the database while it arrives, and calls `finish`. No transaction stays open meanwhile:
 * nobody sees the import before `finish` has committed, and an upload that breaks off is deleted, at the latest after a
 * day.
 */
export async function storeUpload<T>(
  { db, begin, request }: { db: Pool; begin: Begin; request: FastifyRequest },
  finish: (id: number, fileName: string) => Promise<T>,
): Promise<T> {
  const id = await begin(async (tx, caller) => {
    await requireRoom(tx, caller)
    return insertImport(tx, caller, { source: 'file', status: 'uploading' })
  })
  try {
    const write = openParts(db, id)
    const fileName = await readUpload(request, 'file', UPLOAD, write.add)
    await write.end()
    return await finish(id, fileName)
  } catch (error) {
    await deleteImport(db, id).catch(() => {}) // the database may be down, so that it is deleted later
    throw error
  }
}

/** Locks against other new imports of the user, so that their number stays within the limit. */
export async function requireRoom(tx: Parameters<typeof countWaiting>[0], { id }: Caller): Promise<void> {
  await lock(tx, LOCKS.importsOf(id))
  if ((await countWaiting(tx, id)) >= limits.importsWaiting) throw new Refusal('too_many_imports')
}

/** Joins what arrives to parts of the same size. */
function openParts(db: Pool, id: number) {
  let pending: Buffer[] = []
  let length = 0
  let place = 0

  async function flush(bytes: number) {
    const all = Buffer.concat(pending)
    await insertPart(db, id, place++, all.subarray(0, bytes))
    pending = [all.subarray(bytes)]
    length = all.length - bytes
  }

  return {
    async add(bytes: Buffer) {
      pending.push(bytes)
      length += bytes.length
      while (length >= PART_BYTES) await flush(PART_BYTES)
    },
    async end() {
      if (length > 0) await flush(length)
      if (place === 0) throw new Refusal('file_empty')
    },
  }
}
