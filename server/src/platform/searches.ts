import type { Pool } from './database/connection.ts'
import { readQuotas } from './quotas.ts'
import { Refusal } from './refusal.ts'

const MAX_WAITING_OF_USER = 20
/** How old the quota may be. */
const QUOTA_MS = 5000
const RETRY_SECONDS = 1

type Turns = { running: number; waiting: (() => void)[] }

/** Runs some searches of a user at once, and lets the others wait. So a user's many searches do not slow down others. */
export function limitSearches(db: Pool) {
  const users = new Map<number, Turns>()
  let quota = { atOnce: Promise.resolve(0), at: Number.NEGATIVE_INFINITY }

  function readQuota(): Promise<number> {
    if (performance.now() - quota.at < QUOTA_MS) return quota.atOnce
    const atOnce = readQuotas(db).then(({ searchesAtOnce }) => searchesAtOnce)
    atOnce.catch(() => {
      quota.at = Number.NEGATIVE_INFINITY
    })
    quota = { atOnce, at: performance.now() }
    return atOnce
  }

  return async function search<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const atOnce = await readQuota()
    const turns = users.get(userId) ?? { running: 0, waiting: [] }
    users.set(userId, turns)
    if (turns.running < atOnce) turns.running++
    else if (turns.waiting.length >= MAX_WAITING_OF_USER)
      throw new Refusal('quota_searches', { limit: atOnce }, RETRY_SECONDS)
    // The search that ends gives its turn to the next one.
    else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = turns.waiting.shift()
      if (next) next()
      else turns.running--
      if (turns.running === 0) users.delete(userId)
    }
  }
}
