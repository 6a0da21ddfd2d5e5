import type { DashboardDay } from '@sendroom/contract/dashboard'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/**
 * Returns the last days up to today, the oldest first, of all instances that the caller sees or of one of them. A day
 * is one in Vietnam, like all dates of the interface. Deliveries and reads belong to the day on which their message was
 * sent. This is history: restarts and deletions of jobs take nothing away, and an Admin's numbers include deleted
 * instances.
 *
 * @param count How many days.
 */
export function listDays(db: Db, caller: Caller, count: number, instanceId?: number) {
  const isAll = instanceId === undefined
  const isSeen = canSeeInstance(caller, 'instance_id')
  const isWanted = isAll ? isSeen : sql`instance_id = ${instanceId} and ${isSeen}`
  return db.many<DashboardDay>(sql`
    with part as (
      select day, sent, delivered, read, failed from instance_days
      -- The instance 0 is the sum of all.
      where ${isAll && isAdmin(caller) ? sql`instance_id = 0` : isWanted} and day > day_of(clock_now()) - ${count}::int
      union all
      select day, sent, delivered, read, failed from delivery_changes where ${isWanted}
    )
    select d.day::date::text as day, coalesce(sum(sent), 0) as sent, coalesce(sum(delivered), 0) as delivered,
      coalesce(sum(read), 0) as read, coalesce(sum(failed), 0) as failed
    from generate_series(day_of(clock_now()) - ${count}::int + 1, day_of(clock_now()), interval '1 day') as d (day)
      left join part on part.day = d.day
    group by d.day order by d.day`)
}

/** The instance's name if the caller sees it. */
export async function findInstanceName(db: Db, caller: Caller, id: number): Promise<string | null> {
  const found = await db.maybeOne<{ name: string }>(sql`
    select name from instances where id = ${id} and ${canSeeInstance(caller, 'id')}`)
  return found?.name ?? null
}
