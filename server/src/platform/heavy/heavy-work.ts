import { Refusal } from '../refusal.ts'
import { type Entry, openTurnstile } from '../turnstile.ts'
import { openWorkerThread, type Task } from './worker-thread.ts'

/** The tools of a piece of heavy work: a signal to stop at, and the worker thread for the part that needs the CPU. */
export type HeavyContext = {
  signal: AbortSignal
  inWorker: <I, O>(task: Task<I, O>, input: I) => Promise<O>
}

export type HeavyRequest = Entry & { signal: AbortSignal }

export type HeavyWork = {
  run: <T>(request: HeavyRequest, work: (context: HeavyContext) => Promise<T>) => Promise<T>
  /** Ends running work and refuses what waits. */
  stop: () => Promise<void>
}

/** A waiting request keeps its body in memory, at most 6 MB. */
const LIMITS = { ofUser: 1, waitingOfUser: 5, waitingInAll: 10, retrySeconds: 2 }

/** Limits the requests that take long or much memory: one of each user and `inAll` in all run at a time. */
export function openHeavyWork(inAll = 2): HeavyWork {
  const thread = openWorkerThread()
  const stopping = new AbortController()
  const turnstile = openTurnstile({ ...LIMITS, inAll })
  return {
    async run(request, work) {
      const signal = AbortSignal.any([request.signal, stopping.signal])
      try {
        return await turnstile.run({ ...request, signal }, () =>
          work({ signal, inWorker: (task, input) => thread.run(task, input, signal) }),
        )
      } catch (error) {
        // Browsers ask again after this answer, which a client that has left does not get.
        throw signal.aborted ? new Refusal('unavailable', {}, LIMITS.retrySeconds) : error
      }
    },
    async stop() {
      stopping.abort()
      await thread.stop()
    },
  }
}
