import { setTimeout as delay } from 'node:timers/promises'

type Falsy = false | null | undefined | ''

/**
 * Calls `check` every 10 ms until it returns something truthy, and returns that. Throws after `withinMs` with `what` as
 * the description of what did not happen.
 */
export async function until<T>(
  what: string,
  check: () => T | Falsy | Promise<T | Falsy>,
  withinMs = 50_000,
): Promise<T> {
  const begin = performance.now()
  for (;;) {
    const answer = await check()
    if (answer) return answer
    if (performance.now() - begin > withinMs) throw new Error(`Waited ${withinMs / 1000} s in vain: ${what}`)
    await delay(10)
  }
}
