import { isDatabaseDown } from '../platform/database/errors.ts'
import { backoffMs } from './shared/backoff.ts'

/** Something that a worker does again and again. */
export type LoopStep = {
  name: string
  /** Ms between two runs; 0 for every pass of the loop. */
  every: number
  /** Returns 'running' if its work goes on beside the loop. Then this run does not count as a success. */
  run: () => Promise<unknown>
}

type Log = { error: (details: object, sentence: string) => void }

const MAX_BACKOFF_MS = 60_000

/**
 * Runs the steps in their order, once per pass. A step that fails is logged and left out for a while, longer with each
 * failure in a row; the other steps continue. Sends run in tasks of their own (engine.ts), so a step that fails, such as
 * applying receipts, does not stop them. While the database is down the rest of the pass is skipped; the pool logs that.
 *
 * @param maxBackoffMs the longest time for which a step that fails is left out
 */
export function openLoop(steps: LoopStep[], log: Log, maxBackoffMs = MAX_BACKOFF_MS) {
  const state = new Map(steps.map((step) => [step, { nextAt: Number.NEGATIVE_INFINITY, failures: 0 }]))

  function reportError(error: unknown, where: object = {}) {
    if (!isDatabaseDown(error)) log.error({ err: error, ...where }, 'The engine hit an error and continues')
  }

  async function pass() {
    for (const step of steps) {
      const own = state.get(step)
      if (!own || performance.now() < own.nextAt) continue
      own.nextAt = performance.now() + step.every
      try {
        if ((await step.run()) !== 'running') own.failures = 0
      } catch (error) {
        reportError(error, { step: step.name })
        if (isDatabaseDown(error)) return
        own.nextAt =
          performance.now() + Math.max(step.every, backoffMs(own.failures++, maxBackoffMs, Math.random()))
      }
    }
  }

  return { pass, reportError }
}

/**
 * Makes the step of a loop from work that may take long: the work goes on beside the loop, and the other steps with it.
 * The next run of the step reports how the work ended, which gives it the loop's back-off. `track` keeps the running work
 * from being forgotten at a stop.
 */
export function beside(
  work: () => Promise<unknown>,
  track: (working: Promise<void>) => void,
): LoopStep['run'] {
  let last: 'idle' | 'running' | 'succeeded' | { error: unknown } = 'idle'
  async function runWork() {
    try {
      await work()
      last = 'succeeded'
    } catch (error) {
      last = { error }
    }
  }
  return async () => {
    const ended = last
    if (ended === 'running') return 'running'
    last = 'idle'
    if (typeof ended === 'object') throw ended.error
    last = 'running'
    track(runWork())
    return ended === 'succeeded' ? ended : 'running'
  }
}

/** A sleep that `wake` ends early. A wake between two sleeps ends the next one. */
export function interruptibleSleep() {
  let isAwake = false
  let interrupt: (() => void) | null = null
  return {
    wake: () => {
      isAwake = true
      interrupt?.()
    },
    sleep: async (ms: number) => {
      if (!isAwake)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          interrupt = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      isAwake = false
      interrupt = null
    },
  }
}
