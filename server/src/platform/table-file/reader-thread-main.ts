import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromThread, ThreadData } from './reader-thread.ts'
import type { TableSource } from './source.ts'
import { TableFileError } from './table-file-error.ts'

// Runs in the thread of `readInThread`.

/** So much is asked for at a time. */
const PART_BYTES = 1 << 18

const { module, name, input, size } = workerData as ThreadData
const port = parentPort ?? process.exit(1)

let last: Promise<unknown> = Promise.resolve()

/** Asks one question after another: a CSV is read ahead while its rows are taken, and an answer does not say for what. */
function ask(message: FromThread): Promise<unknown> {
  last = last.then(async () => {
    const answered = once(port, 'message')
    port.postMessage(message)
    const [answer] = await answered
    return answer
  })
  return last
}

const source: TableSource = {
  size,
  async *read(start = 0, end = size) {
    for (let at = start; at < end; at += PART_BYTES) {
      const bytes = await ask({ read: { start: at, end: Math.min(end, at + PART_BYTES) } })
      yield Buffer.from(bytes as Uint8Array) // what readInThread answers to it
    }
  },
}

async function run(): Promise<FromThread> {
  try {
    const functions = await import(module)
    for await (const value of functions[name](source, input)) await ask({ value })
    return { isDone: true }
  } catch (error) {
    return error instanceof TableFileError ? { fault: error.fault, row: error.row } : { error }
  }
}

port.postMessage(await run())
