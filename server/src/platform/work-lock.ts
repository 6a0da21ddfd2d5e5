import { setTimeout as delay } from 'node:timers/promises'
import { LOCKS, tryLock } from './database/advisory-lock.ts'
import type { Db, Pool } from './database/connection.ts'
import { isDatabaseDown } from './database/errors.ts'

const TIMES = {
  /** How often the holder shows that it still runs, and the others look whether the lock is free. */
  lookEveryMs: 2_000,
  /**
   * A sign of life older than this proves nothing. PostgreSQL ends a session that shows none for 15 s, and with it the
   * lock (`idle_in_transaction_session_timeout`).
   */
  believedMs: 10_000,
}
const END_MS = 1_000

type Log = { error: (details: object, sentence: string) => void }

/**
 * Which process does the work of `one` process: the one that holds an advisory lock. It is held by a transaction on a
 * connection of its own, so it ends with the process, the machine or the connection, and needs no row, no clock and no
 * session that a pooler would share. The transaction has no snapshot, so it keeps no dead row from being cleaned up.
 */
export function openWorkLock(shared: Pool, stopping: AbortSignal, log: Log, times = TIMES) {
  let db = shared.dedicated()
  const releasing = new AbortController()
  const sleep = () => delay(times.lookEveryMs, undefined, { signal: releasing.signal }).catch(() => {})
  let current: { signal: AbortSignal; aliveAt: number } | null = null

  /** TCP would go on for a quarter of an hour with a connection that was cut in silence. */
  function cut() {
    void db.end(0)
    db = shared.dedicated()
  }

  async function holdIfFree(tx: Db, silence: NodeJS.Timeout) {
    // The time of the question, because a process that stood still may read an answer from before.
    let askedAt = performance.now()
    if (!(await tryLock(tx, LOCKS.recurringWork))) return
    const lost = new AbortController()
    const hold = { signal: AbortSignal.any([stopping, lost.signal]), aliveAt: askedAt }
    current = hold
    try {
      while (!releasing.signal.aborted) {
        askedAt = performance.now()
        // The result of a prepared query would keep its snapshot until the next one. A script leaves nothing open.
        await tx.script('select 1')
        hold.aliveAt = askedAt
        silence.refresh()
        await sleep()
      }
    } finally {
      current = null
      lost.abort()
    }
  }

  async function hold() {
    while (!releasing.signal.aborted) {
      const silence = setTimeout(cut, times.believedMs)
      await db
        .begin((tx) => holdIfFree(tx, silence))
        .catch((error) => {
          if (!isDatabaseDown(error))
            log.error({ err: error }, 'The lock for recurring work failed and will be tried again')
        })
        .finally(() => clearTimeout(silence))
      await sleep()
    }
  }
  const holding = hold()

  return {
    /** A signal that aborts with the lock, or null: another process has it. */
    held: () => (current && performance.now() - current.aliveAt < times.believedMs ? current.signal : null),
    async release() {
      releasing.abort()
      await db.end(END_MS)
      await holding
    },
  }
}
