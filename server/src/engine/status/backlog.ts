import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { instanceMaySend, jobMaySend } from '../shared/pace.ts'
import { aboutQueued, hasDueDelivery } from '../shared/queue.ts'

/** The work that waits in the engine, over all instances. */
export type Backlog = {
  /** Queued deliveries of jobs that run, wait for their time, or are paused. */
  due: number
  scheduled: number
  paused: number
  /** Instances that could have sent a message for ten seconds, and that no worker has claimed. */
  unclaimedInstances: number
  /** Instances whose running jobs wait because of the instance itself. */
  waitingInstances: number
  /** At most 10,000. */
  inDoubt: number
  /** Receipts that a worker has yet to apply. Those tried before are counted up to 10,000. */
  storedReceipts: number
  /** Receipts of the last week that could not be applied. At most 10,000. */
  receiptsSetAside: number
  /** Since any worker was alive. */
  secondsSinceBeat: number
}

/** Bounds the query. Nobody has this many unfinished jobs. */
const MAX_JOBS = 2_000
const MAX_ROWS = 10_000

/** Reads what waits, in one query that counts no deliveries one by one. */
export const readBacklog = (db: Db): Promise<Backlog> =>
  db.one<Backlog>(sql`
    with unfinished as materialized (
      select j.* from jobs j where j.status in ('Pending', 'Running') or j.settling order by j.id limit ${MAX_JOBS}
    ), queued as (
      select j.status, j.paused_at is not null as is_paused, sum(${aboutQueued}) as n
      from unfinished j where not j.settling
      group by 1, 2
    ), instance as materialized (
      select i.waiting is not null as is_waiting,
        coalesce(i.lease_until, 'epoch') <= clock_now() and ${instanceMaySend}
          and i.next_due_at <= clock_now() - interval '10 seconds'
          and exists (select from unfinished j where j.instance_id = i.id and ${jobMaySend} and ${hasDueDelivery})
          as is_unclaimed
      from instances i
      where i.is_active and i.id in (select instance_id from unfinished where status = 'Running')
    )
    select
      coalesce((select sum(n) from queued where status = 'Running' and not is_paused), 0)::float8 as due,
      coalesce((select sum(n) from queued where status = 'Pending' and not is_paused), 0)::float8 as scheduled,
      coalesce((select sum(n) from queued where is_paused), 0)::float8 as paused,
      (select count(*) from instance where is_unclaimed) as unclaimed_instances,
      (select count(*) from instance where is_waiting) as waiting_instances,
      (select count(*) from (
        select from deliveries where doubt_since is not null limit ${MAX_ROWS}) doubt) as in_doubt,
      (select count(*) from (select from receipt_events limit ${MAX_ROWS}) stored)
        + (select coalesce(sum(receipt_count), 0)::int from (
          select receipt_count from receipt_batches limit ${MAX_ROWS}) batch) as stored_receipts,
      (select count(*) from (select from receipts_set_aside limit ${MAX_ROWS}) aside) as receipts_set_aside,
      (select extract(epoch from clock_now() - beat_at)::float8 from heartbeat) as seconds_since_beat`)
