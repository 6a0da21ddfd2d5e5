import { setTimeout as delay } from 'node:timers/promises'
import { LOCKS, tryLock } from './database/advisory-lock.ts'
import type { Db, Pool } from './database/connection.ts'
import { isDatabaseDown } from './database/errors.ts'

/** How often the holder shows that it still runs, and the others look whether the lock is free. */
const LOOK_EVERY_MS = 2_000
/**
 * An answer older than this proves nothing. PostgreSQL ends a session that shows no life for 15 s, and with it the lock
 * (`idle_in_transaction_session_timeout`).
 */
const BELIEVED_MS = 10_000
const END_MS = 1_000

type Log = { error: (details: object, sentence: string) => void }

/**
 * Which process does the work of `one` process: the one that holds an advisory lock. It is held by a transaction on a
 * connection of its own, so it ends with the process, the machine or the connection, and needs no row, no clock and no
 * session that a pooler would share. The transaction has no snapshot, so it keeps no dead row from being cleaned up.
 */
export function openWorkLock(shared: Pool, stopping: AbortSignal, log: Log) {
  const db = shared.dedicated()
  const releasing = new AbortController()
  const sleep = () => delay(LOOK_EVERY_MS, undefined, { signal: releasing.signal }).catch(() => {})
  let current: { signal: AbortSignal; answeredAt: number } | null = null

  async function holdIfFree(tx: Db) {
    if (!(await tryLock(tx, LOCKS.recurringWork))) return
    const lost = new AbortController()
    const hold = { signal: AbortSignal.any([stopping, lost.signal]), answeredAt: performance.now() }
    current = hold
    try {
      while (!releasing.signal.aborted) {
        // The result of a prepared query would keep its snapshot until the next one. A script leaves nothing open.
        await tx.script('select 1')
        hold.answeredAt = performance.now()
        await sleep()
      }
    } finally {
      current = null
      lost.abort()
    }
  }

  async function hold() {
    while (!releasing.signal.aborted) {
      await db.begin(holdIfFree).catch((error) => {
        if (!isDatabaseDown(error))
          log.error({ err: error }, 'The lock for recurring work failed and will be tried again')
      })
      await sleep()
    }
  }
  const holding = hold()

  return {
    /** A signal that aborts with the lock, or null: another process has it. */
    held: () => (current && performance.now() - current.answeredAt < BELIEVED_MS ? current.signal : null),
    async release() {
      releasing.abort()
      await db.end(END_MS)
      await holding
    },
  }
}
