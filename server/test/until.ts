import { setTimeout as delay } from 'node:timers/promises'

type Not = false | null | undefined | ''

/** Asks again and again until the answer is truthy, and returns it; throws when that takes too long. */
export async function until<T>(
  what: string,
  check: () => T | Not | Promise<T | Not>,
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
