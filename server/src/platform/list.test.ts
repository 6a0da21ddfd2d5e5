import { expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { sql } from './database/sql.ts'
import { listPage } from './list.ts'

const context = useContext()

async function numbers(
  query: { page?: number; pageSize?: number; sortDirection?: 'asc' | 'desc'; search?: string } = {},
) {
  const { db } = context
  return listPage<{ id: number; kind: number }>(
    db,
    { page: 1, pageSize: 10, sortDirection: 'asc', ...query },
    {
      select: sql`select n.id, n.kind`,
      from: sql`from numbers n where n.id > ${0}`,
      sortBy: sql`n.kind`,
      id: sql`n.id`,
      countKey: ['numbers'],
    },
  )
}

const fill = (count: number) =>
  context.db.run(
    sql`create table numbers as select id, id % 3 as kind from generate_series(1, ${count}::int) id`,
  )

//
test('ties are broken by id in the direction of the sort, so pages never overlap', async () => {
  await fill(9)

  const up = [await numbers({ pageSize: 5 }), await numbers({ pageSize: 5, page: 2 })]
  const down = await numbers({ sortDirection: 'desc' })

  expect(up.flatMap(({ data }) => data.map(({ id }) => id))).toEqual([3, 6, 9, 1, 4, 7, 2, 5, 8])
  expect(down.data.map(({ id }) => id)).toEqual([8, 5, 2, 7, 4, 1, 9, 6, 3])
})

//
test('a page past the end is empty and has the right count', async () => {
  await fill(25)

  expect(await numbers({ page: 9 })).toEqual({
    data: [],
    pagination: {
      currentPage: 9,
      pageSize: 10,
      totalCount: 25,
      totalPages: 3,
      hasPrevious: true,
      hasNext: false,
    },
  })
})

//
test('counts up to 10,000 are always exact', async () => {
  await fill(10_000)
  expect((await numbers()).pagination.totalCount).toBe(10_000)
  await context.db.run(sql`delete from numbers where id = 1`)
  expect((await numbers()).pagination.totalCount).toBe(9999)
})

//
test('the count of a search is exact up to 100, and cached from there on', async () => {
  const search = 'n'
  await fill(102)
  await context.db.run(sql`delete from numbers where id < 3`)
  expect((await numbers({ search })).pagination.totalCount).toBe(100)
  await context.db.run(sql`insert into numbers values (1, 1)`)
  expect((await numbers({ search })).pagination.totalCount).toBe(101)
  await context.db.run(sql`delete from numbers where id < 3`)
  expect((await numbers({ search })).pagination.totalCount).toBe(101)
})

//
test('the exact count of a longer list is cached', async () => {
  await fill(10_005)
  expect((await numbers()).pagination.totalCount).toBe(10_005)
  await context.db.run(sql`delete from numbers where id = 1`)
  expect((await numbers()).pagination.totalCount).toBe(10_005)
})

//
test('the last page needs no count', async () => {
  await fill(10_005)
  await numbers()
  await context.db.run(sql`delete from numbers where id = 1`)

  const last = await numbers({ page: 1001 })

  expect(last.data).toHaveLength(4)
  expect(last.pagination).toMatchObject({ totalCount: 10_004, totalPages: 1001, hasNext: false })
})

test('a maintained number is read once a second when it is over 10,000, and otherwise for each page', async () => {
  await fill(11)
  const { db } = context
  let reads = 0
  const read = (key: string, total: number) =>
    listPage(
      db,
      { page: 1, pageSize: 10, sortDirection: 'asc' },
      {
        select: sql`select n.id`,
        from: sql`from numbers n where true`,
        ...{ sortBy: sql`n.kind`, id: sql`n.id`, countKey: [key] },
        total: async () => {
          reads++
          return total
        },
      },
    )
  const readsOf = async (key: string, total: number) => {
    reads = 0
    for (let page = 0; page < 3; page++) expect((await read(key, total)).pagination.totalCount).toBe(total)
    return reads
  }

  expect(await readsOf('short', 10_000)).toBe(3)
  expect(await readsOf('long', 10_001)).toBeLessThan(3)
})
