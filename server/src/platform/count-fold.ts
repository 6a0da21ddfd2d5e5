import { LOCKS, tryLock } from './database/advisory-lock.ts'
import type { Db, Pool } from './database/connection.ts'
import { forBulkWrites } from './database/session-defaults.ts'
import { sql } from './database/sql.ts'

/*
 * Adds the changes of the kept numbers (counts.ts) to the totals, one worker at a time.
 */

/** Changes of each kind that one transaction adds up. */
const FOLD_SLICE = 10_000

/** Recurring work: adds up all changes, in slices. A stop leaves the rest: what is read is exact after each slice. */
export async function foldCounts(db: Pool, isStopping: () => boolean = () => false): Promise<void> {
  const { hasChanges, hasOldOutcomes } = await db.one<{ hasChanges: boolean; hasOldOutcomes: boolean }>(sql`
    select exists (select from count_changes) or exists (select from delivery_changes) as has_changes, exists (
      select from job_counts where at > 'epoch' and at <= clock_now() - interval '2 minutes') as has_old_outcomes`)
  // Once a minute, because each time writes the totals of all jobs that run.
  if (hasOldOutcomes) await db.begin(foldOutcomes)
  for (let isMore = hasChanges; isMore && !isStopping(); ) isMore = await db.begin(foldSlice)
}

/** The outcomes of the last minute are the rate of their job, so they stay. */
async function foldOutcomes(tx: Db): Promise<void> {
  if (!(await tryLock(tx, LOCKS.counts))) return
  await forBulkWrites(tx)
  await tx.run(sql`
    with changed as (
      select distinct job_id from job_counts where at > 'epoch' and ${isOld}
    ), free as (
      -- Whoever deletes jobs locks their counts in another order. Waiting for each other would be a deadlock.
      select c.ctid from job_counts c join changed using (job_id) where ${isOld} for update of c skip locked
    ), gone as (
      delete from job_counts where ctid = any(array(select ctid from free)) returning *
    )
    insert into job_counts
    select job_id, 'epoch', sum(sent), sum(failed), sum(skipped), sum(unknown), sum(delivered), sum(read)
    from gone group by job_id`)
}

const isOld = sql`at <= clock_now() - interval '1 minute'`

/** Returns whether there may be more. */
async function foldSlice(tx: Db): Promise<boolean> {
  if (!(await tryLock(tx, LOCKS.counts))) return false
  await forBulkWrites(tx)
  const { deliveries } = await tx.one<{ deliveries: number }>(FOLD_DELIVERIES)
  const { counts } = await tx.one<{ counts: number }>(FOLD_COUNTS)
  await tx.run(sql`delete from sent_to_groups where sent = 0`)
  await tx.run(sql`delete from counts where n = 0 and counter = 'listed'`)
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
 * Adds up what no row shows any more. Each slice that the retention deletes adds a row for each group and day, which
 * would be as many rows in the end as there were messages.
 */
export async function addUpWithoutRows(tx: Db): Promise<void> {
  await forBulkWrites(tx)
  await tx.run(sql`
    with several as (
      select instance_id, coalesce(group_id, 0) as group_id from sent_without_rows group by 1, 2 having count(*) > 1
    ), gone as (
      delete from sent_without_rows w using several
      where w.instance_id = several.instance_id and coalesce(w.group_id, 0) = several.group_id
      returning w.*
    )
    insert into sent_without_rows select instance_id, group_id, sum(sent) from gone group by instance_id, group_id`)
  await tx.run(sql`
    with several as (
      select instance_id, day from days_without_rows group by 1, 2 having count(*) > 1
    ), gone as (
      delete from days_without_rows w using several s where w.instance_id = s.instance_id and w.day = s.day returning w.*
    )
    insert into days_without_rows
    select instance_id, day, sum(sent), sum(delivered), sum(read), sum(failed) from gone group by instance_id, day`)
}

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
