import { sql } from '../../platform/database/sql.ts'
import { expiresSoon, isDown } from './account-trouble.ts'
import { heldBackBy } from './standing-still.ts'

// What needs attention on the dashboard, and in the lists that the dashboard links to.

/** SQL condition: the instance `i` is down, expires soon or has expired. */
export const instanceNeedsAttention = sql`(${isDown} or ${expiresSoon})`

/**
 * SQL condition: the trouble `t` says that the job `j` of the instance `i` should send and has not for a minute. A worker
 * writes that down (features/notices/watch.ts), because it takes a look at each running job to know. A job that was
 * paused or whose instance was resumed since is left out at once.
 */
export const isStuck = sql`(
  t.kind = 'job_stuck' and t.ended_at is null and t.gone_at is null and t.began_at < clock_now() - interval '1 minute'
  and j.status = 'Running' and j.paused_at is null and (t.reason is null or ${heldBackBy} is not null)
)`

const FAILED_DAYS = 7

/** SQL condition: the job `j` has ended lately with failed recipients. A job that is sent again has no `completed_at`. */
export const endedWithFailures = sql`(
  j.has_failures and j.completed_at > clock_now() - ${FAILED_DAYS} * interval '1 day'
)`
