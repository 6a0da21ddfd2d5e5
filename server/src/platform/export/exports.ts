import { addAbortSignal, finished, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { openHeavyWork } from '../heavy/heavy-work.ts'

/** A file to download, and the name to save it under. */
export type Download = { fileName: string; file: Readable }

type Request = {
  userId: number
  /** Aborts when the client has left. */
  signal: AbortSignal
}

export type Exports = {
  /** Waits for its turn, then opens the file. The turn lasts until the file is read to its end or the client leaves. */
  open: (
    request: Request,
    open: () => Promise<{ fileName: string; chunks: AsyncIterable<string | Uint8Array> }>,
  ) => Promise<Download>
  /** Breaks off what is being read. */
  stop: () => Promise<void>
}

/** A running export takes about 15 MB. */
const AT_ONCE = 3
/** Enough for 50 MB at 100 kB a second. A client that reads more slowly would keep others from their turn. */
const MAX_MS = 10 * 60_000

/** Streams files that are made while they are read: one of each user and three in all at a time. */
export function openExports(maxMs = MAX_MS): Exports {
  const turns = openHeavyWork(AT_ONCE)
  return {
    open: (request, open) => {
      const { promise, resolve, reject } = Promise.withResolvers<Download>()
      turns
        .run(request, async ({ signal }) => {
          const { fileName, chunks } = await open()
          const file = Readable.from(chunks, { objectMode: false })
          addAbortSignal(AbortSignal.any([signal, AbortSignal.timeout(maxMs)]), file)
          resolve({ fileName, file })
          await isFinished(file)
        })
        // An error after the beginning is the stream's: it breaks the download off.
        .catch(reject)
      return promise
    },
    stop: turns.stop,
  }
}

const isFinished = promisify(finished)
