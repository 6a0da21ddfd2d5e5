import { type Page, paginationOf, type SortDirection } from '@sendroom/contract/paging'
import type { Db } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'

type Query = { page: number; pageSize: number; sortDirection: SortDirection; search?: string }

type List = {
  /** `select …` with the columns of a row as the contract names them. */
  select: Sql
  /** `from … where …`, always with a condition: the caller's rights and the search. */
  from: Sql
  sortBy: Sql
  /** The id column, which breaks ties, so that pages never overlap. */
  id: Sql
  /** Everything that decides which rows the list has: its name, the caller, the search. */
  countKey: unknown[]
  /** The number of rows, where it is maintained. Otherwise the rows are counted. */
  total?: (() => Promise<number>) | undefined
  /** `from … where …` with as many rows, where those are quicker to count. Null if there are none. */
  countFrom?: (() => Promise<Sql | null>) | undefined
  /** Finds the ids of a page, where that is quicker than to sort all rows. */
  ids?: ((limit: number, offset: number) => Sql) | undefined
}

/** Reads one page of a list. A page past the end has no rows, but the right count. */
export async function listPage<Row extends object>(db: Db, query: Query, list: List): Promise<Page<Row>> {
  const direction = query.sortDirection === 'asc' ? sql`asc` : sql`desc`
  const order = sql`order by ${list.sortBy} ${direction}, ${list.id} ${direction}`
  const before = (query.page - 1) * query.pageSize
  // On later pages the ids come first. Otherwise the columns of every row of the earlier pages would be computed too.
  const ids =
    list.ids?.(query.pageSize, before) ??
    (before > 0 && sql`select ${list.id} ${list.from} ${order} limit ${query.pageSize} offset ${before}`)
  const isOnPage = ids ? sql`and ${list.id} in (${ids})` : sql``
  const page = db.many<Row>(sql`${list.select} ${list.from} ${isOnPage} ${order} limit ${query.pageSize}`)
  const [data, maintained] = await Promise.all([page, list.total && readTotal(db, list.countKey, list.total)])
  const isLastPage = data.length < query.pageSize && (data.length > 0 || query.page === 1)
  // The last page needs no count. For a search that finds little, counting costs as much as the page itself.
  const total = isLastPage ? before + data.length : (maintained ?? (await count(db, query, list)))
  return { data: [...data], pagination: paginationOf(query, total) }
}

const EXACT_UP_TO = 10_000
/** A maintained number takes as long to read as a page. */
const KEEP_MAINTAINED_MS = 1000
const KEEP_MS = 60_000
/** A search has to look for the rows that it counts. */
const SEARCH_EXACT_UP_TO = 100
const KEEP_SEARCH_MS = 10_000
const MAX_KEPT_COUNTS = 1000

type Counted = { total: Promise<number>; keepUntil: number }
/** The counts of long lists, by database. Counting a million rows for every page would cost more than the page. */
const longLists = new WeakMap<Db, Map<string, Counted>>()

type Keep = (total: Promise<number>, keepMs: number) => Promise<number>

/** Returns the kept count of a list. If there is none, `read` counts, and may keep the result. */
async function readKept(db: Db, countKey: unknown[], read: (keep: Keep) => Promise<number>): Promise<number> {
  const counts = longLists.get(db) ?? new Map<string, Counted>()
  longLists.set(db, counts)
  const key = JSON.stringify(countKey)
  const known = counts.get(key)
  if (known && performance.now() < known.keepUntil) return known.total

  counts.delete(key)
  return read((total, keepMs) => {
    if (counts.size >= MAX_KEPT_COUNTS) counts.clear()
    counts.set(key, { total, keepUntil: performance.now() + keepMs })
    total.catch(() => counts.delete(key))
    return total
  })
}

/** Reads a maintained number. One over 10,000 may be up to a second old. */
const readTotal = (db: Db, countKey: unknown[], read: () => Promise<number>): Promise<number> =>
  readKept(db, countKey, async (keep) => {
    const total = await read()
    return total > EXACT_UP_TO ? keep(Promise.resolve(total), KEEP_MAINTAINED_MS) : total
  })

/**
 * Counts exactly up to 10,000 rows. A larger count may be up to a minute old; that of a search, from 100 rows on, up to
 * ten seconds.
 */
const count = (db: Db, { search }: Query, list: List): Promise<number> =>
  readKept(db, list.countKey, async (keep) => {
    const from = (await list.countFrom?.()) ?? list.from
    const { total: limited } = await db.one<{ total: number }>(sql`
      select count(*) as total from (select 1 ${from} limit ${EXACT_UP_TO + 1}) limited`)
    if (limited > EXACT_UP_TO) return keep(countAll(db, from), KEEP_MS)
    if (search && limited > SEARCH_EXACT_UP_TO) return keep(Promise.resolve(limited), KEEP_SEARCH_MS)
    return limited
  })

async function countAll(db: Db, from: Sql): Promise<number> {
  const { total } = await db.one<{ total: number }>(sql`select count(*) as total ${from}`)
  return total
}
