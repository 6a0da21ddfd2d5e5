import type { DashboardStats } from '@sendroom/contract/dashboard'
import type { Caller } from '../../platform/access.ts'
import { countJobs, readCounts } from '../../platform/counts.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { findTopGroups } from './dashboard.queries.ts'
import { findPeopleCount, visibleKey } from './people.queries.ts'
import { currentPeople } from './people.ts'

/** Counts only what the caller may see. */
export async function getStats(db: Pool, caller: Caller): Promise<DashboardStats> {
  const [counts, people, topGroups] = await Promise.all([
    readCounts(db, caller),
    findPeopleCount(db, visibleKey(caller)),
    findTopGroups(db, caller),
  ])
  return {
    totalGroups: counts.groups,
    totalMessages: counts.messages,
    totalJobs: countJobs(counts),
    pendingJobs: counts.Pending,
    runningJobs: counts.Running,
    completedJobs: counts.Completed,
    failedJobs: counts.Failed,
    totalUniqueUsers: await currentPeople(db, caller, people, counts.people),
    totalSentMessages: counts.sent,
    topGroups,
  }
}
