import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * A function for the worker thread: exported by `module` (an `import.meta.url`) under its own name. Its input and
 * output are copied between the threads.
 */
export type Task<I, O> = { module: string; run: (input: I) => O | Promise<O> }

export type Call = { module: string; name: string; input: unknown }
type Answer = { output: unknown } | { error: unknown }

export type WorkerThread = {
  run: <I, O>(task: Task<I, O>, input: I, signal: AbortSignal) => Promise<O>
  stop: () => Promise<void>
}

/** An idle thread keeps about 30 MB. A new one starts within a fifth of a second. */
const IDLE_MS = 10_000

/**
 * Runs CPU-bound functions off the main thread, one at a time. The thread starts with the first call and ends when it
 * is idle. Aborting a running call terminates the thread, because nothing else interrupts a function.
 */
export function openWorkerThread(idleMs = IDLE_MS): WorkerThread {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function end() {
    clearTimeout(idle)
    const ending = worker
    worker = null
    await ending?.terminate()
  }

  async function runNow(call: Call, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    clearTimeout(idle)
    worker ??= startWorker()
    try {
      return await answerOf(worker, call, signal)
    } catch (error) {
      // A function's own error is answered by a sound thread. A thread that ended or was aborted is of no more use.
      if (!(error instanceof TaskError)) await end()
      throw error instanceof TaskError ? error.cause : error
    } finally {
      idle = setTimeout(end, idleMs).unref()
    }
  }

  return {
    run({ module, run }, input, signal) {
      const result = last.then(() => runNow({ module, name: run.name, input }, signal))
      last = result.catch(() => {})
      return result as ReturnType<typeof run> & Promise<never> // the thread ran this function
    },
    stop: end,
  }
}

/** An error that the function itself has thrown. */
class TaskError extends Error {}

/** Without the flags of the main thread, such as `--watch`. An idle thread must not keep the process alive. */
function startWorker(): Worker {
  const worker = new Worker(new URL('./worker-main.ts', import.meta.url), { execArgv: [] })
  worker.unref()
  return worker
}

/** Rejects when the signal aborts, when the function throws, and when the thread ends, as for lack of memory. */
async function answerOf(worker: Worker, call: Call, signal: AbortSignal): Promise<unknown> {
  const answered = once(worker, 'message', { signal })
  worker.postMessage(call)
  const [answer] = (await answered) as [Answer]
  if ('error' in answer) throw new TaskError('', { cause: answer.error })
  return answer.output
}
