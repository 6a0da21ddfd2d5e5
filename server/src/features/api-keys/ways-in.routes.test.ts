import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'

// Attacks by a thief of a key, or by a user with many keys.

const context = useContext()
const { groups, jobs, messages } = contract

// R-2150
test('all keys of a user together get as many turns as the user, however many they are', async () => {
  const [owner, other] = [await context.add.user(), await context.add.user()]
  const keys = await Promise.all(
    Array.from({ length: limits.apiKeysPerUser }, () => context.add.apiKey(owner)),
  )
  const write = (user: typeof owner) =>
    context.call(user, messages.create, { body: { textContent: 'Hello', groupIds: [] } })
  const calls = await context.db.begin(async (tx) => {
    await tx.run(sql`select from users where id = ${owner.id} for update`)
    const calls = keys.map(write)
    await until('five wait for the lock', async () => (await countWaiting(context.db)) >= 5)
    expect((await write(other)).status).toBe(201)
    expect(await countWaiting(context.db)).toBe(5)
    return calls
  })
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([201]))
})

// R-2214
test('whoever has a key keeps its owner neither from a command nor from an export', async () => {
  const instance = await context.add.instance()
  const owner = await context.add.user({ canExportParticipants: true, instances: [instance] })
  const thief = await context.add.apiKey(owner)
  const group = await context.add.group({ instanceId: instance.id })
  const added = await Promise.all(
    Array.from({ length: 4 }, () => context.add.job({ instanceId: instance.id, status: 'Running' })),
  )
  const [mine = 0, ...others] = added.map(({ id }) => id)
  const cancel = (user: typeof owner, id: number) => context.call(user, jobs.cancel, { params: { id } })
  const exportBy = (user: typeof owner) =>
    context.call(user, groups.exportParticipants, { params: { id: group.id } })
  const calls = await context.db.begin(async (tx) => {
    // Commands and exports write into the audit log.
    await tx.run(sql`lock table audit_log in exclusive mode`)
    const stolen = [
      ...others.map((id) => cancel(thief, id)),
      ...others.flatMap(() => [exportBy(thief), exportBy(thief)]),
    ]
    await until('the thief has all turns', async () => (await countWaiting(context.db)) === 3)
    const own = [cancel(owner, mine), exportBy(owner)]
    await until('the owner has turns', async () => (await countWaiting(context.db)) === 5, 10_000)
    return { stolen, own }
  })
  for (const call of calls.own) expect((await call).status).toBe(200)
  await Promise.all(calls.stolen)
})

// R-2151
test('who tries a key from elsewhere, or where keys are not allowed, is in the audit log', async () => {
  const owner = await context.add.user({ username: 'lan' })
  const stolen = await context.add.apiKey(owner, { addresses: ['203.0.113.7'] })
  await context.call(stolen, jobs.list, { query: {} })
  await context.call(await context.add.apiKey(owner), contract.users.list, {})
  await (await context.app).refusals.flush()
  expect(
    await context.db.many(sql`
      select user_name, address, action from audit_log where action like 'security.%' order by action`),
  ).toEqual([
    { userName: 'lan', address: '127.0.0.1', action: 'security.forbidden' },
    { userName: 'lan', address: '127.0.0.1', action: 'security.key_from_elsewhere' },
  ])
})

// R-2152
test('a key of an Admin makes no shared template', async () => {
  const admin = await context.add.admin()
  const key = await context.add.apiKey(admin, { instanceIds: [(await context.add.instance()).id] })
  const { status, body } = await context.call(key, messages.create, {
    body: { textContent: 'Hello', groupIds: [] },
  })
  expect(status).toBe(201)
  const other = await context.add.user()
  expect((await context.call(other, messages.get, { params: body })).status).toBe(404)
})

// R-2022
test('a key does not learn how many jobs its owner may approve', async () => {
  const instance = await context.add.instance()
  const owner = await context.add.user({ canApproveJobs: true, instances: [instance] })
  const author = { instanceId: instance.id, createdByUserId: (await context.add.user()).id }
  for (let n = 0; n < 101; n++) await context.add.job(author)
  await context.db.run(sql`update jobs set review = 'in_review'`)
  const query = { search: 'Hello', only: 'to_approve' as const, page: 20 }
  const totalFor = async (user: typeof owner) =>
    (await context.call(user, jobs.list, { query })).body.pagination.totalCount
  expect(await totalFor(owner)).toBe(101)
  expect(await totalFor(await context.add.apiKey(owner))).toBe(0)
})
