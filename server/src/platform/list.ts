import { type Page, paginationOf, type SortDirection } from '@sendroom/contract/paging'
import type { Db } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'

type Query = { page: number; pageSize: number; sortDirection: SortDirection }

type List = {
  /** `select …`, the columns of a row as the contract names them. */
  select: Sql
  /** `from … where …`, always with a condition: who may see what, and the search. */
  from: Sql
  sortBy: Sql
  /** The id column: it breaks ties, so that pages never overlap. */
  id: Sql
  /** What else decides which rows there are: the list's name, the caller, the search. */
  countKey: unknown[]
}

/** One page of a list. A page past the end has no rows, and the right count all the same. */
export async function listPage<Row extends object>(db: Db, query: Query, list: List): Promise<Page<Row>> {
  const direction = query.sortDirection === 'asc' ? sql`asc` : sql`desc`
  const order = sql`order by ${list.sortBy} ${direction}, ${list.id} ${direction}`
  const before = (query.page - 1) * query.pageSize
  // The ids first: else what a row is made of would be looked up for every row of the pages before, too.
  const data = await db.many<Row>(sql`
    ${list.select} ${list.from} and ${list.id} in (
      select ${list.id} ${list.from} ${order} limit ${query.pageSize} offset ${before}
    ) ${order}`)
  const isLastPage = data.length < query.pageSize && (data.length > 0 || query.page === 1)
  // A search that finds little is as dear to count as to show.
  const total = isLastPage ? before + data.length : await count(db, list)
  return { data: [...data], pagination: paginationOf(query, total) }
}

const EXACT = 10_000
const KEEP_MS = 60_000
const KEEP_COUNTS = 1000

type Counted = { total: Promise<number>; at: number }
/** Counts of long lists by database: counting a million rows at every page would cost more than the page. */
const longLists = new WeakMap<Db, Map<string, Counted>>()

/** Exact up to 10,000 rows; beyond that it may be up to a minute old. */
async function count(db: Db, { from, countKey }: List): Promise<number> {
  const counts = longLists.get(db) ?? new Map<string, Counted>()
  longLists.set(db, counts)
  const key = JSON.stringify(countKey)
  const known = counts.get(key)
  if (known && performance.now() - known.at < KEEP_MS) return known.total

  counts.delete(key)
  const { total: first } = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 ${from} limit ${EXACT + 1}) first`)
  if (first <= EXACT) return first
  return keepCount(counts, key, countAll(db, from))
}

function keepCount(counts: Map<string, Counted>, key: string, total: Promise<number>): Promise<number> {
  if (counts.size >= KEEP_COUNTS) counts.clear()
  counts.set(key, { total, at: performance.now() })
  total.catch(() => counts.delete(key))
  return total
}

async function countAll(db: Db, from: Sql): Promise<number> {
  const { total } = await db.one<{ total: number }>(sql`select count(*) as total ${from}`)
  return total
}
