import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { json, sql } from '../src/platform/database/sql.ts'
import { useSharedContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

// How much one user may ask for, so that others are not kept waiting.

const context = useSharedContext()

test('a body of more than 64 kB is refused, except where an endpoint needs more', async () => {
  const admin = await context.add.admin()
  const name = 'x'.repeat(70_000)
  const { id } = await context.add.instance()

  const answers = await Promise.all([
    context.call(admin, contract.instances.update, { params: { id }, body: { name } }),
    context.call(admin, contract.messages.bulkDelete, { body: { ids: [name] } }),
    context.call(admin, contract.jobs.preview, { body: { phoneNumbers: name } }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([413, 413, 200])
})

test('ten thousand ids fit', async () => {
  const admin = await context.add.admin()
  const ids = Array.from({ length: 10_000 }, (_, n) => 1_000_000_000 + n)

  const message = await context.call(admin, contract.messages.create, {
    body: { textContent: 'Hello', groupIds: ids },
  })
  const user = await context.call(admin, contract.users.update, {
    params: admin,
    body: { assignedInstances: ids },
  })

  expect([message.body.fields, user.body.fields]).toEqual([
    { groupIds: 'MESSAGE.GROUP_INVALID' },
    { assignedInstances: 'FIELD.INVALID' },
  ])
})

test('an answer names twenty wrong fields at most, and checks no more', async () => {
  const admin = await context.add.admin()
  const wrong = (count: number) => Array.from({ length: count }, () => 'x')
  const refusals = await Promise.all([
    context.call(admin, contract.jobs.preview, { body: { groupIds: [1, ...wrong(99_999)] } }),
    context.call(admin, contract.messages.create, {
      body: { textContent: 'Hello', groupIds: wrong(10_000) },
    }),
    context.call(admin, contract.users.update, { params: admin, body: { assignedInstances: wrong(10_000) } }),
    context.call(admin, contract.messages.bulkDelete, { body: { ids: wrong(1000) } }),
  ])

  for (const { status, body } of refusals) {
    expect(status).toBe(400)
    expect(Object.keys(body.error).length).toBeGreaterThan(0)
    expect(Object.keys(body.error).length).toBeLessThanOrEqual(20)
  }
  expect(Object.keys(refusals[0]?.body.error ?? {})).toContain('groupIds.1')
})

const statusOf = async (user: TestUser) => (await context.call(user, contract.session.me, {})).status

test('a user may make 1,200 requests a minute, and others are not affected', async () => {
  const [busy, other] = [await context.add.user(), await context.add.user()]
  const statuses = new Set<number>()
  for (let n = 0; n < 12; n++)
    for (const status of await Promise.all(Array.from({ length: 100 }, () => statusOf(busy))))
      statuses.add(status)
  expect([...statuses]).toEqual([200])

  const refused = await context.call(busy, contract.session.me, {})

  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(await statusOf(other)).toBe(200)
})

// R-2171
test('whoever has stolen a session uses up none of the calls by which the owner ends it', async () => {
  const owner = await context.add.user()
  const thief = await context.add.session(owner)
  const call = () => context.call(thief, contract.notices.list, {})
  for (let n = 0; n < 12; n++) await Promise.all(Array.from({ length: 100 }, call))
  for (let n = 0; n < 12; n++) await Promise.all(Array.from({ length: 100 }, () => statusOf(thief)))
  expect([(await call()).status, await statusOf(thief)]).toEqual([429, 429])

  expect(await statusOf(owner)).toBe(200)
  expect((await context.call(owner, contract.factor.get, {})).status).toBe(200)
  expect((await context.call(owner, contract.sessions.endOthers, { params: owner })).status).toBe(204)
  expect(await statusOf(thief)).toBe(401)
})

// R-2171
test('nor do hundreds of slow calls of a stolen session keep the owner from looking at it', async () => {
  const owner = await context.add.admin()
  const thief = await context.add.session(owner)
  const waiting = json({ code: 'account_unpaid', params: {} })
  const { id } = await context.add.instance({ waiting, waitingSince: '2000-01-01T00:00:00Z' })
  const call = () => context.call(thief, contract.instances.resume, { params: { id } })
  const calls = await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${id} for update`)
    const calls = Array.from({ length: 205 }, call)
    await until('five wait for the lock', async () => (await countWaiting(context.db)) === 5)
    expect((await call()).status).toBe(429)
    expect((await context.call(owner, contract.sessions.list, { params: owner })).status).toBe(200)
    return calls
  })
  await Promise.all(calls)
})

test('heavy calls have lower limits for each user', async () => {
  const [busy, other] = [await context.add.user(), await context.add.user()]
  const preview = (user: TestUser) => context.call(user, contract.jobs.preview, { body: {} })
  const answers = await Promise.all(Array.from({ length: 121 }, () => preview(busy)))

  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(1)
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
  expect((await preview(other)).status).toBe(200)
})

//
test('of a user’s requests five run, many wait, more are refused, and others are not kept waiting', async () => {
  const [busy, other] = [await context.add.admin(), await context.add.admin()]
  const waiting = json({ code: 'account_unpaid', params: {} })
  const { id } = await context.add.instance({ waiting, waitingSince: '2000-01-01T00:00:00Z' })
  const statuses: number[] = []
  const call = async () => {
    const answer = await context.call(busy, contract.instances.resume, { params: { id } })
    statuses.push(answer.status)
    return answer
  }

  const calls = await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${id} for update`)
    const calls = Array.from({ length: 205 }, call)
    await until('five wait for the lock', async () => (await countWaiting(context.db)) === 5)
    const more = await Promise.all([call(), call()])
    for (const refused of more)
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect((await context.call(other, contract.jobs.list, { query: {} })).status).toBe(200)
    expect(await countWaiting(context.db)).toBe(5)
    expect(statuses).toEqual([429, 429])
    return calls
  })

  await Promise.all(calls)
  expect(statuses.filter((status) => status === 204)).toHaveLength(205)
})

//
test('a user who follows the events and downloads can go on calling', async () => {
  const user = await context.add.user()
  const streams = Array.from({ length: 5 }, () => context.call(user, contract.events.follow, {}))
  expect((await Promise.all(streams)).map(({ status }) => status)).toEqual(Array(5).fill(200))

  expect(await statusOf(user)).toBe(200)
})
