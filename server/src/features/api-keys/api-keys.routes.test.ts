import { randomUUID } from 'node:crypto'
import { contract } from '@sendroom/contract'
import type { NewApiKey } from '@sendroom/contract/api-keys'
import { limits } from '@sendroom/contract/limits'
import { describe, expect, test } from 'vitest'
import { addApiKey } from '../../../test/api-key.ts'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { hashOfKey } from '../../platform/api-key-text.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteExpiredApiKeys } from './api-keys.queries.ts'

const context = useContext()
const { apiKeys, instances, jobs } = contract

const form: NewApiKey = {
  name: 'Shop',
  rights: ['canCreateJobs'],
  instanceIds: null,
  addresses: [],
  days: 365,
}

const create = (user: TestUser, change: Partial<NewApiKey> = {}) =>
  context.call(user, apiKeys.create, { body: { ...form, ...change } })

const asKey = (user: TestUser, token: string) => ({ ...user, token })

// R-2009, R-2017
test('a new key is answered once and works; the database has its hash only', async () => {
  const { member, instance } = await context.add.memberWithInstance()
  const { status, body } = await create(member, { instanceIds: [instance.id] })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      apiKey: {
        name: 'Shop',
        start: body.secret.slice(0, 13),
        owner: { id: member.id, name: member.username },
        rights: ['canCreateJobs'],
        instances: [{ id: instance.id, name: instance.name }],
        addresses: [],
        hasExpired: false,
        lastUsedAt: null,
        lastUsedAddress: null,
      },
    },
  })
  const { secret, apiKey } = body
  const used = await context.call(asKey(member, secret), instances.list, {})
  expect(used.body.data.map(({ id }) => id)).toEqual([instance.id])

  const { tokenHash, row } = await context.db.one<{ tokenHash: Buffer; row: string }>(
    sql`select token_hash, k::text as row from api_keys k`,
  )
  expect(tokenHash).toEqual(hashOfKey(secret))
  expect(row).not.toContain(secret.slice(13, 40))
  const read = await context.call(member, apiKeys.get, { params: apiKey })
  expect(JSON.stringify(read.body)).not.toContain(secret.slice(13, 40))
  const log = await context.db.many(sql`select details::text as text from audit_log`)
  expect(JSON.stringify(log)).not.toContain(secret.slice(13, 40))
})

// R-2010
test('a key lives for a year, or as many days as were chosen, at most two years', async () => {
  const user = await context.add.user()
  const { days: _, ...withoutDays } = form
  await context.call(user, apiKeys.create, { body: withoutDays as NewApiKey })
  await create(user, { days: 1 })
  expect(await context.db.many(sql`select expires_at - created_at as age from api_keys order by id`)).toEqual(
    [{ age: expect.objectContaining({ days: 365 }) }, { age: expect.objectContaining({ days: 1 }) }],
  )
  for (const days of [0, 731, 1.5])
    expect((await create(user, { days })).body.fields).toEqual({ days: 'API_KEY_FORM.DAYS_INVALID' })
})

// R-2010
test('an expired key is shown for 90 days, and works no more', async () => {
  const user = await context.add.user()
  const { secret } = (await create(user, { days: 1 })).body
  await context.moveClock('1 day')
  expect((await context.call(asKey(user, secret), instances.list, {})).status).toBe(401)
  const shown = async () => (await context.call(user, apiKeys.list, {})).body.data
  expect(await shown()).toMatchObject([{ hasExpired: true }])
  await context.moveClock('89 days 23 hours')
  await deleteExpiredApiKeys(context.db)
  expect(await shown()).toHaveLength(1)
  await context.moveClock('1 hour')
  await deleteExpiredApiKeys(context.db)
  expect(await shown()).toEqual([])
})

// R-2011
test('the last use is written once a minute, with its address', async () => {
  await context.freezeClock()
  const user = await context.add.user()
  const key = await context.add.apiKey(user)
  const versions = async () =>
    (await context.db.one(sql`select xmin::text, last_used_at from api_keys`)) as object
  const use = () => context.call(key, instances.list, {})
  await use()
  const first = await versions()
  expect((await context.call(user, apiKeys.list, {})).body.data).toMatchObject([
    { lastUsedAt: expect.any(String), lastUsedAddress: '127.0.0.1' },
  ])
  await Promise.all(Array.from({ length: 20 }, use))
  await context.moveClock('59 seconds')
  await use()
  expect(await versions()).toEqual(first)
  await context.moveClock('1 second')
  await use()
  expect(await versions()).not.toEqual(first)
})

// R-2011
test('a use is noted after a clock that was ahead is set right', async () => {
  await context.freezeClock()
  const key = await context.add.apiKey(await context.add.user())
  await context.moveClock('30 days')
  await context.call(key, instances.list, {})
  await context.moveClock('-29 days')
  await context.call(key, instances.list, {})
  expect(await context.db.many(sql`select last_used_at = clock_now() as is_now from api_keys`)).toEqual([
    { isNow: true },
  ])
})

// R-2011
test('a use is not noted while the key is locked, and nobody waits for that', async () => {
  const key = await context.add.apiKey(await context.add.user())
  await context.db.begin(async (tx) => {
    await tx.run(sql`select from api_keys for share`)
    expect((await context.call(key, instances.list, {})).status).toBe(200)
  })
  expect(await context.db.many(sql`select last_used_at from api_keys`)).toEqual([{ lastUsedAt: null }])
})

// R-2008
describe('behind a trusted proxy', () => {
  const proxied = useContext({ env: { TRUST_PROXY: '10.0.0.0/8' } })

  test.each([
    ['10.1.2.3', '203.0.113.7', 200],
    ['10.1.2.3', '198.51.100.7', 403],
    // Whoever calls past the proxy can write what they like into the header.
    ['198.51.100.7', '203.0.113.7', 403],
    ['::ffff:203.0.113.9', '', 200],
  ])('a key for 203.0.113.0/24 that %s uses for “%s” gets %i', async (remoteAddress, forwarded, status) => {
    const key = await proxied.add.apiKey(await proxied.add.user(), { addresses: ['203.0.113.0/24'] })
    const answer = await (await proxied.app).inject({
      url: '/api/instances',
      remoteAddress,
      headers: { authorization: `Bearer ${key.token}`, ...(forwarded && { 'x-forwarded-for': forwarded }) },
    })
    expect(answer.statusCode).toBe(status)
    if (status === 403) expect(answer.json()).toMatchObject({ code: 'key_from_elsewhere' })
  })
})

// R-2008
test('only addresses and ranges are taken', async () => {
  const user = await context.add.user()
  const good = ['203.0.113.7', '203.0.113.0/24', '2001:db8::7', '2001:db8::/32']
  expect((await create(user, { addresses: good })).body.apiKey.addresses).toEqual(good)
  for (const address of ['203.0.113', '203.0.113.0/33', 'shop.example', '', '2001:db8::/129', '1.2.3.4 '])
    expect((await create(user, { addresses: [address] })).body.fields).toEqual({
      'addresses.0': 'API_KEY_FORM.ADDRESSES_INVALID',
    })
})

// R-2012
test('a key creates a job only with a requestId, and the same one creates no second job', async () => {
  const { member, instanceId } = await context.add.memberWithInstance()
  const message = await context.add.message({ instanceId })
  const group = await context.add.group({ instanceId })
  const key = await context.add.apiKey(member)
  const order = { messageId: message.id, instanceId, groupIds: [group.id], jobType: 'SendToGroups' as const }
  const refused = await context.call(key, jobs.create, { body: order })
  expect(refused).toMatchObject({
    status: 400,
    body: { fields: { requestId: 'JOB.REQUEST_ID_REQUIRED' } },
  })
  const body = { ...order, requestId: randomUUID() }
  const [first, second] = [
    await context.call(key, jobs.create, { body }),
    await context.call(key, jobs.create, { body }),
  ]
  expect(second.body.id).toBe(first.body.id)
  expect(await context.db.many(sql`select created_by_user_id from jobs`)).toEqual([
    { createdByUserId: member.id },
  ])
  expect((await context.call(member, jobs.create, { body: order })).status).toBe(201)
})

// R-2013
test('the requestId of a job on another account tells a key nothing of that job', async () => {
  const { member, instanceId } = await context.add.memberWithInstance()
  const other = await context.add.instance()
  await context.db.run(sql`insert into user_instances values (${member.id}, ${other.id})`)
  const order = async (id: number) => ({
    messageId: (await context.add.message({ instanceId: id })).id,
    instanceId: id,
    groupIds: [(await context.add.group({ instanceId: id })).id],
  })
  const requestId = randomUUID()
  await context.call(member, jobs.create, { body: { ...(await order(instanceId)), requestId } })
  const key = await context.add.apiKey(member, { instanceIds: [other.id] })
  const answer = await context.call(key, jobs.create, { body: { ...(await order(other.id)), requestId } })
  expect(answer.status).toBe(404)
  expect(await context.db.run(sql`select from jobs`)).toBe(1)
})

// R-2014
test('a key has a limit of its own, which does not count for its owner', async () => {
  const owner = await context.add.user()
  const [key, other] = [await context.add.apiKey(owner), await context.add.apiKey(owner)]
  for (let n = 0; n < limits.apiKeyRequests; n++) await context.call(key, contract.groups.list, {})
  expect(await context.call(key, contract.groups.list, {})).toMatchObject({
    status: 429,
    body: { code: 'too_many_requests' },
  })
  expect((await context.call(other, contract.groups.list, {})).status).toBe(200)
  expect((await context.call(owner, contract.groups.list, {})).status).toBe(200)
})

// R-2015
test('a user has 20 keys at most; expired ones do not count', async () => {
  const user = await context.add.user()
  for (let n = 0; n < limits.apiKeysPerUser; n++) await context.add.apiKey(user)
  expect(await create(user)).toMatchObject({ status: 409, body: { code: 'too_many_api_keys' } })
  await context.db.run(sql`
    update api_keys set expires_at = clock_now() where id = (select min(id) from api_keys)`)
  expect((await create(user)).status).toBe(201)
})

// R-2015
test('a new key counts one that another request is about to make', async () => {
  const user = await context.add.user()
  for (let n = 1; n < limits.apiKeysPerUser; n++) await context.add.apiKey(user)
  let hasAnswered = false
  const answering = await context.db.begin(async (tx) => {
    await tx.run(sql`select from users where id = ${user.id} for share`)
    await addApiKey(tx)(user)
    const answering = create(user).finally(() => {
      hasAnswered = true
    })
    await until('the call waits', async () => hasAnswered || (await countWaiting(context.db)) > 0)
    return [answering]
  })
  expect((await Promise.all(answering))[0]?.status).toBe(409)
})

// R-2017
test('a Member sees, changes and revokes only their own keys; an Admin sees and revokes all, and changes none', async () => {
  const [owner, other, admin] = [
    await context.add.user(),
    await context.add.user(),
    await context.add.admin(),
  ]
  const { keyId: id } = await context.add.apiKey(owner, { name: 'Shop' })
  const { name, rights, instanceIds, addresses } = form
  const change = { params: { id }, body: { name, rights, instanceIds, addresses } }
  const shownTo = async (user: TestUser) =>
    (await context.call(user, apiKeys.list, {})).body.data.map(({ name }) => name)
  expect([await shownTo(owner), await shownTo(other), await shownTo(admin)]).toEqual([['Shop'], [], ['Shop']])
  expect((await context.call(other, apiKeys.get, { params: { id } })).status).toBe(404)
  expect((await context.call(other, apiKeys.revoke, { params: { id } })).status).toBe(404)
  expect((await context.call(other, apiKeys.update, change)).status).toBe(404)
  expect((await context.call(admin, apiKeys.update, change)).status).toBe(404)
  expect((await context.call(admin, apiKeys.get, { params: { id } })).status).toBe(200)
  expect((await context.call(admin, apiKeys.revoke, { params: { id } })).status).toBe(204)
  expect(await shownTo(owner)).toEqual([])
})

// R-2001
test('a key gets only accounts that its owner sees', async () => {
  const { member, instanceId } = await context.add.memberWithInstance()
  const { id: foreign } = await context.add.instance()
  const refused = { fields: { instanceIds: 'MESSAGE.INSTANCE_INVALID' } }
  expect((await create(member, { instanceIds: [instanceId, foreign] })).body).toMatchObject(refused)
  expect((await create(member, { instanceIds: [] })).status).toBe(400)
  const { apiKey } = (await create(member, { instanceIds: [instanceId] })).body
  const { days: _, ...change } = { ...form, instanceIds: [foreign] }
  expect((await context.call(member, apiKeys.update, { params: apiKey, body: change })).body).toMatchObject(
    refused,
  )
})

// R-2001
test('a key whose accounts are deleted sees none, instead of all', async () => {
  const { member, instanceId } = await context.add.memberWithInstance()
  const key = await context.add.apiKey(member, { instanceIds: [instanceId] })
  const later = await context.add.instance()
  await context.db.run(sql`insert into user_instances values (${member.id}, ${later.id})`)
  await context.db.run(sql`delete from instances where id = ${instanceId}`)
  expect((await context.call(key, instances.list, {})).body.data).toEqual([])
  expect((await context.call(member, apiKeys.list, {})).body.data).toMatchObject([{ instances: [] }])
})

// R-2000
test('a right that no key can have is refused', async () => {
  const user = await context.add.admin()
  for (const right of ['canApproveJobs', 'canLinkAccounts', 'admin'])
    expect((await create(user, { rights: [right as 'canCreateJobs'] })).status).toBe(400)
})

// R-2018, R-2003
test('a key of an approver does not approve, and the job shows no approval to it', async () => {
  const instance = await context.add.instance({ approval: 'always' })
  const approver = await context.add.user({ canApproveJobs: true, instances: [instance] })
  await context.add.admin()
  const key = await context.add.apiKey(approver)
  const author = await context.add.user({ instances: [instance] })
  const message = await context.add.message({ instanceId: instance.id })
  const group = await context.add.group({ instanceId: instance.id })
  const body = {
    messageId: message.id,
    instanceId: instance.id,
    groupIds: [group.id],
    jobType: 'SendToGroups' as const,
  }
  const job = (await context.call(author, jobs.create, { body })).body
  const shownTo = async (user: TestUser) =>
    (await context.call(user, jobs.get, { params: job })).body.approval?.canReview
  expect([await shownTo(approver), await shownTo(key)]).toEqual([true, false])
  const approval = await context.call(key, jobs.approve, { params: job, body: { version: job.version } })
  expect(approval).toMatchObject({ status: 403, body: { code: 'not_for_keys' } })
})

// R-2016
test('making, changing and revoking a key is recorded', async () => {
  const { member, instance } = await context.add.memberWithInstance()
  const { apiKey } = (await create(member, { instanceIds: [instance.id] })).body
  const body = { name: 'Till', rights: form.rights, instanceIds: null, addresses: ['203.0.113.7'] }
  await context.call(member, apiKeys.update, { params: apiKey, body })
  await context.call(member, apiKeys.revoke, { params: apiKey })
  const entries = await context.db.many(sql`
    select action, object_type, object_name, details from audit_log where action like 'api_key.%' order by id`)
  expect(entries).toMatchObject([
    {
      action: 'api_key.create',
      objectType: 'api_key',
      objectName: 'Shop',
      details: { instances: [instance.name] },
    },
    {
      action: 'api_key.update',
      objectName: 'Till',
      details: {
        changes: {
          name: ['Shop', 'Till'],
          instances: [[instance.name], null],
          addresses: [[], ['203.0.113.7']],
        },
      },
    },
    { action: 'api_key.revoke', objectName: 'Till', details: { owner: member.username } },
  ])
})
