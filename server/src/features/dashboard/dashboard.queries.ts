import type { DashboardStats } from '@sendroom/contract/dashboard'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

type TopGroup = DashboardStats['topGroups'][number]

/** Returns the five groups, not channels, with the most sent messages; of equal ones, those that are known longest. */
export const findTopGroups = (db: Db, caller: Caller) =>
  db.many<TopGroup>(sql`
  with recent as (
    select group_id, instance_id, sum(sent_now) as sent from delivery_changes
    where group_id is not null and ${canSeeInstance(caller, 'instance_id')}
    group by group_id, instance_id having sum(sent_now) <> 0
  ), most as (
    select s.group_id, s.sent from ${mostSent(caller)}
    union all
    select r.group_id, r.sent + coalesce(s.sent, 0) from recent r left join sent_to_groups s on s.group_id = r.group_id
  )
  select g.name as group_name, g.participant_count, most.sent as messages_sent
  from most join groups g on g.id = most.group_id
  where g.left_at is null and not ${isChannelRow('g')} and most.sent > 0
  order by most.sent desc, g.id limit 5`)

/**
 * The first five totals `s` that no change in `recent` makes outdated: of all instances, or of each of the caller's.
 */
const mostSent = (caller: Caller) => {
  const five = (isOf = sql`true`) => sql`
    select t.group_id, t.sent from sent_to_groups t join groups g on g.id = t.group_id
    where ${isOf} and g.left_at is null and not ${isChannelRow('g')}
      and t.group_id not in (select group_id from recent)
    order by t.sent desc, t.group_id limit 5`
  return isAdmin(caller)
    ? sql`(${five()}) s`
    : sql`unnest(${caller.instanceIds}::bigint[]) i (id) cross join lateral (${five(sql`t.instance_id = i.id`)}) s`
}
