import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from './backoff.ts'
import type { Pool } from './database/connection.ts'
import { isDatabaseDown } from './database/errors.ts'
import { openWorkLock } from './work-lock.ts'

/** Something that is done again and again, by the clock. `server/src/recurring-work.ts` lists them all. */
export type Task = {
  name: string
  /** Ms from the end of a run to the beginning of the next. A failed run is repeated later, if the failures go on. */
  every: number
  /**
   * `one`: only the process that holds the lock runs the task, so never two at a time, but for a moment after the lock
   * was lost. `each`: every process that has the task, so its runs claim what they work on.
   */
  by: 'one' | 'each'
  /**
   * How many runs of this task may go on at a time in a process of `each`. The default is one. A further one begins
   * only while others go on, so a task that finds nothing to do looks no more often than any other.
   */
  atOnce?: number
  /** `signal` aborts when the process stops, or has lost the lock. */
  run: (signal: AbortSignal) => Promise<unknown>
}

type Log = { error: (details: object, sentence: string) => void }

/**
 * A task whose interval is longer runs first after this time: not at the start, which others wait for, and not so late
 * that processes which run for a day never run a daily task.
 */
const FIRST_RUN_MS = 60_000
const MAX_BACKOFF_MS = 60_000
/**
 * How long a stop waits for tasks that run. What a task writes it writes in transactions, so the rest is done later.
 */
const STOP_MS = 10_000

/**
 * Runs the tasks, each at its own interval. None waits for another, and an error is logged with the name of its task.
 * Of all processes on a database one runs the tasks by `one`.
 *
 * @param db where the lock is held, by a connection of its own
 * @returns a function that begins no more runs, and waits 10 s at most for those that go on
 */
export function startTasks(tasks: readonly Task[], db: Pool, log: Log): () => Promise<void> {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const lock = tasks.some(({ by }) => by === 'one') ? openWorkLock(db, stopping.signal, log) : null
  const sleep = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
  const mayRun = (by: Task['by']) => (by === 'each' ? stopping.signal : (lock?.held() ?? null))

  async function repeat({ name, every, by, atOnce = 1, run }: Task) {
    const going = new Set<Promise<void>>()
    const first = Math.min(every, FIRST_RUN_MS)
    let wait = first
    let failures = 0
    let restsUntil = 0

    async function tryRun(signal: AbortSignal) {
      try {
        await run(signal)
        failures = 0
      } catch (error) {
        // The pool logs once that the database is unavailable. As soon as it is back, work goes on.
        if (isDatabaseDown(error) || signal.aborted) {
          wait = first
          return
        }
        log.error({ err: error, task: name }, 'A recurring task failed and will be tried again')
        // The task rests a share of the time for each failure. One run that fails then hardly delays the others.
        const rest = backoffMs(Math.floor(failures++ / atOnce), MAX_BACKOFF_MS, Math.random())
        restsUntil = Math.max(performance.now(), restsUntil) + Math.max(every, rest) / atOnce
        wait = 0
      }
    }

    for (;;) {
      await sleep(Math.max(wait, restsUntil - performance.now()))
      if (stopping.signal.aborted) break
      wait = first
      const signal = mayRun(by)
      if (!signal) continue
      wait = every
      const attempt = tryRun(signal).finally(() => going.delete(attempt))
      going.add(attempt)
      // A run that lasts has found something to do, so there may be more.
      if (going.size === atOnce) await Promise.race(going)
      else if (await lasts(attempt, every / atOnce)) wait = 0
    }
    await Promise.all(going)
  }

  const running = Promise.all(tasks.map(repeat))
  return async () => {
    stopping.abort()
    await lasts(running, STOP_MS)
    await lock?.release()
  }
}

/** Waits for `work`, which never rejects, but no longer than so many ms. Returns whether it goes on. */
function lasts(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, true)
  void work.then(() => {
    clearTimeout(timer)
    resolve(false)
  })
  return promise
}
