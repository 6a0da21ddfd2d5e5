import { type Caller, canUseList, managesContacts } from '../access.ts'
import { LOCKS, lockShared } from '../database/advisory-lock.ts'
import type { Db } from '../database/connection.ts'
import { join, type Sql, sql } from '../database/sql.ts'
import { Refusal } from '../refusal.ts'
import { fixedOf, inFixed, inList, isInFixed, isInList, isInOneOf, type StoredList } from './filter.ts'

/*
 * The contacts of lists, for whoever sends to them or shows them.
 */

/** Returns the lists among these that the caller may use. */
export const readLists = (db: Db, caller: Caller, ids: readonly number[]) =>
  db.many<StoredList>(sql`${listsFor(caller)} and l.id = any(${ids}::bigint[]) order by l.id`)

/**
 * The same, and keeps the lists from being changed and deleted until the transaction ends. Nor does the retention
 * delete contacts meanwhile: a job reads its people in several statements.
 */
export async function lockListsForShare(
  tx: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<StoredList[]> {
  await lockShared(tx, LOCKS.peopleOfJobs)
  return tx.many<StoredList>(
    sql`${listsFor(caller)} and l.id = any(${ids}::bigint[]) order by l.id for share`,
  )
}

const listsFor = (caller: Caller) => sql`select l.id, l.filter from lists l where ${canUseList(caller, 'l')}`

/**
 * `select` of the ids of all contacts that are in one of these lists, each once. For all of them at once: each list is
 * found by its own index. A page of one list takes `isInList`.
 */
export async function contactsOfLists(db: Db, lists: readonly StoredList[]): Promise<Sql> {
  const parts = [sql`select contact_id as id ${inFixed(fixedOf(lists))}`]
  for (const list of lists) if (list.filter) parts.push(sql`select c.id ${await inList(db, list)}`)
  return join(parts, ' union ')
}

/** SQL condition: the caller sees the contact `c`, in one of their lists. For few contacts: it tries list by list. */
export async function canSeeContact(db: Db, caller: Caller): Promise<Sql> {
  if (managesContacts(caller)) return sql`true`
  const lists = await db.many<StoredList>(listsFor(caller))
  return lists.length > 0 ? isInOneOf(db, lists) : sql`false`
}

/** The same for a walk over all contacts: all fixed lists are found by one index, and each filter by its own. */
export async function isAmongVisible(db: Db, caller: Caller): Promise<Sql> {
  if (managesContacts(caller)) return sql`true`
  const lists = await db.many<StoredList>(listsFor(caller))
  const conditions = [await isInFixed(db, fixedOf(lists))]
  for (const list of lists) if (list.filter) conditions.push(await isInList(db, list))
  return sql`(${join(conditions, ' or ')})`
}

type Part = { tagId: number } | { fieldKey: string; choices?: readonly string[] }

/**
 * Throws if the stored filter of a list has this tag or field, or one of these choices: without it the filter would
 * find other contacts. Whoever stores a filter locks its tags and fields, so call this after the change.
 */
export async function refuseIfFiltered(tx: Db, part: Part): Promise<void> {
  const hasPart =
    'tagId' in part ? sql`l.filter -> 'tagIds' @> to_jsonb(${part.tagId}::bigint)` : hasField(part)
  const list = await tx.maybeOne<{ name: string }>(sql`
    select l.name from lists l where ${hasPart} order by l.id limit 1`)
  if (list) throw new Refusal('used_by_list', { list: list.name })
}

const hasField = ({ fieldKey, choices }: Extract<Part, { fieldKey: string }>) => sql`exists (
  select from jsonb_array_elements(l.filter -> 'fields') f
  where f ->> 'key' = ${fieldKey}
    and (${choices ?? null}::text[] is null or normalize(btrim(f ->> 'value'), nfc) = any(${choices ?? []}::text[])))`
