import type { Difference } from './counts.ts'
import { LOCKS, lock } from './database/advisory-lock.ts'
import type { Pool } from './database/connection.ts'
import { forBulkWrites } from './database/session-defaults.ts'
import { sql } from './database/sql.ts'

/*
 * Brings the kept numbers into agreement with the rows while everybody works on. One statement sees numbers and rows as
 * of one moment, and adds what is missing to each number. A transaction that commits meanwhile adds its own change,
 * before or after: sums do not care about the order. The fold changes the totals in place, so it waits.
 */

/** Returns what was wrong. */
export async function repairCounts(db: Pool): Promise<Difference[]> {
  return db.begin(async (tx) => {
    // The wait for another repair is longer than a statement may take, too.
    await forBulkWrites(tx)
    await lock(tx, LOCKS.counts)
    const found = await tx.many<Difference>(ADD_MISSING)
    for (const { jobId, n } of failuresOf(found)) await tx.run(sql`select add_failures(${jobId}, ${n})`)
    return found
  })
}

/** In the order of the trigger that counts failures: two that lock the same jobs in different orders deadlock. */
const failuresOf = (found: Difference[]) =>
  found
    .filter(({ counter }) => counter === 'failed_count')
    .map(({ owner, n }) => ({ jobId: Number(owner.split(' ')[1]), n }))
    .toSorted((one, other) => one.jobId - other.jobId)

const ADD_MISSING = sql`
  with found as materialized (
    select owner, counter, n, split_part(owner, ' ', 1) as kind, split_part(owner, ' ', 2) as id,
      split_part(owner, ' ', 3) as day
    from count_differences()
  ), totals as (
    -- The difference of 'all' is that from the sum of the other totals, which grow now.
    insert into counts (owner, counter, n)
    select coalesce(owner, 'all'), counter, sum(n)
    from (select case owner when 'all' then null else owner end as owner, counter, n from found
      where kind not in ('group', 'job', 'day', 'people')) as difference
    group by grouping sets ((owner, counter), (counter))
    having grouping(owner) = 1 or owner is not null
    on conflict (owner, counter) do update set n = counts.n + excluded.n
  ), groups as (
    insert into sent_to_groups (group_id, instance_id, sent)
    select f.id::bigint, coalesce(g.instance_id, 0), f.n
    from found f left join groups g on g.id = f.id::bigint where kind = 'group'
    on conflict (group_id) do update set sent = sent_to_groups.sent + excluded.sent
  ), days as (
    insert into instance_days (instance_id, day, sent, delivered, read, failed)
    select coalesce(instance_id, 0), day, coalesce(sum(n) filter (where counter = 'sent'), 0),
      coalesce(sum(n) filter (where counter = 'delivered'), 0), coalesce(sum(n) filter (where counter = 'read'), 0),
      coalesce(sum(n) filter (where counter = 'failed'), 0)
    from (select nullif(id::bigint, 0) as instance_id, day::date as day, counter, n from found where kind = 'day'
      ) as difference
    group by grouping sets ((instance_id, day), (day))
    having grouping(instance_id) = 1 or instance_id is not null
    on conflict (instance_id, day) do update set sent = instance_days.sent + excluded.sent,
      delivered = instance_days.delivered + excluded.delivered, read = instance_days.read + excluded.read,
      failed = instance_days.failed + excluded.failed
  ), jobs as (
    insert into job_counts (job_id, at, sent, failed, skipped, unknown, delivered, read)
    select id::bigint, 'epoch', coalesce(sum(n) filter (where counter = 'sent'), 0),
      coalesce(sum(n) filter (where counter = 'failed'), 0), coalesce(sum(n) filter (where counter = 'skipped'), 0),
      coalesce(sum(n) filter (where counter = 'unknown'), 0), coalesce(sum(n) filter (where counter = 'delivered'), 0),
      coalesce(sum(n) filter (where counter = 'read'), 0)
    from found where kind = 'job' and counter <> 'failed_count' group by id
  ), people as (
    -- Whoever needs the number counts again.
    delete from people_counts where instances in (select split_part(owner, ' ', 3) from found where kind = 'people')
  )
  select owner, counter, n from found order by owner, counter`
