import { limits } from '@sendroom/contract/limits'
import type { Named } from '@sendroom/contract/values'
import { LOCKS, lock } from '../database/advisory-lock.ts'
import type { Db } from '../database/connection.ts'
import { sql } from '../database/sql.ts'

export const listTags = (db: Db) => db.many<Named>(sql`select id, name from tags order by lower(name), id`)

/** Returns the tags with these names, and keeps them from being deleted. Names of no tag are left out. */
export const findTags = (tx: Db, names: readonly string[]) =>
  tx.many<Named>(sql`
    select id, name from tags where lower(name) in (select lower(name) from unnest(${names}::text[]) name)
    for key share`)

/** Returns the tags with these names, and makes those that are missing. Returns null if there would be too many. */
export async function findOrMakeTags(tx: Db, names: readonly string[]): Promise<Named[] | null> {
  const found = await findTags(tx, names)
  const known = new Set(found.map(({ name }) => name.toLowerCase()))
  if (names.every((name) => known.has(name.toLowerCase()))) return found
  await lock(tx, LOCKS.tags)
  await tx.run(sql`
    insert into tags (name)
    select distinct on (lower(name)) name from unnest(${names}::text[]) with ordinality as given (name, place)
    order by lower(name), place
    on conflict do nothing`)
  const { count } = await tx.one<{ count: number }>(sql`select count(*) as count from tags`)
  return count > limits.tags ? null : findTags(tx, names)
}

/** Returns the tag that was deleted. */
export async function deleteTag(tx: Db, id: number): Promise<Named | null> {
  const tag = await tx.maybeOne<Named>(sql`delete from tags where id = ${id} returning id, name`)
  return tag ?? null
}
