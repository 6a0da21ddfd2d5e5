import type { Caller } from '../access.ts'
import { turnOf } from '../api-keys.ts'
import { Refusal } from '../refusal.ts'
import { type Entry, openTurnstile } from '../turnstile.ts'
import { openWorkerThread, type Task } from './worker-thread.ts'

/** The tools of a piece of heavy work: a signal to stop at, and the worker thread for the part that needs the CPU. */
export type HeavyContext = {
  signal: AbortSignal
  inWorker: <I, O>(task: Task<I, O>, input: I) => Promise<O>
}

export type HeavyRequest = Pick<Entry, 'replaces'> & {
  caller: Pick<Caller, 'id' | 'apiKey'>
  /** Aborts when the client has left. */
  signal: AbortSignal
}

export type HeavyWork = {
  run: <T>(request: HeavyRequest, work: (context: HeavyContext) => Promise<T>) => Promise<T>
  /** Ends running work and refuses what waits. */
  stop: () => Promise<void>
}

/** A waiting request keeps its body in memory, at most 6 MB. */
const LIMITS = { ofUser: 1, waitingOfUser: 5, waitingInAll: 10, retrySeconds: 2 }

/**
 * Limits the requests that take long or much memory: one of each user, one of the user's API keys, and `inAll` in all
 * run at a time.
 */
export function openHeavyWork(inAll = 2): HeavyWork {
  const thread = openWorkerThread()
  const stopping = new AbortController()
  const turnstile = openTurnstile({ ...LIMITS, inAll })
  return {
    async run({ caller, ...request }, work) {
      const signal = AbortSignal.any([request.signal, stopping.signal])
      try {
        return await turnstile.run({ ...request, userId: turnOf(caller), signal }, () =>
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
