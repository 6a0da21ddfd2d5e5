import { setTimeout as delay } from 'node:timers/promises'

type Falsy = false | null | undefined | ''

/**
 * Calls `check` every 10 ms, later less often, up to every 100 ms, until it returns something truthy, and returns that.
 * Throws after `withinMs` with `what` as the description of what did not happen.
 */
export async function until<T>(
  what: string,
  check: () => T | Falsy | Promise<T | Falsy>,
  withinMs = 50_000,
): Promise<T> {
  const begin = Date.now()
  for (;;) {
    const answer = await check()
    if (answer) return answer
    const waitedMs = Date.now() - begin
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs / 1000} s in vain: ${what}`)
    // A user may make 1,200 requests a minute.
    await delay(Math.min(Math.max(10, waitedMs / 10), 100))
  }
}
