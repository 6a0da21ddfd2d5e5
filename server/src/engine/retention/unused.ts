import { nobody, record } from '../../platform/audit.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { identifier, type Sql, sql } from '../../platform/database/sql.ts'

/*
 * Deletes what nobody has used for so many days. A slice looks at the next rows of a table by their ids, and
 * `retention` keeps where it ended. So a restart goes on there, and rows that are still used are not read again before
 * all others.
 */

/** `isComplete` is false if some of what can go may be left for the next slice. */
type Deleted = { count: number; isComplete: boolean }

export type Kind = {
  /** As in the columns of `retention`. */
  name: 'message' | 'group' | 'contact'
  table: string
  /** Deletes those of the rows that nobody has used since. */
  deleteUnused: (tx: Tx, ids: readonly number[], since: Sql, limit: number) => Promise<Deleted>
}

/** `isThrough` once the last row of the table was looked at. */
export type Look = { count: number; isThrough: boolean }

export async function lookForUnused(tx: Tx, kind: Kind, limit: number): Promise<Look> {
  const [days, cursor] = [identifier(`${kind.name}_days`), identifier(`${kind.name}_cursor`)]
  // Whoever changes the settings has locked the row. Then the next run goes on.
  const at = await tx.maybeOne<{ after: number }>(sql`
    select ${cursor} as after from retention where ${days} is not null for no key update skip locked`)
  if (!at) return { count: 0, isThrough: true }
  const next = sql`select id from ${identifier(kind.table)} where id > ${at.after} order by id limit ${limit}`
  const ids = await idsOf(tx, next)
  const since = sql`(select clock_now() - ${days} * interval '1 day' from retention)`
  const { count, isComplete } = await kind.deleteUnused(tx, ids, since, limit)
  const isThrough = isComplete && ids.length < limit
  if (isComplete) await tx.run(sql`update retention set ${cursor} = ${isThrough ? 0 : (ids.at(-1) ?? 0)}`)
  if (count > 0)
    await record(tx, nobody(''), { action: 'retention.delete', details: { [kind.table]: count } })
  return { count, isThrough }
}

/**
 * Locks those of the rows `x` that are unused, and returns their ids. Rows that somebody else has locked are used. What
 * was saved just before the lock is seen only by a statement that begins after it, so the condition is asked twice.
 */
export async function lockUnused(
  tx: Db,
  table: string,
  ids: readonly number[],
  isUnused: Sql,
  limit = ids.length,
): Promise<number[]> {
  const locked = await idsOf(
    tx,
    sql`${unusedAmong(table, ids, isUnused)} limit ${limit} for update skip locked`,
  )
  return locked.length > 0 ? findUnused(tx, table, locked, isUnused) : []
}

/** The same without a lock. */
export const findUnused = (tx: Db, table: string, ids: readonly number[], isUnused: Sql): Promise<number[]> =>
  idsOf(tx, unusedAmong(table, ids, isUnused))

const unusedAmong = (table: string, ids: readonly number[], isUnused: Sql) => sql`
  select x.id from ${identifier(table)} x where x.id = any(${ids}::bigint[]) and ${isUnused} order by x.id`

const idsOf = async (db: Db, query: Sql): Promise<number[]> =>
  (await db.many<{ id: number }>(query)).map(({ id }) => id)

/** Condition: the job `j` has not ended, or ended since. */
export const isUsing = (since: Sql) =>
  sql`(j.settling or j.completed_at is null or j.completed_at >= ${since})`

/** Condition: there is none of these rows. The offset keeps PostgreSQL from reading the whole table for a slice. */
export const none = (from: Sql) => sql`not exists (select ${from} offset 0)`
