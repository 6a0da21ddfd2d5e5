import type { Pool } from './database/connection.ts'
import { readQuotas } from './quotas.ts'
import { Refusal } from './refusal.ts'
import { type Limits, openTurnstile } from './turnstile.ts'

/** Runs `work` when it is the user's turn. So a user's many requests do not slow down others. */
export type InTurn = <T>(userId: number | string, work: () => Promise<T>) => Promise<T>

/**
 * A quarter of the server's connections run: most requests use one at a time, and each one that waits for a lock holds
 * it. A busy page has a dozen requests, and a user several pages.
 */
const REQUESTS: Limits = { ofUser: 5, waitingOfUser: 200, retrySeconds: 1 }

export function limitRequests(): InTurn {
  const { run } = openTurnstile(REQUESTS)
  return (userId, work) => run({ userId }, work)
}

/** How old the quota of searches may be. */
const QUOTA_MS = 5000

/** Lets a user have as many searches at once as the quota says. */
export function limitSearches(db: Pool): InTurn {
  const limits: Limits = { ofUser: 0, waitingOfUser: 20, retrySeconds: 1, tooMany }
  const { run } = openTurnstile(limits)
  let quota = { ofUser: Promise.resolve(0), at: Number.NEGATIVE_INFINITY }

  function tooMany() {
    return new Refusal('quota_searches', { limit: limits.ofUser }, limits.retrySeconds)
  }

  function readQuota(): Promise<number> {
    if (performance.now() - quota.at < QUOTA_MS) return quota.ofUser
    const ofUser = readQuotas(db).then(({ searchesAtOnce }) => searchesAtOnce)
    ofUser.catch(() => {
      quota.at = Number.NEGATIVE_INFINITY
    })
    quota = { ofUser, at: performance.now() }
    return ofUser
  }

  return async (userId, work) => {
    limits.ofUser = await readQuota()
    return run({ userId }, work)
  }
}
