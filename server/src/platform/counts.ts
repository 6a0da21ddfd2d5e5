import type { JobStatus } from '@sendroom/contract/job-life'
import { type Caller, isAdmin } from './access.ts'
import { LOCKS, tryLock } from './database/advisory-lock.ts'
import type { Db, Pool } from './database/connection.ts'
import { forBulkWrites } from './database/session-defaults.ts'
import { type Sql, sql } from './database/sql.ts'

/*
 * The numbers that pages show. Triggers keep them (server/migrations/0033-schema.sql): each change is a row, and a
 * worker adds the rows to the totals. What is read here is always the total plus the rows left, so it is never behind.
 */

export type Counter = 'messages' | 'groups' | 'left groups' | 'sent' | 'people' | JobStatus
export type Counts = Record<Counter, number>

const NO_COUNTS: Counts = {
  ...{ messages: 0, groups: 0, 'left groups': 0, sent: 0, people: 0 },
  ...{ Pending: 0, Running: 0, Completed: 0, Failed: 0, Cancelled: 0 },
}

/** Whose numbers add up to what the caller sees. */
const visibleOwners = (caller: Caller): string[] =>
  isAdmin(caller) ? ['all'] : [...caller.instanceIds.map(String), `user ${caller.id}`, 'shared']

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

export const countJobs = (counts: Counts): number =>
  counts.Pending + counts.Running + counts.Completed + counts.Failed + counts.Cancelled

/** Changes of each kind that one transaction adds up. */
const FOLD_SLICE = 10_000

/**
 * Adds the changes to the totals, in slices. Only one worker at a time does so, and a stop leaves the rest for the next
 * one: what is read is exact after each slice.
 */
export async function foldCounts(db: Pool, isStopping: () => boolean = () => false): Promise<void> {
  const { isNeeded } = await db.one<{ isNeeded: boolean }>(sql`
    select exists (select from count_changes) or exists (select from delivery_changes) as is_needed`)
  if (!isNeeded) return
  for (let isMore = true; isMore && !isStopping(); ) isMore = await db.begin(foldSlice)
}

/** Returns whether there may be more. */
async function foldSlice(tx: Db): Promise<boolean> {
  if (!(await tryLock(tx, LOCKS.counts))) return false
  await forBulkWrites(tx)
  const { deliveries } = await tx.one<{ deliveries: number }>(FOLD_DELIVERIES)
  const { counts } = await tx.one<{ counts: number }>(FOLD_COUNTS)
  await tx.run(sql`delete from sent_to_groups where sent = 0`)
  return deliveries === FOLD_SLICE || counts === FOLD_SLICE
}

const FOLD_DELIVERIES = sql`
  with gone as (
    delete from delivery_changes
    where ctid = any(array(select ctid from delivery_changes limit ${FOLD_SLICE}))
    returning *
  ), by_group as (
    insert into sent_to_groups (group_id, instance_id, sent)
    select group_id, instance_id, sum(sent_now) from gone where group_id is not null
    group by group_id, instance_id having sum(sent_now) <> 0
    on conflict (group_id) do update set sent = sent_to_groups.sent + excluded.sent
  ), by_day as (
    insert into instance_days (instance_id, day, sent, delivered, read, failed)
    select coalesce(instance_id, 0), day, sum(sent), sum(delivered), sum(read), sum(failed)
    from gone where (sent, delivered, read, failed) <> (0, 0, 0, 0)
    group by grouping sets ((instance_id, day), (day))
    on conflict (instance_id, day) do update set sent = instance_days.sent + excluded.sent,
      delivered = instance_days.delivered + excluded.delivered, read = instance_days.read + excluded.read,
      failed = instance_days.failed + excluded.failed
  ), by_instance as (
    insert into count_changes
    select instance_id::text, 'sent', sum(sent_now) from gone group by instance_id having sum(sent_now) <> 0
  )
  select count(*) as deliveries from gone`

const FOLD_COUNTS = sql`
  with gone as (
    delete from count_changes where ctid = any(array(select ctid from count_changes limit ${FOLD_SLICE})) returning *
  ), added as (
    insert into counts (owner, counter, n)
    select coalesce(owner, 'all'), counter, sum(n) from gone group by grouping sets ((owner, counter), (counter))
    on conflict (owner, counter) do update set n = counts.n + excluded.n
  )
  select count(*) as counts from gone`

/**
 * Takes the sent messages of an instance whose jobs are deleted off its numbers, if the retention had deleted their
 * rows before. Call this at the end of a transaction: until then the retention waits.
 */
export async function uncountSentWithoutRows(tx: Db, instanceId: number): Promise<void> {
  // While the rows are being added up, a delete would see neither the old ones nor the new one.
  await tx.run(sql`lock table sent_without_rows in share row exclusive mode`)
  await tx.run(sql`
    with gone as (
      delete from sent_without_rows where instance_id = ${instanceId} returning group_id, sent
    )
    insert into delivery_changes (instance_id, group_id, sent_now, sent, delivered, read, failed)
    select ${instanceId}, group_id, -sum(sent), 0, 0, 0, 0 from gone group by group_id`)
}

/** How much must be added to a number so that it agrees with the rows. `count_differences` says who an `owner` is. */
export type Difference = { owner: string; counter: string; n: number }

/** Compares every kept number with the rows that it counts. Reads all rows: for tests and the doctor. */
export const findCountDifferences = (db: Db): Promise<Difference[]> =>
  db.many<Difference>(sql`select owner, counter, n from count_differences() order by owner, counter`)
