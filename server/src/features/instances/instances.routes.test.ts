import { contract } from '@sendroom/contract'
import { advisedPace } from '@sendroom/contract/pace'
import { describe, expect, test } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { useWorld } from '../../../test/world.ts'
import { json, sql } from '../../platform/database/sql.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const world = useWorld({ providers: simulated.providers })
const { instances } = contract

const stranger = { params: { id: 987_654 } }
const livePace = {
  ...advisedPace,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}

let count = 0
/** A token whose channel no other test uses. */
const newToken = (prefix = 'test_linked') => `${prefix}_instances_${count++}`

describe('creating', () => {
  test('a linked account is connected at once, has its number, and its groups are asked for', async () => {
    const admin = await world.add.admin()
    const whapiToken = newToken()

    const { status, body } = await world.call(admin, instances.create, { body: { name: 'Shop', whapiToken } })

    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Shop',
      isTest: true,
      isActive: true,
      status: 'Connected',
      whatsAppNumber: expect.stringMatching(/^84\d+$/),
      whapiToken,
    })
    expect(body.statusSeenAt).not.toBeNull()
    expect(world.syncRequests).toEqual([body.id])
  })

  //
  test('a test-mode account has no pause and no cap unless they are given', async () => {
    const admin = await world.add.admin()
    const create = async (body: object) =>
      (await world.call(admin, instances.create, { body: { name: 'A', whapiToken: newToken(), ...body } }))
        .body

    expect(await create({})).toMatchObject({
      ...livePace,
      groupPauseSeconds: [0, 0],
      privatePauseSeconds: [0, 0],
      dailyCap: { groups: 0, private: 0 },
    })
    expect(await create({ groupPauseSeconds: [1.5, 2] })).toMatchObject({
      groupPauseSeconds: [1.5, 2],
      privatePauseSeconds: [0, 0],
    })
  })

  //
  test('a real account has the careful pace, and keeps what it is given', async () => {
    const admin = await world.add.admin()
    const pace = {
      groupPauseSeconds: [5, 6],
      privatePauseSeconds: [70, 80.5],
      dailyCap: { groups: 3, private: 50 },
      quietHours: { from: '22:00', to: '07:30' },
      timeZone: 'Europe/Berlin',
    } as const
    const create = async (body: object) =>
      (
        await world.call(admin, instances.create, {
          body: { name: 'A', whapiToken: newToken('live'), ...body },
        })
      ).body

    expect(await create({})).toMatchObject({ ...livePace, isTest: false, status: 'BadToken' })
    expect(await create({ ...pace, expiredTime: '2030-01-02T03:04:05Z' })).toMatchObject({
      ...pace,
      expiredTime: '2030-01-02T03:04:05.000Z',
    })
  })

  test.each([
    ['nothing', {}, ['name', 'whapiToken']],
    ['empty fields', { name: ' ', whapiToken: '' }, ['name', 'whapiToken']],
    ['a long name', { name: 'x'.repeat(101), whapiToken: 'x' }, ['name']],
    ['a long token', { name: 'x', whapiToken: 'x'.repeat(201) }, ['whapiToken']],
    ['a turned range', { name: 'x', whapiToken: 'x', groupPauseSeconds: [9, 3] }, ['groupPauseSeconds']],
    ['an unknown zone', { name: 'x', whapiToken: 'x', timeZone: 'Mars/Base' }, ['timeZone']],
    ['an offset as zone', { name: 'x', whapiToken: 'x', timeZone: '+07:00' }, ['timeZone']],
    ['a zone of letters', { name: 'x', whapiToken: 'x', timeZone: 'CET' }, ['timeZone']],
  ])('with %s names the fields', async (_case, body, fields) => {
    const answer = await world.call(await world.add.admin(), instances.create, { body: body as never })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(Object.keys(answer.body.error)).toEqual(fields)
  })

  //
  test('two instances never share a token', async () => {
    const admin = await world.add.admin()
    const { token } = await world.add.instance()
    const other = await world.add.instance()

    const created = await world.call(admin, instances.create, { body: { name: 'Two', whapiToken: token } })
    const changed = await world.call(admin, instances.update, { params: other, body: { whapiToken: token } })

    for (const answer of [created, changed]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'token_taken' } })
      expect(answer.raw.toString()).not.toContain(token)
    }
  })

  test('an account whose provider does not answer is made, with nothing known of it', async () => {
    simulated.simulator.faults.add({ kind: 'drop-before', path: '^/health' })
    const body = { name: 'Shop', whapiToken: newToken() }

    const answer = await world.call(await world.add.admin(), instances.create, { body })

    expect(answer).toMatchObject({ status: 201, body: { status: 'Unknown', statusSeenAt: null } })
  })
})

describe('seeing', () => {
  //
  test('Members see their instances only, and no token anywhere', async () => {
    const mine = await world.add.instance({ name: 'Mine' })
    const other = await world.add.instance({ name: 'Other' })
    const member = await world.add.user({ instances: [mine] })

    const list = await world.call(member, instances.list, {})
    const one = await world.call(member, instances.get, { params: mine })

    expect(list.body).toMatchObject({ data: [{ name: 'Mine' }], pagination: { totalCount: 1 } })
    expect(one).toMatchObject({ status: 200, body: { name: 'Mine', timeZone: 'Asia/Ho_Chi_Minh' } })
    expect(await world.call(member, instances.get, { params: other })).toMatchObject({ status: 404 })
    expect(list.raw.toString() + one.raw.toString()).not.toMatch(/token|cipher/i)
  })

  test('an account with a time zone that is no longer taken is still seen', async () => {
    const mine = await world.add.instance({ timeZone: 'CET' })

    const one = await world.call(await world.add.admin(), instances.get, { params: mine })

    expect(one).toMatchObject({ status: 200, body: { timeZone: 'CET' } })
  })

  //
  test('Admins see all; the token only with one instance', async () => {
    const { id, token } = await world.add.instance()
    const admin = await world.add.admin()

    const list = await world.call(admin, instances.list, {})

    expect(list.body.data).toHaveLength(1)
    expect(list.raw.toString()).not.toContain(token)
    expect((await world.call(admin, instances.get, { params: { id } })).body.whapiToken).toBe(token)
  })

  //
  test('the token lies in the database only encrypted', async () => {
    const { token } = await world.add.instance()

    const row = await world.db.maybeOne(sql`select i::text as row from instances i`)

    expect(row?.row).not.toContain(Buffer.from(token).toString('hex'))
  })

  //
  test('the list is searched in names and numbers, without accents, taking % and _ as they are', async () => {
    const admin = await world.add.admin()
    await world.add.instance({ name: '50% off', whatsAppNumber: '84901111111' })
    await world.add.instance({ name: '500', whatsAppNumber: '84902222222' })
    await world.add.instance({ name: 'Đà Nẵng' })
    const search = async (search: string) =>
      (await world.call(admin, instances.list, { query: { search } })).body.data.map(({ name }) => name)

    expect(await search('0%')).toEqual(['50% off'])
    expect(await search('_')).toEqual([])
    expect(await search('2222')).toEqual(['500'])
    expect(await search('da nang')).toEqual(['Đà Nẵng'])
    expect(await search('50')).toEqual(['500', '50% off'])
  })

  test.each(['id', 'name', 'whatsAppNumber', 'isActive', 'createdAt', 'expiredTime', 'status'] as const)(
    //
    'the list sorts by %s, page after page',
    async (sortBy) => {
      const admin = await world.add.admin()
      for (const name of ['a', 'b', 'c']) await world.add.instance({ name })
      const page = async (page: number) =>
        (
          await world.call(admin, instances.list, {
            query: { sortBy, sortDirection: 'desc', page, pageSize: 2 },
          })
        ).body.data

      expect([...(await page(1)), ...(await page(2))].map(({ name }) => name)).toEqual(['c', 'b', 'a'])
    },
  )

  test('the newest come first where nothing is said', async () => {
    const admin = await world.add.admin()
    for (const name of ['a', 'b']) await world.add.instance({ name })

    const { body } = await world.call(admin, instances.list, {})

    expect(body.data.map(({ name }) => name)).toEqual(['b', 'a'])
  })
})

describe('access', () => {
  const calls = (user: Parameters<typeof world.call>[0], id: number) => ({
    create: world.call(user, instances.create, { body: { name: 'A', whapiToken: newToken() } }),
    update: world.call(user, instances.update, { params: { id }, body: { name: 'B' } }),
    remove: world.call(user, instances.remove, { params: { id } }),
    clearData: world.call(user, instances.clearData, { params: { id } }),
    list: world.call(user, instances.list, {}),
    get: world.call(user, instances.get, { params: { id } }),
    qr: world.call(user, instances.qr, { params: { id } }),
    pairingCode: world.call(user, instances.pairingCode, { params: { id }, query: { phone: '0901234567' } }),
    logout: world.call(user, instances.logout, { params: { id } }),
    sync: world.call(user, instances.sync, { params: { id } }),
  })
  const statuses = async (answers: ReturnType<typeof calls>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(answers).map(async ([name, answer]) => [name, (await answer).status])),
    )
  const adminOnly = { create: 403, update: 403, remove: 403, clearData: 403 }

  //
  test('nobody without a session', async () => {
    const { id } = await world.add.instance()

    expect(new Set(Object.values(await statuses(calls(null, id))))).toEqual(new Set([401]))
  })

  test('a Member may link and sync the own instances, and knows no others', async () => {
    const { id } = await world.add.instance()
    const member = await world.add.user()

    expect(await statuses(calls(member, id))).toEqual({
      ...adminOnly,
      list: 200,
      get: 404,
      qr: 404,
      pairingCode: 404,
      logout: 404,
      sync: 404,
    })
  })

  test('an instance that does not exist', async () => {
    const admin = await world.add.admin()

    expect(await statuses(calls(admin, stranger.params.id))).toMatchObject({
      update: 404,
      remove: 404,
      clearData: 404,
      get: 404,
      qr: 404,
      pairingCode: 404,
      logout: 404,
      sync: 404,
    })
  })
})

describe('changing', () => {
  //
  test('leaves alone what it does not name', async () => {
    const admin = await world.add.admin()
    const { id, token } = await world.add.instance({ name: 'Old', quietFrom: '22:00', quietTo: '06:00' })

    const { body } = await world.call(admin, instances.update, {
      params: { id },
      body: { name: 'New', dailyCap: { groups: 7, private: 8 } },
    })

    expect(body).toMatchObject({
      name: 'New',
      dailyCap: { groups: 7, private: 8 },
      quietHours: { from: '22:00', to: '06:00' },
      whapiToken: token,
      status: 'Connected',
    })
    const off = await world.call(admin, instances.update, { params: { id }, body: { quietHours: null } })
    expect(off.body).toMatchObject({ quietHours: null, name: 'New' })
    expect((await world.call(admin, instances.update, { params: { id }, body: {} })).status).toBe(200)
  })

  test('a new token is a new account: its status is read, its groups are asked for', async () => {
    const admin = await world.add.admin()
    const { id } = await world.add.instance()
    const whapiToken = newToken('test_fresh')

    const { body } = await world.call(admin, instances.update, { params: { id }, body: { whapiToken } })

    expect(body).toMatchObject({ status: 'Connecting', whapiToken })
  })

  test('what the former token’s account suffered is forgotten with it', async () => {
    const admin = await world.add.admin()
    const { id } = await world.add.instance({
      waiting: json({ code: 'account_failures', params: { count: 10 } }),
      waitingSince: '2026-01-01T00:00:00Z',
      failuresInARow: 10,
      restrictedUntil: '2100-01-01T00:00:00Z',
    })
    const hasTrouble = async () =>
      (
        await world.db.many(sql`
          select waiting, waiting_since, failures_in_a_row, restricted_until from instances where id = ${id}`)
      )[0]
    const before = await hasTrouble()
    const change = (body: object) => world.call(admin, instances.update, { params: { id }, body })

    await change({ name: 'New' })
    expect(await hasTrouble()).toEqual(before)
    expect((await change({ whapiToken: newToken() })).body).toMatchObject({
      status: 'Connected',
      waiting: null,
    })
    expect(await hasTrouble()).toEqual({
      waiting: null,
      waitingSince: null,
      failuresInARow: 0,
      restrictedUntil: null,
    })
  })

  test('failures that did not stop the account yet are forgotten with the token too', async () => {
    const admin = await world.add.admin()
    const { id } = await world.add.instance({ failuresInARow: 9 })

    await world.call(admin, instances.update, { params: { id }, body: { whapiToken: newToken() } })

    expect(await world.db.many(sql`select failures_in_a_row from instances where id = ${id}`)).toEqual([
      { failuresInARow: 0 },
    ])
  })

  describe('a pause under way', () => {
    /** At midnight, the next message is due in an hour. */
    async function paused(columns: object = {}) {
      await world.db.script(`
        create or replace function clock_now() returns timestamptz language sql stable
        as $$ select timestamptz '2030-01-01 00:00Z' $$`)
      const hour = { groupPauseFromMs: 3_600_000, groupPauseToMs: 3_600_000 }
      return world.add.instance({ ...hour, nextDueAt: '2030-01-01T01:00:00Z', ...columns })
    }
    const save = async (id: number, body: object) =>
      world.call(await world.add.admin(), instances.update, { params: { id }, body })
    const dueAt = async (id: number) =>
      (await world.db.many(sql`select next_due_at from instances where id = ${id}`))[0]?.nextDueAt

    test('is shortened to the new one, counted from now: never below it', async () => {
      const { id } = await paused()

      await save(id, { groupPauseSeconds: [20, 300], privatePauseSeconds: [60, 200] })

      expect(await dueAt(id)).toBe('2030-01-01T00:05:00.000Z')
    })

    test('stays when the new one is longer, or other fields are saved', async () => {
      const { id } = await paused()

      await save(id, { name: 'New', dailyCap: { groups: 0, private: 0 } })
      await save(id, { groupPauseSeconds: [3600, 3600] })

      expect(await dueAt(id)).toBe('2030-01-01T01:00:00.000Z')
    })

    test('stays where the provider has asked for it', async () => {
      const { id } = await paused({ busy: json({ code: 'provider_busy', params: {} }) })

      await save(id, { groupPauseSeconds: [0, 0] })

      expect(await dueAt(id)).toBe('2030-01-01T01:00:00.000Z')
    })
  })

  //
  test('the token stays while a message is on its way or in doubt', async () => {
    const admin = await world.add.admin()
    const { id, token } = await world.add.instance()
    const { id: jobId } = await world.add.job({ instanceId: id, status: 'Running' })
    const changeToken = (whapiToken: string) =>
      world.call(admin, instances.update, { params: { id }, body: { whapiToken, name: 'New' } })

    await world.db.run(sql`
      update deliveries set doubt_since = clock_now(), status = 'doubt'
      where id = (select min(id) from deliveries where job_id = ${jobId})`)

    expect(await changeToken(newToken())).toMatchObject({ status: 409, body: { code: 'token_in_use' } })
    expect(await changeToken(token)).toMatchObject({ status: 200, body: { name: 'New' } })
    await world.db.run(sql`update deliveries set doubt_since = null, status = 'sent'`)
    expect(await changeToken(newToken())).toMatchObject({ status: 200 })
  })
})

describe('resuming', () => {
  const waiting = { code: 'account_failures', params: { count: 10 } }
  const waitingInstance = (more = {}) =>
    world.add.instance({ waiting: json(waiting), failuresInARow: 10, ...more })
  const resume = (user: TestUser, id: number) => world.call(user, instances.resume, { params: { id } })
  const waitingOf = async (id: number) =>
    (await world.db.many(sql`select waiting, failures_in_a_row from instances where id = ${id}`))[0]

  test('somebody who may create jobs lets an account go on; its running jobs tell by whom', async () => {
    const instance = await waitingInstance()
    const member = await world.add.user({ instances: [instance] })
    const job = await world.add.job({ instanceId: instance.id, status: 'Running' })

    expect((await resume(member, instance.id)).status).toBe(204)
    expect((await resume(member, instance.id)).status).toBe(204)

    expect(await waitingOf(instance.id)).toEqual({ waiting: null, failuresInARow: 0 })
    expect(await world.db.many(sql`select reason from job_logs where job_id = ${job.id}`)).toEqual([
      { reason: { code: 'account_resumed_by', params: { user: member.username } } },
    ])
  })

  test('saving an account resumes nothing', async () => {
    const { id } = await waitingInstance()
    const admin = await world.add.admin()

    const { body } = await world.call(admin, instances.update, { params: { id }, body: { isActive: true } })

    expect(body.waiting).toEqual(waiting)
  })

  test('an account that is not active is activated first', async () => {
    const { id } = await waitingInstance({ isActive: false })

    expect(await resume(await world.add.admin(), id)).toMatchObject({
      status: 409,
      body: { code: 'instance_inactive' },
    })
    expect((await waitingOf(id))?.waiting).toEqual(waiting)
  })
})

describe('deleting', () => {
  async function fullInstance() {
    const instance = await world.add.instance()
    const group = await world.add.group({ instanceId: instance.id, lastSyncAt: '2026-01-01T00:00:00Z' })
    await world.db.run(
      sql`insert into participants (group_id, person_id, rank) values (${group.id}, '84901', 'member')`,
    )
    const message = await world.add.message({ instanceId: instance.id })
    await world.db.run(sql`insert into message_groups values (${message.id}, ${group.id})`)
    const job = await world.add.job({ instanceId: instance.id, messageId: message.id, status: 'Running' })
    await world.db.run(sql`update deliveries set group_id = ${group.id} where job_id = ${job.id}`)
    return instance
  }
  const counts = async () =>
    (
      await world.db.many(sql`
        select (select count(*) from instances) as instances, (select count(*) from groups) as groups,
          (select count(*) from participants) as participants, (select count(*) from messages) as messages,
          (select count(*) from jobs) as jobs, (select count(*) from deliveries) as deliveries`)
    )[0]
  const nothing = { groups: 0, participants: 0, messages: 0, jobs: 0, deliveries: 0 }
  const kept = { instances: 1, groups: 1, participants: 1, messages: 1, jobs: 1, deliveries: 3 }

  //
  test('an instance takes all its data along, and nobody else’s', async () => {
    const admin = await world.add.admin()
    const instance = await fullInstance()
    await fullInstance()

    expect((await world.call(admin, instances.remove, { params: instance })).status).toBe(204)

    expect(await counts()).toEqual(kept)
  })

  //
  test('clearing the data keeps the instance and its assignments', async () => {
    const admin = await world.add.admin()
    const instance = await fullInstance()
    const member = await world.add.user({ instances: [instance] })

    expect((await world.call(admin, instances.clearData, { params: instance })).status).toBe(204)

    expect(await counts()).toEqual({ instances: 1, ...nothing })
    expect((await world.call(member, instances.get, { params: instance })).body).toMatchObject({
      lastSyncAt: null,
    })
  })

  test('a message of the instance alone is no reason to keep anything', async () => {
    const admin = await world.add.admin()
    const instance = await world.add.instance()
    await world.add.message({ instanceId: instance.id })
    const own = await world.add.message()

    await world.call(admin, instances.clearData, { params: instance })

    expect(await world.db.many(sql`select id from messages`)).toEqual([{ id: own.id }])
  })
})

describe('without a simulator', () => {
  const bare = useWorld({ providers: () => ({ ...simulated.providers(), test: null }) })

  test('a test token is refused with what to do', async () => {
    const admin = await bare.add.admin()
    const { id } = await bare.add.instance()

    const body = { name: 'A', whapiToken: newToken() }
    const created = await bare.call(admin, instances.create, { body })
    const qr = await bare.call(admin, instances.qr, { params: { id } })

    for (const answer of [created, qr])
      expect(answer).toMatchObject({ status: 400, body: { code: 'test_token_refused' } })
    expect(created.body.error).toContain('TEST_PROVIDER_URL')
  })
})
