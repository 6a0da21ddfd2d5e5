import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseDown } from '../platform/database/errors.ts'

const TRIES = 3
const MOST_MS = 1000

/**
 * Writes what must not be forgotten: while the database is away it waits for it, until `giveUp`; any other
 * error is tried a few times (two statements may have met badly) and then thrown.
 */
export async function insist<T>(write: () => Promise<T>, giveUp: () => boolean): Promise<T> {
  let failures = 0
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, MOST_MS)) {
    try {
      return await write()
    } catch (error) {
      failures += isDatabaseDown(error) ? 0 : 1
      if (failures >= TRIES || giveUp()) throw error
      await delay(waitMs)
    }
  }
}
