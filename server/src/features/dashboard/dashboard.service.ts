import type { DashboardStats } from '@sendroom/contract/dashboard'
import type { Caller } from '../../platform/access.ts'
import type { Sql } from '../../platform/database/connection.ts'
import {
  countJobs,
  countMessages,
  countParticipants,
  countSent,
  findGroupFacts,
  findTopGroups,
} from './dashboard.queries.ts'

/** The numbers of what the caller may see. */
export async function getStats(sql: Sql, caller: Caller): Promise<DashboardStats> {
  const [groups, totalMessages, jobs, totalSentMessages, topGroups] = await Promise.all([
    countGroups(sql, caller),
    countMessages(sql, caller),
    countJobs(sql, caller),
    countSent(sql, caller),
    findTopGroups(sql, caller),
  ])
  return { ...groups, totalMessages, ...jobs, totalSentMessages, topGroups: [...topGroups] }
}

/** Distinct participants by the fingerprint of the groups they are in: counted anew only after a sync. */
const participants = new WeakMap<Sql, Map<string, Promise<number>>>()
const KEPT = 100

async function countGroups(sql: Sql, caller: Caller) {
  const { totalGroups, fingerprint } = await findGroupFacts(sql, caller)
  const known = participants.get(sql) ?? new Map<string, Promise<number>>()
  participants.set(sql, known)
  const key = `${totalGroups} ${fingerprint}`
  if (!known.has(key)) {
    if (known.size >= KEPT) known.clear()
    const counted = countParticipants(sql, caller)
    counted.catch(() => known.delete(key))
    known.set(key, counted)
  }
  return { totalGroups, totalUniqueUsers: (await known.get(key)) ?? 0 }
}
