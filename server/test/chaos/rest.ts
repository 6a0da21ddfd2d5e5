import { resumeAccount, resumeJob } from '../../src/engine/index.ts'
import type { Sql } from '../../src/platform/database/connection.ts'
import { leapClock } from './instruments.ts'

/** What is still open, in words; null when nothing is. Helps along what waits for a person or for another day. */
export async function letGoOn(sql: Sql, note: (what: string) => void): Promise<string | null> {
  for (const { id } of await sql<{ id: number }[]>`select id from jobs where paused_at is not null`)
    await resumeJob(sql, id, 'Ann')
  const guarded = await sql<{ id: number }[]>`
      select id from instances where waiting->>'code' = 'account_failures'`
  for (const { id } of guarded) await resumeAccount(sql, id, 'Ann')
  const [open] = await sql<[{ words: string | null; atRest: boolean; cap: boolean }]>`
      select concat_ws(', ',
          (select string_agg(format('job %s is %s%s', id, status, case when settling then ' (settling)' end), ', ')
           from jobs where status in ('Pending', 'Running') or settling),
          (select string_agg(format('delivery %s is %s', id, status), ', ') from deliveries
           where status in ('queued', 'sending', 'doubt')),
          (select string_agg(format('account %s is held%s', id, ' with ' || in_flight), ', ') from instances
           where in_flight is not null or lease_until > clock_now())) as words,
        not exists (select from deliveries where status in ('sending', 'doubt'))
          and not exists (select from instances where waiting is not null) as at_rest,
        exists (
          select from jobs j join instances i on i.id = j.instance_id
          where j.status = 'Running' and cap_free_at(i.sent_by_hour, chat_kind(j.job_type),
            case j.job_type when 'SendToGroups' then i.group_cap else i.private_cap end, clock_now()) is not null
        ) as cap`
  if (!open.words) return null
  // A cap is free again when its hour is 24 hours past.
  const seconds = open.cap ? 25 * 3600 : 5
  if (open.atRest && (await leapClock(sql, seconds))) note(`leaps ${seconds} s to go on: ${open.words}`)
  return open.words
}
