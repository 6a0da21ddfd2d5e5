import type { RecipientCounts } from '@sendroom/contract/jobs'
import type { Db } from '../../platform/database/connection.ts'
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

/** The recipients of a job's current run by state, counted from the deliveries. Deleted ones were counted before. */
export async function recipientCounts(db: Db, jobId: number): Promise<RecipientCounts> {
  const { counts } = await db.one<{ counts: RecipientCounts }>(sql`
    select coalesce((select final_counts from jobs where id = ${jobId}), ${countsOf(sql`${jobId}`)}) as counts`)
  return counts
}
