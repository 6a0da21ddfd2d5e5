import { contract } from '@sendroom/contract'
import type { AuditEntry } from '@sendroom/contract/audit'
import { expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'

// Attempts that are refused leave a trace, and can't fill the log.

const context = useContext({ env: { TRUST_PROXY: '127.0.0.1' } })
const { users, jobs, instances } = contract

const entries = () =>
  context.db.many<AuditEntry>(sql`
    select user_name, address, action, details from audit_log where action like 'security.%' order by action, address`)
const flush = async () => (await context.app).refusals.flush()
const inject = async (path: string, headers: Record<string, string>) =>
  (await context.app).inject({ method: 'POST', url: `/api/${path}`, headers, payload: {} })

//
test('refused calls are counted by kind, and by user or address', async () => {
  const lan = await context.add.user({ username: 'lan' })
  const calls = Array.from({ length: 145 })
  await Promise.all(calls.map(() => context.call(lan, users.list, {})))
  for (const from of ['203.0.113.7', '203.0.113.7', '203.0.113.8'])
    await inject('auth/logout', { authorization: 'Bearer guess', 'x-forwarded-for': from })
  await inject('auth/logout', {
    cookie: 'XSRF-TOKEN=a',
    'x-xsrf-token': 'b',
    'x-forwarded-for': '203.0.113.9',
  })
  await inject('webhooks/whapi/guess', { 'x-forwarded-for': '203.0.113.9' })
  await flush()
  await context.call(lan, users.list, {})
  await flush()

  const hour = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/)
  expect(await entries()).toMatchObject([
    { action: 'security.forbidden', userName: 'lan', details: { count: 146, hour } },
    { action: 'security.forged_webhook', address: '203.0.113.9', details: { count: 1 } },
    { action: 'security.forgery', address: '203.0.113.9', details: { count: 1 } },
    { action: 'security.unauthenticated', address: '203.0.113.7', details: { count: 2 } },
    { action: 'security.unauthenticated', address: '203.0.113.8', details: { count: 1 } },
  ])
})

//
test('what is not found is counted from twenty calls on', async () => {
  const lan = await context.add.user()
  const look = () => context.call(lan, jobs.get, { params: { id: 987_654 } })
  for (let call = 0; call < 19; call++) await look()
  await flush()
  expect(await entries()).toEqual([])
  await look()
  await flush()
  expect(await entries()).toMatchObject([{ action: 'security.not_found', details: { count: 20 } }])
})

//
test('addresses without end fill no log', async () => {
  for (let address = 0; address < 600; address++)
    await inject('auth/logout', { 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` })
  await flush()
  const found = await entries()
  expect(found).toHaveLength(501)
  expect(found.find(({ address }) => address === '')).toMatchObject({ details: { count: 100 } })
})

//
test('addresses without end do not hide what a user tries', async () => {
  for (let address = 0; address < 510; address++)
    await inject('auth/logout', { 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` })
  await context.call(await context.add.user({ username: 'lan' }), users.list, {})
  await flush()
  expect(await entries()).toContainEqual(
    expect.objectContaining({ action: 'security.forbidden', userName: 'lan' }),
  )
})

//
test('one network of IPv6 is one address', async () => {
  for (const end of ['1', '2', 'abcd:1'])
    await inject('auth/logout', { 'x-forwarded-for': `2001:db8::${end}` })
  await flush()
  expect(await entries()).toMatchObject([{ address: '2001:db8::1', details: { count: 3 } }])
})

//
test('counts that could not be written are written later', async () => {
  const lan = await context.add.user()
  await context.call(lan, users.list, {})
  await context.db.run(sql`alter function count_refusals rename to away`)
  await flush()
  await context.db.run(sql`alter function away rename to count_refusals`)
  await context.call(lan, users.list, {})
  await flush()
  expect(await entries()).toMatchObject([{ details: { count: 2 } }])
})

//
test('a receiver learns of a new entry once', async () => {
  const lan = await context.add.user()
  await context.db.run(sql`
    insert into webhook_receivers (name, url, secret_cipher, topics, is_active, allows_own_network)
    values ('SIEM', 'https://siem.example', '', '{security}', true, false)`)
  for (let call = 0; call < 3; call++) {
    await context.call(lan, users.list, {})
    await flush()
  }
  expect(await context.db.many(sql`select type, data from webhook_events`)).toEqual([
    { type: 'security.forbidden', data: { auditId: expect.any(Number), userId: lan.id } },
  ])
})

//
test('sixty deletes of one job are one entry', async () => {
  const admin = await context.add.admin()
  const job = await context.add.job()
  await Promise.all(
    Array.from({ length: 60 }, () => context.call(admin, jobs.remove, { params: { id: job.id } })),
  )
  const { count } = await context.db.one<{ count: number }>(sql`
    select count(*) from audit_log where action = 'job.delete'`)
  expect(count).toBe(1)
  expect((await context.call(admin, instances.list, {})).status).toBe(200)
})
