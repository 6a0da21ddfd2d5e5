import type { RecipientCounts } from '@sendroom/contract/jobs'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/**
 * The recipients of a job's current run by state. Triggers write `job_counts` with each change of a delivery; those of
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
