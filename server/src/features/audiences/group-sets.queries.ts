import type { GroupSet, GroupSetChange, GroupSetRow, GroupSetsQuery } from '@sendroom/contract/group-sets'
import { limits } from '@sendroom/contract/limits'
import type { Named } from '@sendroom/contract/values'
import {
  type Caller,
  canChangeGroupSet,
  canSeeInstance,
  canUseGroupSet,
  isAdmin,
} from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

const row = (caller: Caller) => sql`
  select s.id, s.name, s.is_for_all, s.created_by_user_name, s.created_at, s.version,
    ${canChangeGroupSet(caller, 's')} as can_change,
    (select jsonb_build_object('id', i.id, 'name', i.name) from instances i where i.id = s.instance_id) as instance,
    (select count(*) from group_set_groups sg where sg.group_set_id = s.id) as group_count,
    (
      select count(*) from group_set_groups sg join groups g on g.id = sg.group_id
      where sg.group_set_id = s.id and g.left_at is not null
    ) as left_count`

const sortBy = { id: sql`s.id`, name: sql`lower(s.name)`, createdAt: sql`s.created_at` }

export function listGroupSets(db: Db, caller: Caller, query: GroupSetsQuery) {
  const { search, instanceId = null } = query
  return listPage<GroupSetRow>(db, query, {
    select: row(caller),
    from: sql`
      from group_sets s
      where ${canUseGroupSet(caller, 's')} and unaccent_lower(s.name) like like_pattern(${search})
        and (${instanceId}::bigint is null or s.instance_id = ${instanceId})`,
    sortBy: sortBy[query.sortBy],
    id: sql`s.id`,
    countKey: ['group sets', isAdmin(caller) || [caller.id, caller.instanceIds], search, instanceId],
  })
}

export async function findGroupSet(db: Db, caller: Caller, id: number): Promise<GroupSet | null> {
  const set = await db.maybeOne<GroupSet>(sql`
    ${row(caller)}, (
      select coalesce(jsonb_agg(
        jsonb_build_object('id', g.id, 'name', g.name, 'hasLeft', g.left_at is not null) order by g.name, g.id), '[]')
      from group_set_groups sg join groups g on g.id = sg.group_id where sg.group_set_id = s.id
    ) as groups, (
      select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.username) order by u.username), '[]')
      from group_set_users su join users u on u.id = su.user_id
      where su.group_set_id = s.id and ${canChangeGroupSet(caller, 's')}
    ) as users
    from group_sets s where s.id = ${id} and ${canUseGroupSet(caller, 's')}`)
  return set ?? null
}

type Form = Omit<GroupSetChange, 'version'>

export async function insertGroupSet(tx: Db, caller: Caller, instanceId: number, { name, isForAll }: Form) {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into group_sets (instance_id, name, is_for_all, created_by_user_id, created_by_user_name)
    values (${instanceId}, ${name}, ${isForAll}, ${caller.id}, ${caller.username})
    returning id`)
  return id
}

/** Returns the version before the update and the instance, or null if the caller may change no such set. */
export async function updateGroupSet(tx: Db, caller: Caller, id: number, { name, isForAll }: Form) {
  const updated = await tx.maybeOne<{ before: number; instanceId: number }>(sql`
    update group_sets s set name = ${name}, is_for_all = ${isForAll}, version = s.version + 1
    where s.id = ${id} and ${canChangeGroupSet(caller, 's')}
    returning s.version - 1 as before, s.instance_id`)
  return updated ?? null
}

export async function deleteGroupSet(tx: Db, caller: Caller, id: number): Promise<Named | null> {
  const set = await tx.maybeOne<Named>(sql`
    delete from group_sets s where s.id = ${id} and ${canChangeGroupSet(caller, 's')} returning s.id, s.name`)
  return set ?? null
}

/** Returns how many of these groups the instance has, and keeps them from being deleted until the transaction ends. */
export const lockGroupsForShare = (tx: Db, instanceId: number, ids: readonly number[]): Promise<number> =>
  tx.run(sql`
    select from groups where id = any(${ids}::bigint[]) and instance_id = ${instanceId} order by id for key share`)

export const replaceGroupsOfSet = (tx: Db, setId: number, groupIds: readonly number[]) =>
  tx.run(sql`
    with gone as (
      delete from group_set_groups where group_set_id = ${setId} and group_id <> all(${groupIds}::bigint[])
    )
    insert into group_set_groups (group_set_id, group_id)
    select ${setId}, group_id from unnest(${groupIds}::bigint[]) group_id
    on conflict do nothing`)

/** The Members who see the instance. Admins see every set anyway. */
const isEligible = (instanceId: number) => sql`
  (u.role = 'Member' and u.is_active and exists (
    select from user_instances ui where ui.user_id = u.id and ui.instance_id = ${instanceId}))`

/** Returns null if the caller does not see the instance. */
export async function listEligibleUsers(db: Db, caller: Caller, instanceId: number): Promise<Named[] | null> {
  const { isVisible } = await db.one<{ isVisible: boolean }>(sql`
    select exists (
      select from instances i where i.id = ${instanceId} and ${canSeeInstance(caller, 'i.id')}
    ) as is_visible`)
  if (!isVisible) return null
  return db.many<Named>(sql`
    select u.id, u.username as name from users u where ${isEligible(instanceId)} and u.id <> ${caller.id}
    order by u.username limit ${limits.pageSizeMax}`)
}

/** Shares the set with these users and no others. Those who do not see the instance are left out. */
export const replaceUsersOfSet = (
  tx: Db,
  { id, instanceId }: { id: number; instanceId: number },
  userIds: readonly number[],
) =>
  tx.run(sql`
    with wanted as (
      select u.id from users u where u.id = any(${userIds}::bigint[]) and ${isEligible(instanceId)}
    ), gone as (
      delete from group_set_users where group_set_id = ${id} and user_id not in (select id from wanted)
    )
    insert into group_set_users (group_set_id, user_id) select ${id}, id from wanted on conflict do nothing`)
