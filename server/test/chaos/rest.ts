import { accountIsWell, resumeAccount, resumeJob } from '../../src/engine/index.ts'
import type { Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { leapClock } from './instruments.ts'

/** What is still open, in words; null when nothing is. Lets go on what waits for a person. */
export async function whatIsOpen(db: Pool): Promise<string | null> {
  for (const { id } of await db.many<{ id: number }>(sql`select id from jobs where paused_at is not null`))
    await resumeJob(db, id, 'Ann')
  const guarded = await db.many<{ id: number }>(sql`
      select id from instances where waiting->>'code' = 'account_failures'`)
  for (const { id } of guarded) await resumeAccount(db, id, 'Ann')
  const open = await db.one<{ words: string }>(sql`
      select concat_ws(', ',
          (select string_agg(format('job %s is %s%s', id, status, case when settling then ' (settling)' end), ', ')
           from jobs where status in ('Pending', 'Running') or settling),
          (select string_agg(format('delivery %s is %s', id, status), ', ') from deliveries
           where status in ('queued', 'sending', 'doubt')),
          (select string_agg(format('account %s is held%s', id, ' with ' || in_flight), ', ') from instances
           where in_flight is not null or lease_until > clock_now())) as words`)
  return open.words || null
}

/** What a server's hourly look at each account finds out: a worker asks only those that jobs wait for. */
export async function seeAccountsWell(db: Pool): Promise<void> {
  for (const { id } of await db.many<{ id: number }>(sql`select id from instances where waiting is not null`))
    await accountIsWell(db, id)
}

/**
 * Where only time has to pass (a pause, quiet hours, a cap, a backoff, a scheduled job), sets the clock to the moment
 * at which the next thing may go on. Not while a message is on its way or in doubt.
 */
export async function leapToNextMoment(db: Pool, note: (what: string) => void): Promise<boolean> {
  const { seconds } = await db.one<{ seconds: number | null }>(sql`
    select extract(epoch from min(at) - clock_now())::float8 as seconds
    from jobs j join instances i on i.id = j.instance_id cross join lateral (values
      (case when j.status = 'Pending' then j.scheduled_at end),
      (i.next_due_at),
      (case when i.waiting is not null then i.try_again_at end),
      (case when j.job_type = 'SendToUsers' then i.restricted_until end),
      (quiet_until(i.quiet_from, i.quiet_to, i.time_zone, clock_now())),
      (cap_free_at(i.sent_by_hour, chat_kind(j.job_type),
        case j.job_type when 'SendToGroups' then i.group_cap else i.private_cap end, clock_now())),
      ((select min(d.not_before) from deliveries d where d.job_id = j.id and d.status = 'queued' and d.not_before > clock_now()))
    ) moment (at)
    where j.status in ('Pending', 'Running') and j.paused_at is null and at > clock_now()`)
  return leap(db, seconds, note)
}

/** The same where only receipts have to come in: asked for, or tried again until their message is known. */
export async function leapToNextReceipt(db: Pool, note: (what: string) => void): Promise<boolean> {
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
  return leap(db, seconds, note)
}

async function leap(db: Pool, seconds: number | null, note: (what: string) => void): Promise<boolean> {
  if (seconds === null || !(await leapClock(db, seconds))) return false
  note(`leaps ${seconds} s to go on`)
  return true
}
