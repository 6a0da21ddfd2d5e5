import { markInstanceHealthy, resumeJob, resumeSending } from '../../src/engine/index.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { shiftIdleClock } from './instruments.ts'

/** Resumes all paused jobs, and all instances that stopped after ten failures. */
export async function resumeAll(db: Pool): Promise<void> {
  for (const { id } of await db.many<{ id: number }>(sql`select id from jobs where paused_at is not null`))
    await db.begin((tx) => resumeJob(tx, id, 'Ann'))
  const stopped = await db.many<{ id: number }>(sql`
    select id from instances where waiting->>'code' = 'account_failures'`)
  for (const { id } of stopped) await resumeSending(db, id, 'Ann')
}

/** Lists the jobs, deliveries, instances and runs of series that keep us from quiescence. Null if there are none. */
export async function listUnfinished(db: Pool): Promise<string | null> {
  const { unfinished } = await db.one<{ unfinished: string }>(sql`
    select concat_ws(', ',
      (select string_agg(format('job %s is %s%s', id, status, case when settling then ' (settling)' end), ', ')
       from jobs where status in ('Pending', 'Running') or settling),
      (select string_agg(format('delivery %s is %s', id, status), ', ') from deliveries
       where status in ('queued', 'sending', 'doubt')),
      (select string_agg(format('instance %s is claimed%s', id, ' with delivery ' || in_flight), ', ') from instances
       where in_flight is not null or lease_until > clock_now()),
      (select string_agg(format('run %s of series %s is %s', r.local_time, s.id, r.state), ', ')
       from series_runs r join series s on s.id = r.series_id
       where r.state = 'waiting' or r.state = 'made' and r.outcome is null
         or r.state = 'planned' and (s.state = 'active' or r.due_at <= clock_now()))) as unfinished`)
  return unfinished || null
}

/** Does what the server's hourly status check does. A worker checks only instances that jobs wait for. */
export async function markInstancesHealthy(db: Pool): Promise<void> {
  for (const { id } of await db.many<{ id: number }>(sql`select id from instances where waiting is not null`))
    await markInstanceHealthy(db, id)
}

/**
 * Shifts the clock to the next moment at which something may be sent: the end of a pause, of quiet hours, of a cap, of
 * the limit of 15 minutes or of a backoff, or the time of a scheduled job or of the next run of a series. Does nothing
 * while a message is being sent or in doubt, or a run is due.
 */
export async function skipToNextSend(db: Pool, log: (line: string) => void): Promise<boolean> {
  const { seconds } = await db.one<{ seconds: number | null }>(sql`
    with runs as (
      select min(r.due_at) as at
      from series_runs r join series s on s.id = r.series_id where r.state = 'planned' and s.state = 'active'
    )
    select extract(epoch from least(min(at), (select at from runs)) - clock_now())::float8 as seconds
    from jobs j join instances i on i.id = j.instance_id cross join lateral (values
      (case when j.status = 'Pending' then j.scheduled_at end),
      (i.next_due_at),
      (case when i.waiting is not null then i.try_again_at end),
      (case when j.job_type = 'SendToUsers' then i.restricted_until end),
      (case when j.job_type = 'SendToUsers' then quarter_free_at(i.last_private_at, i.private_per_quarter) end),
      (quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now())),
      (cap_free_at(i.sent_by_hour, chat_kind(j.job_type),
        case j.job_type when 'SendToGroups' then i.group_cap else i.private_cap end, clock_now())),
      ((select min(d.not_before) from deliveries d where d.job_id = j.id and d.status = 'queued' and d.not_before > clock_now()))
    ) moment (at)
    where j.status in ('Pending', 'Running') and j.paused_at is null and at > clock_now()`)
  return skip(db, seconds, log)
}

/** Shifts the clock to the next moment at which a receipt is polled, or tried again because its message was unknown. */
export async function skipToNextReceipt(db: Pool, log: (line: string) => void): Promise<boolean> {
  const { seconds } = await db.one<{ seconds: number | null }>(sql`
    select extract(epoch from min(at) - clock_now())::float8 as seconds
    from (
      select greatest(min(d.ask_at), i.next_ask_at) as at
      from deliveries d join instances i on i.id = d.instance_id group by i.id
      union all
      select e.try_at from receipt_events e join deliveries d
        on d.instance_id = e.instance_id and d.provider_message_id = e.provider_message_id
    ) moment
    where at > clock_now()`)
  return skip(db, seconds, log)
}

/**
 * Has the provider asked once more about the messages that nobody asks about any more. A skip of the clock may have
 * ended the day of polls of a message within a second, before its receipts had come.
 */
export const pollOnceMore = (db: Pool) =>
  db.run(sql`
    update deliveries d set ask_at = clock_now()
    from instances i
    where i.id = d.instance_id and i.webhook_base is null and not i.is_test
      and d.status = 'sent' and d.ask_at is null and d.read_at is null`)

async function skip(db: Pool, seconds: number | null, log: (line: string) => void): Promise<boolean> {
  if (seconds === null || seconds <= 0 || !(await shiftIdleClock(db, seconds))) return false
  log(`skips ${seconds} s`)
  return true
}
