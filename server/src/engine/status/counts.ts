import type { RecipientCounts } from '@sendroom/contract/jobs'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** The recipients of a job's current run by state, counted from the deliveries. */
export async function recipientCounts(db: Db, jobId: number): Promise<RecipientCounts> {
  return db.one<RecipientCounts>(sql`
    select count(*) as total,
      count(*) filter (where status in ('queued', 'sending', 'doubt')) as waiting,
      count(*) filter (where status = 'sent') as sent,
      count(*) filter (where status = 'sent' and sent_at > clock_now() - interval '1 minute') as sent_last_minute,
      count(*) filter (where status = 'failed') as failed,
      count(*) filter (where status = 'skipped') as skipped,
      count(*) filter (where status = 'failed' and reason->>'code' = 'outcome_unknown') as unknown,
      count(*) filter (where status = 'sent' and delivered_at is not null) as delivered,
      count(*) filter (where status = 'sent' and read_at is not null) as read
    from deliveries where job_id = ${jobId}`)
}
