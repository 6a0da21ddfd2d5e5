import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { TableSource } from './source.ts'
import { TableFileError, type TableFileFault } from './table-file-error.ts'

/** A generator for the thread, which `module` (an `import.meta.url`) exports under its name. Its values are copied. */
export type ReadTask<I, O> = { module: string; run: (source: TableSource, input: I) => AsyncGenerator<O> }

export type ThreadData = { module: string; name: string; input: unknown; size: number }
/** The thread asks for bytes, or for a further value to be taken. */
export type FromThread =
  | { read: { start: number; end: number } }
  | { value: unknown }
  | { fault: TableFileFault; row: number | undefined }
  | { error: unknown }
  | { isDone: true }

/** In MB. The garbage of 100,000 rows would let the main thread grow by 200 before it is collected. */
const YOUNG_MB = 4

/**
 * Yields what a task reads from a file, in a thread of its own, so that the event loop stays free and the memory is
 * bounded by so many MB. The thread goes on when a value is taken. Throws a TableFileError if the file needs more.
 */
export async function* readInThread<I, O>(
  source: TableSource,
  { module, run }: ReadTask<I, O>,
  input: I,
  memoryMb: number,
): AsyncGenerator<O> {
  const workerData: ThreadData = { module, name: run.name, input, size: source.size }
  const worker = new Worker(new URL('./reader-thread-main.ts', import.meta.url), {
    execArgv: [],
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  try {
    for await (const [message] of on(worker, 'message') as AsyncIterable<[FromThread]>) {
      if ('isDone' in message) return
      if ('fault' in message) throw new TableFileError(message.fault, message.row)
      if ('error' in message) throw message.error
      if ('read' in message) {
        const parts: Buffer[] = []
        for await (const part of source.read(message.read.start, message.read.end)) parts.push(part)
        worker.postMessage(Buffer.concat(parts))
      } else {
        yield message.value as O // of the task
        worker.postMessage('next')
      }
    }
  } catch (error) {
    const isOutOfMemory =
      error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isOutOfMemory ? new TableFileError('too_large', undefined, { cause: error }) : error
  } finally {
    await worker.terminate()
  }
}
