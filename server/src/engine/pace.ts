import { identifier, sql } from '../platform/database/sql.ts'

/*
 * Who may go now, by the database's clock. The rules themselves (quiet hours, caps) are SQL functions in
 * migrations/0006-pace.sql, so that they are judged in the very statement that writes an intent.
 */

/** Condition: the account `i` itself has nothing against a message now. */
export const accountMayGo = sql`(
  i.is_active and i.waiting is null and i.in_flight is null and i.next_due_at <= clock_now()
  and quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now()) is null
)`

/**
 * Condition: the job `j` runs. Found by the index jobs_live and never by jobs_status: the statistics are older than
 * the jobs, and a planner that believes that hardly one is Running reads them all for each account.
 */
export const isRunning = sql`(
  (j.status in ('Pending', 'Running') or j.settling) and (j.status = 'Running') is true
)`

/** Condition: the job `j` of the account `i` may have its turn now. */
export const jobMayGo = sql`(
  ${isRunning} and j.paused_at is null
  and (j.job_type = 'SendToGroups' or coalesce(i.restricted_until, 'epoch') <= clock_now())
  and cap_free_at(i.sent_by_hour, chat_kind(j.job_type),
    case j.job_type when 'SendToGroups' then i.group_cap else i.private_cap end, clock_now()) is null
)`

/** The pause after a message to that kind of chat, drawn anew for each. */
export const drawPause = (jobType: string) => sql`(
  case ${identifier(jobType)}
    when 'SendToGroups'
    then i.group_pause_from_ms + random() * (i.group_pause_to_ms - i.group_pause_from_ms)
    else i.private_pause_from_ms + random() * (i.private_pause_to_ms - i.private_pause_from_ms)
  end * interval '1 ms'
)`
