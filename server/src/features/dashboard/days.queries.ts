import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** What became of the messages of one day. */
export type Day = { day: string; sent: number; delivered: number; read: number; failed: number }

/**
 * Returns the last days up to today, the oldest first, of all instances that the caller sees. A day is one in Vietnam,
 * like all dates of the interface. Deliveries and reads belong to the day on which their message was sent. This is
 * history: restarts and deletions of jobs take nothing away, and an Admin's numbers include deleted instances.
 *
 * @param count How many days.
 */
export const listDays = (db: Db, caller: Caller, count: number) =>
  db.many<Day>(sql`
  with part as (
    select day, sent, delivered, read, failed from instance_days
    where ${isAdmin(caller) ? sql`instance_id = 0` : canSeeInstance(caller, 'instance_id')}
      and day > day_of(clock_now()) - ${count}::int
    union all
    select day, sent, delivered, read, failed from delivery_changes where ${canSeeInstance(caller, 'instance_id')}
  )
  select d.day::date::text as day, coalesce(sum(sent), 0) as sent, coalesce(sum(delivered), 0) as delivered,
    coalesce(sum(read), 0) as read, coalesce(sum(failed), 0) as failed
  from generate_series(day_of(clock_now()) - ${count}::int + 1, day_of(clock_now()), interval '1 day') as d (day)
    left join part on part.day = d.day
  group by d.day order by d.day`)
