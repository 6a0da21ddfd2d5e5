import { addAbortSignal, finished, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { type HeavyRequest, openHeavyWork } from '../heavy/heavy-work.ts'

/** A file to download, and the name to save it under. */
export type Download = { fileName: string; file: Readable }

export type Exports = {
  /** Waits for its turn, then opens the file. The turn lasts until the file is read to its end or the client leaves. */
  open: (
    request: HeavyRequest,
    open: () => Promise<{ fileName: string; chunks: AsyncIterable<string | Uint8Array> }>,
  ) => Promise<Download>
  /** Breaks off what is being read. */
  stop: () => Promise<void>
}

/** A running export takes about 15 MB. */
const AT_ONCE = 3
const MAX_MS = 10 * 60_000
/** A slow phone reads faster. Three clients that read more slowly would keep all others from their turn. */
const LEAST_BYTES_PER_MS = 50
/** How long a client may read more slowly. */
const GRACE_MS = 30_000

/**
 * Streams files that are made while they are read: one of each user and three in all at a time. Breaks off what a
 * client reads too slowly.
 */
export function openExports({ maxMs = MAX_MS, graceMs = GRACE_MS } = {}): Exports {
  const turns = openHeavyWork(AT_ONCE)
  return {
    open: (request, open) => {
      const { promise, resolve, reject } = Promise.withResolvers<Download>()
      turns
        .run(request, async ({ signal }) => {
          const { fileName, chunks } = await open()
          const reader = watchReader(graceMs)
          const file = Readable.from(reader.watch(chunks), { objectMode: false })
          addAbortSignal(AbortSignal.any([signal, reader.tooSlow, AbortSignal.timeout(maxMs)]), file)
          resolve({ fileName, file })
          await isFinished(file).finally(reader.end)
        })
        // An error after the beginning is the stream's: it breaks the download off.
        .catch(reject)
      return promise
    },
    stop: turns.stop,
  }
}

/**
 * Aborts `tooSlow` when the client has let the file wait for longer than its bytes allow. How long those take to make
 * does not count.
 */
function watchReader(graceMs: number) {
  const slow = new AbortController()
  let [bytes, waitedMs] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  function wait() {
    timer = setTimeout(() => slow.abort(), graceMs + bytes / LEAST_BYTES_PER_MS - waitedMs)
  }
  return {
    tooSlow: slow.signal,
    end: () => clearTimeout(timer),
    async *watch(chunks: AsyncIterable<string | Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        const began = performance.now()
        wait()
        yield chunk
        clearTimeout(timer)
        waitedMs += performance.now() - began
      }
      wait() // The end may still be in buffers.
    },
  }
}

const isFinished = promisify(finished)
