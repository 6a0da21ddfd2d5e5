import { limits } from '@sendroom/contract/limits'
import type { ContactList, ListFilter, ListsQuery, NewList } from '@sendroom/contract/lists'
import type { Named } from '@sendroom/contract/values'
import { type Caller, canUseList, managesContacts } from '../../platform/access.ts'
import { readListSizes } from '../../platform/counts.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db } from '../../platform/database/connection.ts'
import { json, type Sql, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'

type ListRow = Omit<ContactList, 'size'>

const row = (caller: Caller) => sql`
  select l.id, l.name, l.kind, l.filter, l.is_for_all, l.created_by_user_name, l.created_at, l.version,
    (
      select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by lower(t.name), t.id), '[]')
      from tags t where t.id in (select tag_id::bigint from jsonb_array_elements_text(l.filter -> 'tagIds') tag_id)
    ) as tags,
    (
      select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.username) order by u.username), '[]')
      from list_users lu join users u on u.id = lu.user_id
      where lu.list_id = l.id and ${managesContacts(caller)}
    ) as users`

const sortBy = { id: sql`l.id`, name: sql`lower(l.name)`, createdAt: sql`l.created_at` }

export async function listLists(db: Db, caller: Caller, query: ListsQuery) {
  const { search, kind = null } = query
  const { data, pagination } = await listPage<ListRow>(db, query, {
    select: row(caller),
    // There are few lists, so that no index of their letters is needed.
    from: sql`
      from lists l
      where ${canUseList(caller, 'l')} and unaccent_lower(l.name) like like_pattern(${search})
        and (${kind}::text is null or l.kind = ${kind})`,
    sortBy: sortBy[query.sortBy],
    id: sql`l.id`,
    countKey: ['lists', managesContacts(caller) || caller.id, search, kind],
  })
  return { data: await withSizes(db, data), pagination }
}

export async function findList(db: Db, caller: Caller, id: number): Promise<ContactList | null> {
  const found = await db.many<ListRow>(sql`
    ${row(caller)} from lists l where l.id = ${id} and ${canUseList(caller, 'l')}`)
  return (await withSizes(db, found))[0] ?? null
}

async function withSizes(db: Db, rows: readonly ListRow[]): Promise<ContactList[]> {
  const fixed = rows.filter(({ kind }) => kind === 'fixed').map(({ id }) => id)
  const sizes = await readListSizes(db, fixed)
  return rows.map((list) => ({ ...list, size: list.kind === 'fixed' ? (sizes.get(list.id) ?? 0) : null }))
}

/** Locks against other new lists, so that their number stays within the limit. Returns null beyond it. */
export async function insertList(tx: Db, caller: Caller, { name, filter, isForAll }: NewList) {
  await lock(tx, LOCKS.lists)
  const { count } = await tx.one<{ count: number }>(sql`select count(*) as count from lists`)
  if (count >= limits.lists) return null
  const { id } = await tx.one<{ id: number }>(sql`
    insert into lists (name, kind, filter, is_for_all, created_by_user_id, created_by_user_name)
    values (${name}, ${filter ? 'filter' : 'fixed'}, ${json(filter)}, ${isForAll}, ${caller.id}, ${caller.username})
    returning id`)
  return id
}

/** Returns the version before the update, or null if there is no such list. */
export async function updateList(tx: Db, id: number, { name, filter, isForAll }: NewList) {
  const updated = await tx.maybeOne<{ before: number }>(sql`
    update lists set name = ${name}, filter = ${json(filter)}, is_for_all = ${isForAll}, version = version + 1
    where id = ${id}
    returning version - 1 as before`)
  return updated?.before ?? null
}

export const deleteList = async (tx: Db, id: number): Promise<Named | null> =>
  (await tx.maybeOne<Named>(sql`delete from lists where id = ${id} returning id, name`)) ?? null

/** The Members who can use a list that is shared with them. */
const isEligible = sql`u.role = 'Member' and u.is_active and u.can_use_contacts and not u.can_manage_contacts`

export const listEligibleUsers = (db: Db) =>
  db.many<Named>(sql`
    select u.id, u.username as name from users u where ${isEligible} order by u.username limit ${limits.pageSizeMax}`)

/** Shares the list with these users and no others. Those who could not use it are left out. */
export const replaceListUsers = (tx: Db, listId: number, userIds: readonly number[]) =>
  tx.run(sql`
    with wanted as (
      select u.id from users u where u.id = any(${userIds}::bigint[]) and ${isEligible}
    ), gone as (
      delete from list_users where list_id = ${listId} and user_id not in (select id from wanted)
    )
    insert into list_users (list_id, user_id) select ${listId}, id from wanted on conflict do nothing`)

/** Returns how many of these tags exist, and keeps them from being deleted until the transaction ends. */
export const lockTagsForShare = (tx: Db, ids: ListFilter['tagIds']): Promise<number> =>
  tx.run(sql`select from tags where id = any(${ids}::bigint[]) order by id for key share`)

type Kind = Pick<ContactList, 'id' | 'name' | 'kind'>

/** Finds the list and keeps it from being deleted until the transaction ends. */
export async function lockListForShare(tx: Db, caller: Caller, id: number): Promise<Kind | null> {
  const list = await tx.maybeOne<Kind>(sql`
    select l.id, l.name, l.kind from lists l where l.id = ${id} and ${canUseList(caller, 'l')} for key share`)
  return list ?? null
}

/** Adds contacts that are not in the list yet, up to the limit of a call. Returns how many. */
export const addToList = (tx: Db, listId: number, selected: Sql): Promise<number> =>
  tx.run(sql`
    with added as materialized (
      select c.id from contacts c
      where ${selected} and not exists (
        select from list_contacts l where l.list_id = ${listId} and l.contact_id = c.id
      )
      order by c.id limit ${limits.contactsAtOnce} for key share
    )
    insert into list_contacts (list_id, contact_id) select ${listId}, id from added on conflict do nothing`)

/** Takes contacts off the list, up to the limit of a call. Returns how many. */
export const takeOffList = (tx: Db, listId: number, selected: Sql): Promise<number> =>
  tx.run(sql`
    delete from list_contacts where list_id = ${listId} and contact_id in (
      select c.id from list_contacts mine join contacts c on c.id = mine.contact_id
      where mine.list_id = ${listId} and ${selected}
      order by c.id limit ${limits.contactsAtOnce} for key share of c
    )`)
