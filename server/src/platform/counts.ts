import type { JobStatus } from '@sendroom/contract/job-life'
import { type Caller, isAdmin } from './access.ts'
import type { Db } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'

/*
 * The numbers that pages show. Triggers keep them: each change is a row, and a worker adds the rows to the totals
 * (count-fold.ts). What is read here is always the total plus the rows left, so it is never behind.
 *
 * Kept are messages, groups, channels, jobs by status, what was sent and distinct people, by account and author,
 * contacts, and those of each fixed list (`counts`); what was sent by day (`instance_days`) and by group
 * (`sent_to_groups`); the outcomes of each job (`job_counts`) and its failures (`jobs.failed_count`).
 * `count_differences()` compares all of them with the rows. `doctor` reports what differs, and `doctor --repair` adds
 * it while jobs run (count-repair.ts).
 * Decision 21 says what each table costs.
 */

export type Counter = Place | `left ${Place}` | 'messages' | 'sent' | 'people' | 'contacts' | JobStatus
type Place = 'groups' | 'channels'
export type Counts = Record<Counter, number>

const NO_COUNTS: Counts = {
  ...{ groups: 0, 'left groups': 0, channels: 0, 'left channels': 0 },
  ...{ messages: 0, sent: 0, people: 0, contacts: 0 },
  ...{ Pending: 0, Running: 0, Completed: 0, Failed: 0, Cancelled: 0 },
}

/** Whose numbers add up to what the caller sees. */
const visibleOwners = (caller: Caller): string[] => (isAdmin(caller) ? ['all'] : ownersOf(caller))

const ownersOf = ({ id, instanceIds, canManageContacts }: Caller): string[] => [
  ...instanceIds.map(String),
  `user ${id}`,
  'shared',
  ...(canManageContacts ? ['contacts'] : []),
]

/** The instances among these that the caller sees. */
const visibleOf = (caller: Caller, instanceIds: readonly number[]): string[] =>
  instanceIds.filter((id) => isAdmin(caller) || caller.instanceIds.includes(id)).map(String)

/** Returns the numbers of what the caller sees: of all, or of some instances. */
export async function readCounts(db: Db, caller: Caller, instanceIds?: readonly number[]): Promise<Counts> {
  const owners = instanceIds ? visibleOf(caller, instanceIds) : visibleOwners(caller)
  const isOf = (owner: Sql) => (owners[0] === 'all' ? sql`true` : sql`${owner} = any(${owners})`)
  const rows = await db.many<{ counter: Counter; n: number }>(sql`
    select counter, sum(n) as n from (
      select counter, n from counts where owner = any(${owners})
      union all
      select counter, n from count_changes where ${isOf(sql`owner`)}
      union all
      select 'sent', sent_now from delivery_changes where ${isOf(sql`instance_id::text`)}
    ) as part
    group by counter`)
  return { ...NO_COUNTS, ...Object.fromEntries(rows.map(({ counter, n }) => [counter, n])) }
}

/** Returns the number of contacts of each of these fixed lists. Those without any are left out. */
export async function readListSizes(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const owners = ids.map((id) => `list ${id}`)
  const rows = await db.many<{ id: number; n: number }>(sql`
    select substring(owner from '\\d+')::bigint as id, sum(n) as n from (
      select owner, n from counts where owner = any(${owners}) union all
      select owner, n from count_changes where owner = any(${owners})
    ) as part
    group by owner`)
  return new Map(rows.map(({ id, n }) => [id, n]))
}

export const countJobs = (counts: Counts): number =>
  counts.Pending + counts.Running + counts.Completed + counts.Failed + counts.Cancelled

/** How much must be added to a number so that it agrees with the rows. `count_differences` says who an `owner` is. */
export type Difference = { owner: string; counter: string; n: number }

/** Compares every kept number with the rows that it counts. Reads all rows: for tests and the doctor. */
export const findCountDifferences = (db: Db): Promise<Difference[]> =>
  db.many<Difference>(sql`select owner, counter, n from count_differences() order by owner, counter`)
