import type { Pool } from './database/connection.ts'
import { readQuotas } from './quotas.ts'
import { Refusal } from './refusal.ts'
import { openTurns } from './turns.ts'

const MAX_WAITING_OF_USER = 20
/** How old the quota may be. */
const QUOTA_MS = 5000
const RETRY_SECONDS = 1

/** Lets a user have as many searches at once as the quota says. */
export function limitSearches(db: Pool) {
  const inTurn = openTurns()
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
    const whenFull = () => new Refusal('quota_searches', { limit: atOnce }, RETRY_SECONDS)
    return inTurn(userId, { atOnce, waiting: MAX_WAITING_OF_USER, whenFull }, work)
  }
}
