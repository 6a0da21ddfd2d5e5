import type { StoredFile } from '@sendroom/contract/files'
import { limits } from '@sendroom/contract/limits'
import type { FastifyRequest } from 'fastify'
import type { Begin } from '../../platform/access.ts'
import { expectProgress } from '../../platform/body-times.ts'
import { type Detected, detect } from '../../platform/files/detect.ts'
import { cleanFileName } from '../../platform/files/file-name.ts'
import { type FileRow, insertFile, touchFile } from '../../platform/files/queries.ts'
import { type FileStore, newName, storeDown } from '../../platform/files/store.ts'
import { mimeTypeOf } from '../../platform/files/types.ts'
import { requireRoomOnDisk } from '../../platform/quotas.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Draft } from '../../platform/storage/draft.ts'
import type { Flow } from '../../platform/storage/flow.ts'
import { readUpload } from '../../platform/upload.ts'

export const UPLOAD = { maxBytes: limits.fileMegabytes << 20, tooLarge: 'file_over_limit' } as const

type Deps = { begin: Begin; files: FileStore; flow: Flow }

/**
 * Stores the file of a form. The bytes go to the disk while they arrive, and are looked at there. The store keeps the
 * file before the database has its row, so that no row ever points to a missing file. The same content of a user is
 * kept once.
 */
export async function storeUpload(deps: Deps, request: FastifyRequest): Promise<StoredFile> {
  const declared = Number(request.headers['content-length'] ?? 0)
  await deps.begin((tx, caller) => requireRoomOnDisk(tx, caller.id, declared))
  const draft = await deps.files.createDraft()
  try {
    const { fileName, sha256 } = await receive(request, draft, deps.flow)
    const detected = await detect(draft).catch(storeDown)
    const row = await keepOnce(deps, draft, sha256, detected)
    return { ...row, url: `/files/${row.name}`, fileName: cleanFileName(fileName, detected.extension) }
  } finally {
    await draft.discard()
  }
}

async function receive(request: FastifyRequest, draft: Draft, flow: Flow) {
  const progress = expectProgress(request.raw)
  const fileName = await readUpload(request, 'file', UPLOAD, async (bytes) => {
    progress(bytes.length)
    await draft.write(bytes).catch(storeDown)
    await flow(bytes.length)
  })
  if (draft.size === 0) throw new Refusal('file_empty')
  const sha256 = await draft.finish().catch(storeDown)
  return { fileName, sha256 }
}

async function keepOnce(
  { begin, files }: Pick<Deps, 'begin' | 'files'>,
  draft: Draft,
  sha256: Buffer,
  { extension, ...about }: Detected,
): Promise<FileRow> {
  const known = await begin((tx, { id: userId }) => touchFile(tx, { userId, sha256 }))
  if (known) {
    // A disk may have lost it. Nobody deletes the file: its row has an hour again.
    if ((await files.sizeOf(known.name)) !== known.size) await files.keep(draft, known.name)
    return known
  }
  const name = newName(extension)
  await files.keep(draft, name)
  try {
    const row = await begin(async (tx, { id: userId }) => {
      await requireRoomOnDisk(tx, userId, draft.size)
      return insertFile(tx, { name, mimeType: mimeTypeOf(name), size: draft.size, sha256, userId, ...about })
    })
    if (row.name !== name) await files.remove(name)
    return row
  } catch (error) {
    // The sweep finds files by their rows. Past the quota a user could fill the disk with files that have none. After
    // any other error the row may exist.
    if (error instanceof Refusal) await files.remove(name)
    throw error
  }
}
