import type { Import, ImportStart, Reading } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import { isChannelRow } from '../../platform/channels.ts'
import type { Db } from '../../platform/database/connection.ts'
import { identifier, json, sql, values } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import type { Field } from './read-row.ts'

/** SQL condition: the import `i` is the caller's own, and its file is complete. Admins see all. */
const canSee = (caller: Caller) =>
  sql`(i.status <> 'uploading' and ${isAdmin(caller) ? sql`true` : sql`i.user_id = ${caller.id}`})`

/** SQL condition: what an import `i` has changed, and its rows with problems, are still known. */
export const hasDetails = sql`
  (i.ended_at is null or i.ended_at > clock_now() - ${limits.importDays} * interval '1 day')`

const importRow = (caller: Caller) => sql`
  select i.id, i.source, i.file_name, i.user_name as created_by_user_name, i.created_at, i.status, i.fault, i.reading,
    (
      select jsonb_build_object('id', a.id, 'name', a.name) from instances a
      where a.id = i.instance_id and ${canSeeInstance(caller, 'a.id')}
    ) as instance,
    case
      when i.status = 'checking' then jsonb_build_object('done', i.cursor, 'total', null)
      when i.status in ('running', 'undoing') then jsonb_build_object('done', i.cursor, 'total', i.rows)
    end as progress,
    coalesce(i.rows, 0) as rows, i.added, i.changed, i.unchanged, i.twice, i.refused, i.known,
    (select jsonb_build_object('id', l.id, 'name', l.name) from lists l where l.id = i.list_id) as list, i.tags, i.consent,
    i.started_by as started_by_user_name, i.started_at, i.ended_at,
    case when i.status = 'undone' then
      jsonb_build_object('removed', i.removed, 'kept', i.kept, 'gone', i.gone)
    end as undone,
    i.status = 'done' and ${hasDetails} as can_be_undone,
    i.status <> 'checking' and i.twice + i.refused > 0 and ${hasDetails} as has_problems, i.version`

export const listImports = (db: Db, caller: Caller, query: { page: number; pageSize: number }) =>
  listPage<Import>(
    db,
    { ...query, sortDirection: 'desc' },
    {
      select: importRow(caller),
      from: sql`from imports i where ${canSee(caller)}`,
      sortBy: sql`i.id`,
      id: sql`i.id`,
      countKey: ['imports', isAdmin(caller) || caller.id],
    },
  )

export async function findImport(db: Db, caller: Caller, id: number): Promise<Import | null> {
  const found = await db.maybeOne<Import>(
    sql`${importRow(caller)} from imports i where i.id = ${id} and ${canSee(caller)}`,
  )
  return found ?? null
}

/**
 * SQL condition: the user who made an import, given by alias, may still import from there. An Admin who goes on with
 * the import does so for them.
 */
export function isAuthorAllowed(alias: string) {
  const row = identifier(alias)
  return sql`(exists (
    select from users u
    where u.id = ${row}.user_id and u.is_active and (u.role = 'Admin' or (
      u.can_manage_contacts and (${row}.source <> 'groups' or u.can_export_participants)
      and (${row}.source = 'file' or exists (
        select from user_instances ui where ui.user_id = u.id and ui.instance_id = ${row}.instance_id
      ))
    ))
  ) and (${row}.source = 'file' or exists (select from instances a where a.id = ${row}.instance_id)))`
}

export type Locked = Pick<Import, 'id' | 'source' | 'status' | 'fault' | 'version'> & {
  hasDetails: boolean
  isAllowed: boolean
}

/** Locks an import that the caller sees until the transaction ends. A worker that holds it waits, or has lost it. */
export async function lockImport(tx: Db, caller: Caller, id: number): Promise<Locked | null> {
  const found = await tx.maybeOne<Locked>(sql`
    select i.id, i.source, i.status, i.fault, i.version, ${hasDetails} as has_details,
      ${isAuthorAllowed('i')} as is_allowed
    from imports i where i.id = ${id} and ${canSee(caller)} for update`)
  return found ?? null
}

type NewImport = {
  source: Import['source']
  fileName?: string
  instanceId?: number
  groupIds?: readonly number[]
  status: 'uploading' | 'checking'
}

export async function insertImport(
  tx: Db,
  { id: userId, username }: Caller,
  row: NewImport,
): Promise<number> {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into imports ${values({ ...row, userId, userName: username })} returning id`)
  return id
}

/** How many imports of the user have not begun. */
export async function countWaiting(tx: Db, userId: number): Promise<number> {
  const { count } = await tx.one<{ count: number }>(
    sql`select count(*) as count from imports where user_id = ${userId} and started_at is null`,
  )
  return count
}

/**
 * Returns how many of these groups of the instance exist, and keeps them from being deleted until the transaction ends.
 * Nobody is told who follows a channel.
 */
export const lockGroups = (tx: Db, instanceId: number, ids: readonly number[]): Promise<number> =>
  tx.run(sql`
    select from groups g
    where instance_id = ${instanceId} and id = any(${ids}::bigint[]) and not ${isChannelRow('g')}
    order by id for key share`)

export const deleteImport = (tx: Db, id: number) => tx.run(sql`delete from imports where id = ${id}`)

export type Recognised = {
  reading: Reading
  isGuess: boolean
  header: string[] | null
  fault: Import['fault']
}

/** How a file is read from now on, and that it is to be checked anew, unless it can't be. */
export async function setReading(
  tx: Db,
  id: number,
  { reading, isGuess, header, fault, fileName }: Recognised & { fileName?: string },
): Promise<void> {
  await tx.run(sql`delete from import_rows where import_id = ${id}`)
  await tx.run(sql`
    update imports set file_name = coalesce(${fileName ?? null}, file_name), reading = ${json(reading)}, is_guess = ${isGuess}, header = ${header}, fault = ${json(fault)},
      status = ${fault ? 'checked' : 'checking'}, cursor = 0, rows = null, added = 0, unchanged = 0, twice = 0,
      refused = 0, tries = 0, lease = null, held_until = null, due_at = clock_now(), version = version + 1
    where id = ${id}`)
}

export async function findReading(db: Db, caller: Caller, id: number) {
  const found = await db.maybeOne<{ reading: Reading | null; isGuess: boolean }>(sql`
    select i.reading, i.is_guess from imports i where i.id = ${id} and i.started_at is null and ${canSee(caller)}`)
  return found ?? null
}

/** The first rows of an import that is not from a file. */
export const firstPeople = (db: Db, id: number) =>
  db.many<{ number: number; cells: string[] }>(sql`
    select number, cells from import_rows where import_id = ${id} order by place limit ${limits.importPreview}`)

/** Begins to store the rows. The file is not needed any more. */
export async function startImport(
  tx: Db,
  { username }: Caller,
  id: number,
  { known, listId, tags, consent }: ImportStart,
): Promise<void> {
  await tx.run(sql`
    update imports set status = 'running', known = ${known}, list_id = ${listId}, tags = ${tags}, consent = ${consent},
      started_by = ${username}, started_at = clock_now(), cursor = 0, due_at = clock_now(), version = version + 1
    where id = ${id}`)
  await tx.run(sql`delete from import_parts where import_id = ${id}`)
}

/** Keeps the list from being deleted until the transaction ends. Returns false if it is no fixed list. */
export async function lockFixedList(tx: Db, id: number): Promise<boolean> {
  return (await tx.run(sql`select from lists where id = ${id} and kind = 'fixed' for key share`)) > 0
}

export const readFields = (db: Db) =>
  db.many<Field>(sql`select id, key, name, type, choices from contact_fields order by id`)

/** The names of all tags that the rows give. */
export async function tagsOfRows(tx: Db, id: number): Promise<string[]> {
  const tags = await tx.many<{ name: string }>(sql`
    select distinct on (lower(tag)) tag as name from import_rows, unnest(tags) tag where import_id = ${id}
    order by lower(tag)
    limit ${limits.tags + 1}`)
  return tags.map(({ name }) => name)
}

export const beginUndo = (tx: Db, id: number) =>
  tx.run(sql`
    update imports set status = 'undoing', cursor = 0, due_at = clock_now(), version = version + 1 where id = ${id}`)

/** Recurring work: deletes what was not begun in time, and what undo needs when it is too late for that. */
export async function deleteOldImports(db: Db, signal: AbortSignal): Promise<void> {
  // No upload takes an hour. One whose server was killed counts for its user, who can't see it.
  await db.run(sql`
    delete from imports where started_at is null and created_at < clock_now()
      - case status when 'uploading' then 1 else ${limits.importHours} end * interval '1 hour'`)
  while (!signal.aborted) {
    const { count } = await db.one<{ count: number }>(sql`
      with old as (
        select r.import_id, r.place, r.contact_id from imports i join import_rows r on r.import_id = i.id
        where i.status in ('done', 'undone') and not ${hasDetails}
          and (r.contact_id is null or r.before is not null or r.tag_ids is not null)
        limit 1000
      ), deleted as (
        delete from import_rows r using old
        where r.import_id = old.import_id and r.place = old.place and old.contact_id is null
      ), emptied as (
        update import_rows r set before = null, tag_ids = null from old
        where r.import_id = old.import_id and r.place = old.place and old.contact_id is not null
      )
      select count(*) as count from old`)
    if (count === 0) return
  }
}
