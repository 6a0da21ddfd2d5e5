import type { DashboardStats } from '@sendroom/contract/dashboard'
import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import {
  countJobs,
  countMessages,
  countParticipants,
  countSent,
  findGroupFacts,
  findTopGroups,
} from './dashboard.queries.ts'

/** Counts only what the caller may see. */
export async function getStats(db: Pool, caller: Caller): Promise<DashboardStats> {
  const [groups, totalMessages, jobs, totalSentMessages, topGroups] = await Promise.all([
    countGroups(db, caller),
    countMessages(db, caller),
    countJobs(db, caller),
    countSent(db, caller),
    findTopGroups(db, caller),
  ])
  return { ...groups, totalMessages, ...jobs, totalSentMessages, topGroups: [...topGroups] }
}

/**
 * The numbers of distinct participants, by the fingerprint of the groups. Counting them is slow, so only a sync
 * repeats it.
 */
const participantCounts = new WeakMap<Pool, Map<string, Promise<number>>>()
const MAX_KEPT_COUNTS = 100

async function countGroups(db: Pool, caller: Caller) {
  const { totalGroups, fingerprint } = await findGroupFacts(db, caller)
  const known = participantCounts.get(db) ?? new Map<string, Promise<number>>()
  participantCounts.set(db, known)
  const key = `${totalGroups} ${fingerprint}`
  if (!known.has(key)) {
    if (known.size >= MAX_KEPT_COUNTS) known.clear()
    const counted = countParticipants(db, caller)
    counted.catch(() => known.delete(key))
    known.set(key, counted)
  }
  return { totalGroups, totalUniqueUsers: (await known.get(key)) ?? 0 }
}
