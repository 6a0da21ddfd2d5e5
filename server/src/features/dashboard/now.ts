import type { DashboardJob, DashboardNow } from '@sendroom/contract/dashboard'
import { expectEnds, whyAllWait } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import { readCounts } from '../../platform/counts.ts'
import type { Pool } from '../../platform/database/connection.ts'
import * as queries from './now.queries.ts'

/** Reads what needs attention and what goes on, in a constant number of queries. */
export async function getNow(db: Pool, caller: Caller): Promise<DashboardNow> {
  const [instances, stuck, failed, running, upcoming, counts, possibleOptOuts, hasGeneratedPassword] =
    await Promise.all([
      queries.findInstancesInTrouble(db, caller),
      queries.findStuckJobs(db, caller),
      queries.findFailedJobs(db, caller),
      queries.findRunningJobs(db, caller),
      queries.findUpcomingJobs(db, caller),
      readCounts(db, caller),
      queries.countPossibleOptOuts(db, caller),
      queries.signsInWithGenerated(db, caller),
    ])
  const known = await findOutlook(db, [...stuck, ...running, ...upcoming])
  return {
    accounts: {
      total: totalOf(instances),
      first: instances.map(({ instance, reason, until }) => ({ instance, reason, until })),
    },
    waitingJobs: { total: totalOf(stuck), first: stuck.map(known) },
    failedJobs: { total: totalOf(failed), first: failed.map(known) },
    runningJobs: { total: counts.Running, first: running.map(known) },
    upcomingJobs: { total: counts.Pending, first: upcoming.map(known) },
    possibleOptOuts,
    hasGeneratedPassword,
  }
}

const totalOf = (rows: { total: number }[]) => rows[0]?.total ?? 0

/** Returns a function that adds to a job why it waits and when it ends. */
async function findOutlook(db: Pool, jobs: queries.JobFacts[]) {
  const [reasons, ends] = await Promise.all([
    whyAllWait(db, [...new Set(jobs.map(({ id }) => id))]),
    expectEnds(db, jobs),
  ])
  return ({ left, ...job }: queries.JobFacts): DashboardJob => ({
    ...job,
    ...(reasons.get(job.id) ?? { waiting: null, nextSendAt: null }),
    endsAt: ends.get(job.id)?.endsAt ?? null,
  })
}
