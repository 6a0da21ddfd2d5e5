import { ContactSearch } from '@sendroom/contract/contacts'
import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { useSharedContext } from '../../../test/context.ts'
import type { Caller } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { searchContacts } from './contacts.queries.ts'

// The rows that PostgreSQL reads for a page of many contacts, by EXPLAIN. Tag n and the value n are those of each nth
// contact, so that some are in nearly all and others in a handful.

const CONTACTS = 100_000
const MOST_ROWS = 10_000
const SHARES = [1, 2, 10, 100, 1000, 20_000]

const context = useSharedContext()
let admin: Caller
let fieldId = 0

beforeAll(async () => {
  const { db, add } = context
  const user = await add.admin()
  const caller = await (await context.app).findCaller(user.token, '127.0.0.1')
  if (!caller) throw new Error('There is no such session.')
  admin = caller
  fieldId = (await add.contactField({ key: 'share', type: 'number' })).id
  // Filled row by row, this index would take longer than everything else.
  const { search } = await db.one<{ search: string }>(
    sql`select pg_get_indexdef('contacts_search'::regclass) as search`,
  )
  await db.run(sql`drop index contacts_search`)
  await db.run(sql`
    insert into contacts (name, numbers, source, source_name, created_at)
    select 'Khách hàng ' || md5(n::text), (84900000000 + n)::text, 'form', 'lan', clock_now() + n * interval '1 second'
    from generate_series(1, ${CONTACTS}::int) n`)
  await db.script(search)
  await db.run(sql`
    insert into contact_identities select 'phone', numbers, id, true from contacts`)
  await db.run(sql`insert into tags (name) select n::text from unnest(${SHARES}::int[]) n`)
  await db.run(sql`
    insert into contact_tags select c.id, t.id from contacts c, tags t where c.id % t.name::int = 0`)
  await db.run(sql`
    insert into contact_values
    select c.id, ${fieldId}, (select max(n) from unnest(${SHARES}::int[]) n where c.id % n = 0)::text from contacts c`)
  await db.run(sql`vacuum analyze contacts, contact_identities, contact_tags, contact_values, tags`)
}, 60_000)

type Plan = Record<string, unknown> & { Plans?: Plan[] }

/** The rows that scans have read, with those that they left out, and the entries of indexes that they looked at. */
function rowsOf(plan: Plan): number {
  const own = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck']
    .map((name) => Number(plan[name] ?? 0) * Number(plan['Actual Loops'] ?? 1))
    .reduce((sum, rows) => sum + rows, 0)
  const below = (plan.Plans ?? []).map(rowsOf).reduce((sum, rows) => sum + rows, 0)
  return (String(plan['Node Type']).endsWith('Scan') ? own : 0) + below
}

/** Runs a search, and returns the rows that its page took. The statements of counts are left out. */
async function rowsOfPage(query: z.input<typeof ContactSearch>): Promise<{ found: number; rows: number }> {
  const pages: Sql[] = []
  const watched: Db = {
    ...context.db,
    many: (statement) => {
      if (statement.text.includes('phone_numbers')) pages.push(statement)
      return context.db.many(statement)
    },
  }
  const { data } = await searchContacts(watched, admin, ContactSearch.parse(query))
  const [page] = pages
  if (!page || pages.length > 1) throw new Error('A page takes one statement.')
  const explained = await context.db.one<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    sql`explain (analyze, timing off, format json) ${page}`,
  )
  const [{ Plan: plan }] = Object.values(explained)[0] as [{ Plan: Plan }] // the only column
  return { found: data.length, rows: rowsOf(plan) }
}

const tag = (share: number) => ({ tagIds: [SHARES.indexOf(share) + 1] })
const value = (share: number) => ({ fields: [{ key: 'share', value: share }] })

//
test.each([
  ['the first page', {}, 10],
  ['the first page, newest first', { sortBy: 'createdAt', sortDirection: 'desc' }, 10],
  ['page 500', { page: 500 }, 10],
  ['what everybody has', { search: 'khach' }, 10],
  ['two letters of everybody', { search: 'kh' }, 10],
  ['two letters of nobody', { search: 'zz' }, 0],
  ['one letter of nobody', { search: 'z' }, 0],
  ['a number', { search: '0900012345' }, 1],
  ['nobody', { search: 'zzzz' }, 0],
  ...SHARES.flatMap((share): [string, object, number][] => [
    [`the tag of each ${share}th`, tag(share), Math.min(10, CONTACTS / share)],
    [`the value of each ${share}th`, value(share), Math.min(10, CONTACTS / share)],
    [
      `the tag of each ${share}th, newest first`,
      { ...tag(share), sortBy: 'createdAt', sortDirection: 'desc' },
      Math.min(10, CONTACTS / share),
    ],
    [
      `the tag of each ${share}th and what everybody has`,
      { ...tag(share), search: 'khach' },
      Math.min(10, CONTACTS / share),
    ],
  ]),
  ['a common and a rare tag', { tagIds: [2, 5] }, 10],
  ['a tag and a value that nobody has together', { tagIds: [6], fields: [{ key: 'share', value: 2 }] }, 0],
  ['a value that nobody has', { fields: [{ key: 'share', value: 3 }] }, 0],
  ['a tag that nobody has', { tagIds: [99] }, 0],
] as [string, z.input<typeof ContactSearch>, number][])(
  '%s reads few rows',
  async (_what, query, expected) => {
    const { found, rows } = await rowsOfPage(query)

    expect(found).toBe(expected)
    expect(rows).toBeLessThan(MOST_ROWS)
  },
)

//
test.each([
  ['a tag', tag(2), 50_000],
  ['two tags', { tagIds: [1, 2] }, 50_000],
  ['a tag and a value', { ...tag(2), ...value(2) }, 40_000],
])('all contacts with %s are counted without reading them', async (_what, query, expected) => {
  const counts: string[] = []
  const watched: Db = {
    ...context.db,
    one: (statement) => {
      if (statement.text.includes('as total')) counts.push(statement.text)
      return context.db.one(statement)
    },
  }
  const { pagination } = await searchContacts(watched, admin, ContactSearch.parse(query))

  expect(pagination.totalCount).toBe(expected)
  expect(counts).toHaveLength(2)
  expect(counts.join()).not.toContain('from contacts')
})
