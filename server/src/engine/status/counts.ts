import type { RecipientCounts } from '@sendroom/contract/jobs'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'

/** The counts of a job's deliveries, as one JSON value with the fields of `RecipientCounts`. */
export const countsOf = (jobId: Sql) => sql`(
  select jsonb_build_object(
    'total', count(*),
    'waiting', count(*) filter (where status in ('queued', 'sending', 'doubt')),
    'sent', count(*) filter (where status = 'sent'),
    'sentLastMinute', count(*) filter (where status = 'sent' and sent_at > clock_now() - interval '1 minute'),
    'failed', count(*) filter (where status = 'failed'),
    'skipped', count(*) filter (where status = 'skipped'),
    'unknown', count(*) filter (where status = 'failed' and reason->>'code' = 'outcome_unknown'),
    'delivered', count(*) filter (where status = 'sent' and delivered_at is not null),
    'read', count(*) filter (where status = 'sent' and read_at is not null))
  from deliveries where job_id = ${jobId}
)`

/**
 * The recipients of a job's current run by state. Triggers write `job_counts` with each change of a  delivery; those of
 * deleted deliveries stay.
 */
export async function recipientCounts(db: Db, jobId: number): Promise<RecipientCounts> {
  return db.one<RecipientCounts>(sql`
    select total, total - sent - failed - skipped as waiting, counts.*
    from (
      select coalesce(sum(sent), 0) as sent,
        coalesce(sum(sent) filter (where sent > 0 and at > clock_now() - interval '1 minute'), 0) as sent_last_minute,
        coalesce(sum(failed), 0) as failed, coalesce(sum(skipped), 0) as skipped,
        coalesce(sum(unknown), 0) as unknown, coalesce(sum(delivered), 0) as delivered,
        coalesce(sum(read), 0) as read
      from job_counts where job_id = ${jobId}
    ) counts, coalesce((select recipient_count from jobs where id = ${jobId}), 0) total`)
}

/** Recurring work: adds up the changes of `job_counts` that are older than a minute. */
export const foldJobCounts = (db: Pool) =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    await tx.run(FOLD)
  })

const isOld = sql`at <= clock_now() - interval '1 minute'`

const FOLD = sql`
  with changed as (
    select distinct job_id from job_counts where at > 'epoch' and ${isOld}
  ), folded as (
    delete from job_counts c using changed where c.job_id = changed.job_id and ${isOld} returning c.*
  )
  insert into job_counts
  select job_id, 'epoch', sum(sent), sum(failed), sum(skipped), sum(unknown), sum(delivered), sum(read)
  from folded group by job_id`
