import { notifyChanges } from '../../platform/changes.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { type Kind, lockUnused, none } from './unused.ts'

/** Groups may have a thousand members each. */
const GROUPS_AT_ONCE = 50

/**
 * Groups and channels that the account has left, or whose account was not connected since. Their members go with them.
 * A delivery keeps the id and the name of its group, so that jobs show what they have sent.
 */
export const groups: Kind = {
  name: 'group',
  table: 'groups',
  async deleteUnused(tx, ids, since, limit) {
    const unused = await lockUnused(tx, 'groups', ids, isUnused(since), GROUPS_AT_ONCE)
    if (unused.length === 0) return { count: 0, isComplete: true }
    // A sync locks members before their group, so waiting for it could be a deadlock.
    await tx.run(sql`
      delete from participants where (group_id, person_id) in (
        select group_id, person_id from participants where group_id = any(${unused})
        limit ${limit} for update skip locked)`)
    const gone = await tx.many<{ instanceId: number }>(sql`
      delete from groups g
      where g.id = any(${unused}) and not exists (select from participants p where p.group_id = g.id)
      returning g.instance_id`)
    const instanceIds = new Set(gone.map(({ instanceId }) => instanceId))
    await notifyChanges(
      tx,
      [...instanceIds].flatMap((instanceId) => [
        { feature: 'groups' as const, id: instanceId, instanceId },
        { feature: 'groupSets' as const, id: null, instanceId },
      ]),
    )
    return { count: gone.length, isComplete: false }
  },
}

const isUnused = (since: Sql) => sql`(
  exists (
    select from instances i
    where i.id = x.instance_id and (
      x.left_at < ${since} or (i.status <> 'Connected' or not i.is_active) and i.absent_since < ${since}))
  and ${none(sql`
    from jobs j join deliveries d on d.job_id = j.id and d.chat_id = x.chat_id
    where j.instance_id = x.instance_id and (j.status in ('Pending', 'Running') or j.settling)`)}
  and ${none(sql`from imports i where i.status = 'checking' and x.id = any(i.group_ids)`)}
  and ${none(sql`
    from group_set_groups g join series_group_sets u using (group_set_id) join series s on s.id = u.series_id
    where g.group_id = x.id and s.state <> 'ended'`)}
  and ${none(sql`
    from series s
    where s.instance_id = x.instance_id and s.job_type = 'SendToGroups' and s.state <> 'ended'
      and (s.recipients -> 'groupIds' @> to_jsonb(x.id) or s.frozen -> 'ids' @> to_jsonb(x.id))`)})`
