import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { countPeople, type PeopleCount, visibleKey } from './people.queries.ts'

/** So many rows are counted in some milliseconds, while the reader waits. */
const FEW = 5_000
/**
 * Counting takes about 1 µs a row. With this pause it takes a twentieth of the time, however often participants change.
 */
const PAUSE_MS_PER_ROW = 0.02

/** The counts that run now, by database and key. */
const running = new WeakMap<Pool, Map<string, Promise<number>>>()

/**
 * Returns the number of distinct people in the groups that the caller sees. Distinct people of several instances are no
 * sum, so a change means counting again. Where that takes long, the answer is the former number meanwhile: after a sync
 * of a million participants it may be twenty seconds old.
 *
 * @param version The caller's counter 'people', which grows with each change.
 */
export async function currentPeople(
  db: Pool,
  caller: Caller,
  known: PeopleCount | null,
  version: number,
): Promise<number> {
  if (known?.version === version) return known.people
  if (!known || known.participants <= FEW) return countOnce(db, caller, version)
  // The next reader tries again if this fails.
  if (known.ageMs > known.participants * PAUSE_MS_PER_ROW) countOnce(db, caller, version).catch(() => {})
  return known.people
}

function countOnce(db: Pool, caller: Caller, version: number): Promise<number> {
  const counts = running.get(db) ?? new Map<string, Promise<number>>()
  running.set(db, counts)
  const key = visibleKey(caller)
  const counting = counts.get(key) ?? countPeople(db, caller, key, version).finally(() => counts.delete(key))
  counts.set(key, counting)
  return counting
}
