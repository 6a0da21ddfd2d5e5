import { backoffMs } from '../platform/backoff.ts'
import { isDatabaseDown } from '../platform/database/errors.ts'

/**
 * A look for work that is due: each pass takes what rows say is due, and begins it. What is done by the clock instead
 * is a recurring task (server/src/recurring-work.ts).
 */
type LoopStep = { name: string; run: () => Promise<unknown> }

/** The answer of a step after which the rest of the pass has nothing to do. */
export const NOTHING_TO_DO = Symbol('nothing to do')

type Log = { error: (details: object, sentence: string) => void }

const MAX_BACKOFF_MS = 60_000

/**
 * Runs the steps in their order, once per pass. A step that fails is logged and left out for a while, longer with each
 * failure in a row; the other steps continue. Sends run in tasks of their own (engine.ts), so a step that fails does
 * not stop them. While the database is down the rest of the pass is skipped; the pool logs that.
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
      try {
        const answer = await step.run()
        own.failures = 0
        if (answer === NOTHING_TO_DO) return
      } catch (error) {
        reportError(error, { step: step.name })
        if (isDatabaseDown(error)) return
        own.nextAt = performance.now() + backoffMs(own.failures++, maxBackoffMs, Math.random())
      }
    }
  }

  return { pass, reportError }
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
