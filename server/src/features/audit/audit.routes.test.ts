import { text } from 'node:stream/consumers'
import { contract } from '@sendroom/contract'
import type { AuditListQuery } from '@sendroom/contract/audit'
import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import type { Caller } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { sql } from '../../platform/database/sql.ts'
import { openExports } from '../../platform/export/exports.ts'
import { exportEntries } from './export.ts'

const context = useContext()
let admin: TestUser
beforeEach(async () => {
  admin = await context.add.admin({ username: 'an' })
})

const lan = { id: 7, username: 'Lan', address: '10.0.0.7' }
const list = async (query: Partial<AuditListQuery> = {}) =>
  (await context.call(admin, contract.audit.list, { query })).body
const actionsIn = async (query: Partial<AuditListQuery>) =>
  (await list(query)).data.map(({ action }) => action)

test('an entry has exactly these fields', async () => {
  await context.setClock('2026-02-03T04:05:06.000Z')
  const object = { type: 'message', id: 3, name: 'Xin chào' } as const
  await context.db.begin((tx) =>
    record(tx, lan, { action: 'message.create', object, details: { text: 'Xin chào' } }),
  )
  const { data, pagination } = await list()
  expect(data).toEqual([
    {
      id: 1,
      at: expect.stringContaining('2026-02-03T04:05:'),
      userId: 7,
      userName: 'Lan',
      address: '10.0.0.7',
      action: 'message.create',
      objectType: 'message',
      objectId: 3,
      objectName: 'Xin chào',
      details: { text: 'Xin chào' },
    },
  ])
  expect(pagination).toMatchObject({ currentPage: 1, totalCount: 1 })
})

test('the newest entries come first, and can come last', async () => {
  for (const action of ['session.sign_in', 'group.export', 'session.sign_out'] as const)
    await context.db.begin((tx) => record(tx, lan, { action }))
  const newestFirst = ['session.sign_out', 'group.export', 'session.sign_in']
  expect(await actionsIn({})).toEqual(newestFirst)
  expect(await actionsIn({ sortDirection: 'asc' })).toEqual(newestFirst.toReversed())
  expect(await actionsIn({ page: 2, pageSize: 2 })).toEqual(newestFirst.slice(2))
})

test.each([
  ['the user', 'LAN', ['message.update', 'session.sign_in']],
  ['the address', '10.0.0.7', ['message.update', 'session.sign_in']],
  ['the object', 'uu dai', ['message.update']],
  ['the text', 'giam gia', ['message.update']],
  ['the former text', 'tang qua', ['message.update']],
  ['nothing else', 'details', []],
])('a search finds %s without accents', async (_, search, found) => {
  const object = { type: 'message', id: 3, name: 'Ưu đãi' } as const
  const details = { text: 'Giảm giá', formerText: 'Tặng quà' }
  await context.db.begin((tx) => record(tx, lan, { action: 'session.sign_in' }))
  await context.db.begin((tx) => record(tx, lan, { action: 'message.update', object, details }))
  await context.db.begin((tx) =>
    record(tx, { ...lan, username: 'Minh', address: '10.0.0.8' }, { action: 'session.sign_out' }),
  )
  expect(await actionsIn({ search })).toEqual(found)
})

test('entries are filtered by action and by time', async () => {
  for (const [at, action] of [
    ['2026-01-31T16:59:59Z', 'session.sign_in'],
    ['2026-01-31T17:00:00Z', 'session.sign_in'],
    ['2026-02-01T16:59:59Z', 'session.sign_out'],
    ['2026-02-01T17:00:00Z', 'session.sign_in'],
  ])
    await context.db.run(sql`
      insert into audit_log (at, user_name, address, action, object_name, details)
      values (${at}, '', '', ${action}, '', '{}')`)
  const idsIn = async (query: Partial<AuditListQuery>) => (await list(query)).data.map(({ id }) => id)
  const day = { from: '2026-01-31T17:00:00Z', to: '2026-02-01T17:00:00Z' }
  expect(await idsIn(day)).toEqual([3, 2])
  expect(await idsIn({ ...day, action: 'session.sign_in' })).toEqual([2])
  expect(await idsIn({ action: 'session.sign_in' })).toEqual([4, 2, 1])
  const { status, body } = await context.call(admin, contract.audit.list, {
    query: { from: 'yesterday', action: 'all' as never },
  })
  expect([status, Object.keys(body.fields ?? {})]).toEqual([400, ['action', 'from']])
})

async function exported(query: Partial<AuditListQuery> = {}) {
  const { status, headers, raw } = await context.call(admin, contract.audit.export, { query })
  expect(status).toBe(200)
  return { headers, text: raw.toString() }
}

test('the export is CSV with the same filters, and is recorded', async () => {
  await context.setClock('2026-02-03T18:00:00.000Z')
  await context.db.run(sql`update sessions set confirmed_at = clock_now()`)
  const object = { type: 'message', id: 3, name: '=HYPERLINK("http://x")' } as const
  await context.db.begin((tx) =>
    record(tx, lan, { action: 'message.create', object, details: { text: 'a "b",\nc' } }),
  )
  await context.db.begin((tx) => record(tx, { ...lan, username: 'Minh' }, { action: 'session.sign_in' }))

  const { headers, text } = await exported({ search: 'lan' })

  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(headers['content-disposition']).toMatch(/^attachment; filename="Audit_log_2026-02-04\.csv"; /)
  const [head, row, ...more] = text.split('\r\n')
  expect(head).toBe('\ufeff"Time","User","Action","Object","Object id","Object name","Address","Details"')
  expect(row?.slice(row.indexOf(','))).toBe(
    ',"Lan","message.create","message","3","\'=HYPERLINK(""http://x"")","10.0.0.7","{""text"":""a \\""b\\"",\\nc""}"',
  )
  expect(more).toEqual([''])
  expect((await list()).data[0]).toMatchObject({
    action: 'audit.export',
    userName: 'an',
    details: { filter: { search: 'lan' } },
  })
})

test.each(['=1', '+1', '-1', '@x', '\tx', '\rx'])('a name such as %j is no formula', async (name) => {
  await context.db.begin((tx) => record(tx, { ...lan, username: name }, { action: 'session.sign_in' }))
  expect((await exported({ action: 'session.sign_in' })).text).toContain(`,"'${name}","session.sign_in"`)
})

test('a long export has each entry once, the newest up to its limit', async () => {
  await context.db.run(sql`
    insert into audit_log (at, user_name, address, action, object_name, details)
    select 'epoch'::timestamptz + (n / 70) * interval '1 s', 'user ' || n, '', 'session.sign_in', '', '{}'
    from generate_series(1, 1300) n`)
  const caller = (await (await context.app).findCaller(admin.token, '127.0.0.1')) as Caller
  const filter = { search: '', action: 'session.sign_in' as const, from: undefined, to: undefined }
  const deps = { db: context.db, exports: openExports() }
  const { file } = await exportEntries(
    deps,
    { caller, recheck: async () => caller },
    filter,
    new AbortController().signal,
    1250,
  )
  const lines = (await text(file)).split('\r\n').slice(1, -1)
  const names = lines.map((line) => line.split(',')[1])
  expect(names).toEqual(Array.from({ length: 1250 }, (_, n) => `"user ${1300 - n}"`))
})

test('an export from a day that the database does not know is refused, not broken off', async () => {
  const query = { from: '0000-01-01T00:00:00Z' }
  const { status, body } = await context.call(admin, contract.audit.export, { query })
  expect([status, body.code]).toEqual([400, 'invalid_input'])
})

//
test.each([17, 90, 200, 10_000])(
  'a time of an export with %i digits of a second is no error of ours',
  async (n) => {
    const query = { to: `2026-01-01T00:00:00.${'9'.repeat(n)}Z` }
    for (const endpoint of [contract.audit.export, contract.audit.list]) {
      const { status } = await context.call(admin, endpoint, { query })
      expect(status).toBe(n < 20 ? 200 : 400)
    }
  },
)
