import { beforeAll, expect, test } from 'vitest'
import { json, sql } from '../src/platform/database/sql.ts'
import { useSharedContext } from './context.ts'

// All lists have in common their bounds, defaults, orders, searches and pages. Nothing here comes from the contract.
// Each test uses its own data.

const context = useSharedContext()
let token = ''

beforeAll(async () => {
  token = (await context.add.admin()).token
})

const lists = ['messages', 'jobs', 'groups', 'instances', 'users', 'api-keys']

async function ask(path: string, payload?: object) {
  const answer = await (await context.app).inject({
    method: payload ? 'POST' : 'GET',
    url: `/api/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  })
  return { status: answer.statusCode, body: answer.json() }
}
const read = async (path: string) => (await ask(path)).body

const x = (length: number) => 'x'.repeat(length)
let count = 0
/** A word that no other test searches for. */
const newWord = () => `w${count++}x`

// R-2017
//
test.each(lists)('%s takes page, pageSize, sortBy, sortDirection and search within bounds', async (list) => {
  /** The status, or the names of the refused fields. */
  const verdict = async (query: string) => {
    const { status, body } = await ask(`${list}?${query}`)
    return status === 400 ? Object.keys(body.fields) : status
  }

  expect(await verdict('sortDirection=asc')).toBe(200)
  expect(await verdict('sortDirection=desc')).toBe(200)
  expect(await verdict('sortDirection=up')).toEqual(['sortDirection'])
  expect(await verdict('sortBy=id')).toBe(200)
  expect(await verdict('sortBy=passwordHash')).toEqual(['sortBy'])
  expect(await verdict('page=1')).toBe(200)
  for (const page of ['0', '-1', '1.5', 'two']) expect(await verdict(`page=${page}`)).toEqual(['page'])
  for (const size of [1, 10, 25, 50, 100, 1000]) expect(await verdict(`pageSize=${size}`)).toBe(200)
  for (const size of ['0', '1001', '2.5']) expect(await verdict(`pageSize=${size}`)).toEqual(['pageSize'])
  expect(await verdict(`search=${x(200)}`)).toBe(200)
  expect(await verdict(`search=${x(201)}`)).toEqual(['search'])
})

//
test.each([
  ...lists,
  'groups/search',
  'contacts/search',
  'opt-outs/search',
  'possible-opt-outs',
  'jobs/#/sent-messages',
  'jobs/#/recipients',
  'jobs/#/logs',
])('%s answers data and pagination', async (list) => {
  for (let n = 0; n < 3; n++) {
    await context.add.user()
    await context.add.message()
    await context.add.group()
    await context.add.contact()
    await context.add.apiKey(await context.add.user())
    await context.add.job({ recipients: [] })
  }
  await context.db.run(sql`
    with stopped as (
      insert into opt_outs (is_for_all, source, phone, said_at)
      select true, 'form', '84901234567', clock_now() from generate_series(1, 3)
    )
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
    select (select max(id) from instances), '84901234567', 'contains', '', gen_random_uuid()::text, clock_now()
    from generate_series(1, 3)`)
  const job = await context.add.job({ deliveryStatus: 'sent' })
  await context.db.run(sql`
      insert into job_logs (job_id, log_level, reason)
      select ${job.id}, 'Info', ${json({ code: 'job_started', params: {} })} from generate_series(1, 3)`)
  const path = list.replace('#', String(job.id))
  const page = (query: { page: number; pageSize: number }) =>
    list.endsWith('search') ? ask(path, query) : ask(`${path}?page=${query.page}&pageSize=${query.pageSize}`)

  const { totalCount } = (await page({ page: 1, pageSize: 1 })).body.pagination
  expect(totalCount).toBeGreaterThan(2)
  expect((await page({ page: totalCount, pageSize: 1 })).body).toEqual({
    data: [expect.any(Object)],
    pagination: {
      currentPage: totalCount,
      pageSize: 1,
      totalCount,
      totalPages: totalCount,
      hasPrevious: true,
      hasNext: false,
    },
  })
})

//
test('a list has page 1 with 10 rows by default', async () => {
  for (let n = 0; n < 11; n++) {
    await context.add.apiKey(await context.add.user())
    await context.add.message()
    await context.add.group()
    await context.add.job({ recipients: [] })
  }

  for (const list of lists) {
    const { data, pagination } = await read(list)
    expect(data).toHaveLength(10)
    expect(pagination).toMatchObject({ currentPage: 1, pageSize: 10, hasPrevious: false, hasNext: true })
  }
})

//
test('a list takes empty strings like missing parameters', async () => {
  for (const list of lists) {
    const { pagination } = await read(`${list}?page=&pageSize=&sortBy=&sortDirection=&search=`)
    expect(pagination).toMatchObject({ currentPage: 1, pageSize: 10 })
  }
})

//
test('a list is empty past its end, without an error', async () => {
  for (const list of lists) {
    const { data, pagination } = await read(`${list}?page=1000&pageSize=100`)
    expect(data).toEqual([])
    expect(pagination.totalCount).toBeGreaterThan(0)
  }
})

type Value = string | number | boolean
const valuesOf = (rows: Record<string, Value>[], field: string): Value[] =>
  rows.map((row) => row[field] ?? '')
const sorted = (values: Value[], direction: string) => {
  const up = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return direction === 'asc' ? up : up.toReversed()
}

test.each([
  //
  ['messages', 'newest first', 'id', 'desc'],
  //
  ['jobs', 'newest first', 'id', 'desc'],
  //
  ['groups', 'by name, ascending', 'name', 'asc'],
  //
  ['instances', 'by createdAt, descending', 'createdAt', 'desc'],
  //
  ['users', 'descending, without a field of its own', 'id', 'desc'],
])('%s are sorted by default: %s', async (list, _order, by, direction) => {
  for (const name of ['b', 'a', 'c']) {
    await context.add.user()
    await context.add.message()
    await context.add.group({ name })
    await context.add.instance({ name, createdAt: `2030-01-0${name === 'a' ? 1 : 2}T00:00:00Z` })
    await context.add.job({ recipients: [] })
  }

  const values = valuesOf((await read(`${list}?pageSize=100`)).data, by)

  expect(new Set(values).size).toBeGreaterThan(2)
  expect(values).toEqual(sorted(values, direction))
})

const dayOf = (n = 1) => `2026-01-0${n}T00:00:00.000Z`

/** Adds the n-th of three rows. Almost each field has an order of its own, and `name` the searched word. */
const addRow: Record<string, (name: string, n: 0 | 1 | 2) => Promise<unknown>> = {
  messages: (name, n) =>
    context.add.message({
      textContent: name,
      createdByUserName: ['c', 'a', 'b'][n],
      createdAt: dayOf(3 - n),
    }),
  jobs: (name, n) =>
    context.add.job({
      textContent: name,
      jobType: n === 1 ? 'SendToUsers' : 'SendToGroups',
      status: (['Running', 'Failed', 'Pending'] as const)[n],
      scheduledAt: dayOf([2, 1, 3][n]),
      createdAt: dayOf(3 - n),
      recipients: [],
    }),
  groups: async (name, n) => {
    const { id: instanceId } = await context.add.instance({ lastSyncAt: dayOf(3 - n) })
    await context.add.group({ instanceId, name, participantCount: [30, 10, 20][n] })
  },
  instances: (name, n) =>
    context.add.instance({
      name,
      whatsAppNumber: ['2', '1', '3'][n],
      isActive: n === 1,
      status: ['Unpaid', 'Connected', 'NeedsLogin'][n],
      createdAt: dayOf(3 - n),
      expiredTime: dayOf([1, 3, 2][n]),
    }),
  users: async (name, n) => {
    const email = `${['c', 'a', 'b'][n]} ${name}@example.com`
    const role = n === 1 ? 'Admin' : 'Member'
    const { id } = await context.add.user({ username: name, email, role, isActive: n > 0 })
    await context.db.run(sql`update users set created_at = ${dayOf(3 - n)} where id = ${id}`)
  },
}

//
test.each([
  ['messages', ['id', 'textContent', 'createdByUserName', 'createdAt']],
  ['jobs', ['id', 'jobType', 'messageTitle', 'status', 'scheduledAt', 'createdAt']],
  ['groups', ['id', 'name', 'participantCount', 'lastSyncAt']],
  ['instances', ['id', 'name', 'whatsAppNumber', 'isActive', 'createdAt', 'expiredTime', 'status']],
  ['users', ['id', 'username', 'email', 'role', 'isActive', 'createdAt']],
])('%s sort by each of their fields, both ways, page after page', async (list, fields) => {
  const word = newWord()
  for (const [n, letter] of [
    [0, 'b'],
    [1, 'c'],
    [2, 'a'],
  ] as const)
    await addRow[list]?.(`${letter} ${word}`, n)

  for (const field of fields)
    for (const direction of ['asc', 'desc']) {
      const page = (n: number) =>
        read(`${list}?search=${word}&sortBy=${field}&sortDirection=${direction}&page=${n}&pageSize=2`)
      const rows = [...(await page(1)).data, ...(await page(2)).data]
      expect(new Set(valuesOf(rows, 'id')).size).toBe(3)
      const values = valuesOf(rows, field)
      expect(new Set(values).size).toBeGreaterThan(1)
      expect(values).toEqual(sorted(values, direction))
    }
})

//
test.each([
  //
  ['messages', 'textContent', (textContent: string) => context.add.message({ textContent })],
  //
  ['jobs', 'messageTitle', (textContent: string) => context.add.job({ textContent, recipients: [] })],
  //
  ['groups', 'name', (name: string) => context.add.group({ name })],
  //
  ['instances', 'name', (name: string) => context.add.instance({ name })],
  //
  ['instances', 'whatsAppNumber', (whatsAppNumber: string) => context.add.instance({ whatsAppNumber })],
  //
  ['users', 'username', (username: string) => context.add.user({ username })],
  //
  ['users', 'email', (email: string) => context.add.user({ email })],
] as const)('%s are searched by %s, literally and without accents', async (list, field, add) => {
  const word = newWord()
  for (const text of ['50% off', '500 off', 'snake_case', 'snakeXcase', 'Khách Đỗ']) await add(word + text)
  const found = async (search: string) =>
    valuesOf((await read(`${list}?search=${encodeURIComponent(word + search)}`)).data, field)

  expect(await found('50%')).toEqual([`${word}50% off`])
  expect(await found('SNAKE_')).toEqual([`${word}snake_case`])
  expect(await found('khach do')).toEqual([`${word}Khách Đỗ`])
  expect(await found('')).toHaveLength(5)
  expect(await found('nothing')).toEqual([])
})
