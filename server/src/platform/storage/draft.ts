import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Source } from './source.ts'

/** A file that is being written. */
const PART = '.part'
/** Far longer than a write takes, also that of another process. */
const LEFTOVER_MS = 3_600_000
/** A client may send single bytes, which are written together. */
const BUFFER_BYTES = 1 << 18

/** A file that is being written. It ends with `keep` of its place, or with `discard`. */
export type Draft = Source & {
  path: string
  write: (bytes: Uint8Array) => Promise<void>
  /** Returns the SHA-256 when the disk has all that was written. Only then can the file be read. */
  finish: () => Promise<Buffer>
  /** The same, once it is finished. */
  sha256: () => Buffer
  close: () => Promise<void>
  discard: () => Promise<void>
}

/** Creates a file that only its owner can read. */
export async function createDraft(folder: string): Promise<Draft> {
  const path = join(folder, `${randomUUID()}${PART}`)
  const file = await open(path, 'wx+', 0o600)
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  const hash = createHash('sha256')
  let digest: Buffer | undefined
  let buffered = 0
  let isOpen = true
  let size = 0

  async function flush() {
    await writeAll(file, buffer.subarray(0, buffered))
    buffered = 0
  }

  async function close() {
    if (!isOpen) return
    isOpen = false
    await file.close()
  }

  return {
    path,
    get size() {
      return size
    },
    async write(bytes) {
      hash.update(bytes)
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + BUFFER_BYTES - buffered)
        buffer.set(piece, buffered)
        buffered += piece.length
        at += piece.length
        if (buffered === BUFFER_BYTES) await flush()
      }
      size += bytes.length
    },
    async finish() {
      await flush()
      await file.sync()
      digest = hash.digest()
      return digest
    },
    sha256() {
      if (!digest) throw new Error('The file is not finished.')
      return digest
    },
    async read(offset, length) {
      const into = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
      if (into.length === 0) return into
      const { bytesRead } = await file.read(into, 0, into.length, offset)
      return into.subarray(0, bytesRead)
    },
    close,
    async discard() {
      await close().catch(() => {}) // a full disk may refuse that too
      await rm(path, { force: true }).catch(() => {}) // `removeLeftovers` removes what stays
    },
  }
}

/** A full disk may take a part of the bytes before it refuses the next. */
async function writeAll(file: FileHandle, bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at)
    at += bytesWritten
  }
}

/** Removes what writes that a crash ended have left in the folder. */
export async function removeOldDrafts(folder: string): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (!name.endsWith(PART)) continue
    const path = join(folder, name)
    const written = await stat(path).catch(() => null) // it may have got its name
    if (written && written.mtimeMs < Date.now() - LEFTOVER_MS) await rm(path, { force: true })
  }
}
