import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseDown } from '../../platform/database/errors.ts'

const MAX_FAILURES = 3
const MAX_WAIT_MS = 1000

/**
 * Repeats a write that must not be lost. While the database is down it waits, until `giveUp` returns true. Any other
 * error, such as a deadlock, is thrown the third time.
 */
export async function retryUntilSaved<T>(write: () => Promise<T>, giveUp: () => boolean): Promise<T> {
  let failures = 0
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await write()
    } catch (error) {
      failures += isDatabaseDown(error) ? 0 : 1
      if (failures >= MAX_FAILURES || giveUp()) throw error
      await delay(waitMs)
    }
  }
}
