import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { callerOf } from '../../../test/caller.ts'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { groupsOfSets, lockGroupSetsForShare, readGroupSets } from '../../platform/group-sets.ts'

const context = useSharedContext()
const { groupSets, instances } = contract
const of = (id: number) => ({ params: { id } })

async function openFixture() {
  const instance = await context.add.instance()
  const owner = await context.add.user({ username: `owner-${instance.id}`, instances: [instance] })
  const [a, b] = [
    await context.add.group({ instanceId: instance.id, name: 'a' }),
    await context.add.group({ instanceId: instance.id, name: 'b' }),
  ]
  const create = (body: Partial<Input<typeof groupSets.create>['body']> = {}, user: TestUser = owner) =>
    context.call(user, groupSets.create, {
      body: { name: 'North', instanceId: instance.id, groupIds: [b.id, a.id], ...body },
    })
  return { instance, owner, a, b, create }
}
type Fixture = Awaited<ReturnType<typeof openFixture>>

//
test('a set follows renamed groups and shows those that the account has left', async () => {
  const { owner, instance, a, b, create } = await openFixture()
  const { status, body: set } = await create()
  expect(status).toBe(201)
  expect(set).toEqual({
    id: set.id,
    name: 'North',
    instance: { id: instance.id, name: instance.name },
    groupCount: 2,
    leftCount: 0,
    isForAll: false,
    canChange: true,
    createdByUserName: owner.username,
    createdAt: expect.any(String),
    version: 1,
    groups: [
      { id: a.id, name: 'a', hasLeft: false },
      { id: b.id, name: 'b', hasLeft: false },
    ],
    users: [],
  })
  await context.db.run(sql`update groups set name = 'c', left_at = clock_now() where id = ${a.id}`)
  expect((await context.call(owner, groupSets.get, of(set.id))).body).toMatchObject({
    leftCount: 1,
    groups: [
      { id: b.id, name: 'b', hasLeft: false },
      { id: a.id, name: 'c', hasLeft: true },
    ],
  })
  const { data } = (await context.call(owner, groupSets.list, { query: { search: 'nor' } })).body
  expect(data).toMatchObject([{ id: set.id, groupCount: 2, leftCount: 1 }])
  const found = await context.db.many(sql`select id from (${groupsOfSets([set.id])}) found order by id`)
  expect(found).toEqual([{ id: a.id }, { id: b.id }])
})

test.each<[string, (fixture: Fixture, foreign: Fixture) => object, string]>([
  ['an account of others', (_, { instance }) => ({ instanceId: instance.id, groupIds: [] }), 'instanceId'],
  ['a group of another account', (_, { a }) => ({ groupIds: [a.id] }), 'groupIds'],
  ['no name', () => ({ name: ' ' }), 'name'],
  ['1,001 groups', () => ({ groupIds: Array.from({ length: 1001 }, (_, n) => n + 1) }), 'groupIds'],
])('no set is made of %s', async (_name, bodyOf, field) => {
  const fixture = await openFixture()
  const { status, body } = await fixture.create(bodyOf(fixture, await openFixture()))
  expect([status, Object.keys(body.fields ?? {})]).toEqual([400, [field]])
})

//
test('a set is seen by those whom it is shared with, as long as they see the account', async () => {
  const { owner, instance, a, create } = await openFixture()
  const [chosen, other] = [
    await context.add.user({ instances: [instance] }),
    await context.add.user({ instances: [instance] }),
  ]
  const outsider = await context.add.user()
  const admin = await context.add.admin()
  const offered = (await context.call(owner, groupSets.users, of(instance.id))).body.users
  expect(offered.map(({ id }) => id).toSorted()).toEqual([chosen.id, other.id].toSorted())

  const { body: set } = await create({ userIds: [chosen.id, outsider.id] })
  expect(set.users).toEqual([{ id: chosen.id, name: chosen.username }])
  const everybody = { owner, chosen, other, outsider, admin }
  const seenBy = async () => {
    const seen: Record<string, boolean> = {}
    for (const [name, user] of Object.entries(everybody)) {
      const { status } = await context.call(user, groupSets.get, of(set.id))
      const listed = (await context.call(user, groupSets.list, { query: { instanceId: instance.id } })).body
        .data
      const caller = await callerOf(context.db, user)
      const usable = await readGroupSets(context.db, caller, instance.id, [set.id])
      expect([listed.length > 0, usable.length > 0]).toEqual([status === 200, status === 200])
      seen[name] = status === 200
    }
    return seen
  }
  const change = (user: TestUser, body: Partial<Input<typeof groupSets.update>['body']>) =>
    context.call(user, groupSets.update, {
      ...of(set.id),
      body: { name: 'North', groupIds: [a.id], ...body },
    })

  expect(await seenBy()).toEqual({ owner: true, chosen: true, other: false, outsider: false, admin: true })
  expect((await change(chosen, {})).status).toBe(404)
  expect((await context.call(chosen, groupSets.remove, of(set.id))).status).toBe(404)
  expect((await context.call(chosen, groupSets.get, of(set.id))).body).toMatchObject({
    canChange: false,
    users: [],
  })
  expect((await change(owner, { isForAll: true, version: 1 })).body).toMatchObject({
    version: 2,
    groupCount: 1,
  })
  expect((await change(admin, { isForAll: true, version: 1 })).body.code).toBe('stale_version')
  expect(await seenBy()).toEqual({ owner: true, chosen: true, other: true, outsider: false, admin: true })

  await context.db.run(sql`delete from user_instances where instance_id = ${instance.id}`)
  expect(await seenBy()).toEqual({ owner: false, chosen: false, other: false, outsider: false, admin: true })
  expect((await change(owner, {})).status).toBe(404)
  expect((await context.call(owner, groupSets.remove, of(set.id))).status).toBe(404)
})

test('an owner has a name once for each account, whatever its case', async () => {
  const { instance, create } = await openFixture()
  await create()
  const again = await create({ name: 'NORTH' })
  expect([again.status, again.body.code]).toEqual([409, 'group_set_taken'])
  const other = await context.add.user({ instances: [instance] })
  expect((await create({}, other)).status).toBe(201)
})

//
test('a set goes with its account, and stays locked for a job that is being made', async () => {
  const { instance, owner, create } = await openFixture()
  const { body: set } = await create()
  const caller = await callerOf(context.db, owner)
  let removal: Promise<unknown> | undefined
  await context.db.begin(async (tx) => {
    expect(await lockGroupSetsForShare(tx, caller, instance.id, [set.id])).toEqual([{ id: set.id }])
    removal = context.call(owner, groupSets.remove, of(set.id))
    await until('the removal waits', async () => (await countWaiting(context.db)) === 1)
    expect(await tx.run(sql`select from group_sets where id = ${set.id}`)).toBe(1)
  })
  await removal
  expect((await context.call(owner, groupSets.get, of(set.id))).status).toBe(404)

  await create()
  expect((await context.call(await context.add.admin(), instances.remove, of(instance.id))).status).toBe(204)
  expect(await context.db.run(sql`select from group_sets where instance_id = ${instance.id}`)).toBe(0)
})
