import { setTimeout as delay } from 'node:timers/promises'
import { lock } from './advisory-lock.ts'
import type { Pool } from './connection.ts'
import { type Sql, sql } from './sql.ts'

/** The connection of a killed process may outlast it by some milliseconds. */
const PATIENCE = '3s'
/** Less than `idle_in_transaction_session_timeout`, which ends the lock of a machine that has lost its power. */
const HEARTBEAT_MS = 5_000
const RETRY_MS = 1_000

/**
 * Takes a lock that lasts until it is released, or until this process ends in whatever way. Returns null if another
 * process has the lock. If the database restarts, the lock is taken again.
 *
 * @returns a function that releases the lock
 */
export async function lockForProcess(db: Pool, key: Sql): Promise<(() => Promise<void>) | null> {
  const own = db.dedicated()
  const stopping = new AbortController()
  const sleep = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
  const first = Promise.withResolvers<boolean>()

  const hold = () =>
    own.begin(async (tx) => {
      await tx.run(sql`select set_config('lock_timeout', ${PATIENCE}, true)`)
      await lock(tx, key)
      first.resolve(true)
      // In a transaction, the result of a prepared query stays open until the next one, and its snapshot with it:
      // nothing deleted since could be cleaned up. A script leaves nothing open.
      while (!stopping.signal.aborted) {
        await tx.script('select 1')
        await sleep(HEARTBEAT_MS)
      }
    })

  async function holdUntilReleased() {
    while (!stopping.signal.aborted) {
      await hold().catch((error) => (isTaken(error) ? first.resolve(false) : first.reject(error)))
      await sleep(RETRY_MS)
    }
  }

  const holding = holdUntilReleased()
  async function release() {
    stopping.abort()
    await holding
    await own.end()
  }
  try {
    if (await first.promise) return release
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return null
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03'
