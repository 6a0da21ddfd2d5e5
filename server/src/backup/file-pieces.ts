import { type FileStore, storeDown } from '../platform/files/store.ts'
import type { Draft } from '../platform/storage/draft.ts'

/** A file may be larger than the memory, so it is in a backup in pieces of this size. */
const PIECE_BYTES = 1 << 20

/** Yields the file in pieces of the same size, the last one excepted. Null if there is no such file. */
export async function readPieces(files: FileStore, name: string): Promise<AsyncIterable<Buffer> | null> {
  const opened = await files.openFile(name)
  return opened && piecesOf(opened.stream)
}

async function* piecesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let length = 0
  for await (const chunk of stream)
    for (let at = 0; at < chunk.length; ) {
      const count = chunk.copy(piece, length, at)
      at += count
      length += count
      if (length < PIECE_BYTES) continue
      yield piece
      piece = Buffer.allocUnsafe(PIECE_BYTES)
      length = 0
    }
  if (length > 0) yield piece.subarray(0, length)
}

/** Puts files together from their pieces. A file is kept when the next one begins, and the last one with `end`. */
export function openJoiner(files: FileStore) {
  let current: { name: string; draft: Draft } | null = null

  async function end() {
    if (!current) return
    const { name, draft } = current
    await draft.finish().catch(storeDown)
    await files.keep(draft, name)
    await discard()
  }

  async function discard() {
    await current?.draft.discard()
    current = null
  }

  return {
    async add(name: string, bytes: Buffer) {
      if (current?.name !== name) {
        await end()
        current = { name, draft: await files.createDraft() }
      }
      await current.draft.write(bytes).catch(storeDown)
    },
    end,
    discard,
  }
}
