import { contract } from '@sendroom/contract'
import { advisedPace, testPace } from '@sendroom/contract/pace'
import { maskToken } from '@sendroom/contract/whapi-token'
import { describe, expect, test } from 'vitest'
import { useContext, useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { deleteOldRows } from '../../engine/index.ts'
import { findCountDifferences } from '../../platform/counts.ts'
import { json, sql } from '../../platform/database/sql.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const context = useSharedContext({ providers: simulated.providers })
const { instances } = contract

const livePace = {
  ...advisedPace,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}

let count = 0
/** A token whose channel no other test uses. */
const newToken = (prefix = 'test_linked') => `${prefix}_instances_${count++}`

describe('creating', () => {
  test('a linked instance is connected at once with its number, and its groups are synced', async () => {
    const admin = await context.add.admin()
    const whapiToken = newToken()

    const { status, body } = await context.call(admin, instances.create, {
      body: { name: 'Shop', whapiToken },
    })

    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Shop',
      isTest: true,
      isActive: true,
      status: 'Connected',
      whatsAppNumber: expect.stringMatching(/^84\d+$/),
      whapiToken: maskToken(whapiToken),
    })
    expect(body.statusSeenAt).not.toBeNull()
    expect(await context.dueSyncs()).toContain(body.id)
  })

  //
  test('a test-mode instance has no pause and no cap by default', async () => {
    const admin = await context.add.admin()
    const create = async (body: object) =>
      (await context.call(admin, instances.create, { body: { name: 'A', whapiToken: newToken(), ...body } }))
        .body

    expect(await create({})).toMatchObject({
      ...livePace,
      ...testPace,
      warmUpStep: null,
    })
    expect(await create({ groupPauseSeconds: [1.5, 2] })).toMatchObject({
      groupPauseSeconds: [1.5, 2],
      privatePauseSeconds: [0, 0],
    })
  })

  //
  test('a real instance has a slow pace by default, and keeps the values of the form', async () => {
    const admin = await context.add.admin()
    const pace = {
      groupPauseSeconds: [5, 6],
      privatePauseSeconds: [70, 80.5],
      dailyCap: { groups: 3, private: 50 },
      privateSlowAfter: 30,
      privateSlowPauseSeconds: [100, 110.5],
      privatePerQuarterHour: 4,
      privateHoursPerDay: 5,
      privateDaysInARow: 6,
      personCap: 7,
      personRestDays: 8,
      newPeopleCap: 9,
      warmUpStep: null,
      quietHours: { from: '22:00', to: '07:30' },
      timeZone: 'Europe/Berlin',
    } as const
    const create = async (body: object) =>
      (
        await context.call(admin, instances.create, {
          body: { name: 'A', whapiToken: newToken('live'), ...body },
        })
      ).body

    expect(await create({})).toMatchObject({
      ...livePace,
      warmUpStep: 20,
      isTest: false,
      status: 'BadToken',
    })
    expect(await create({ ...pace, expiredTime: '2030-01-02T03:04:05Z' })).toMatchObject({
      ...pace,
      expiredTime: '2030-01-02T03:04:05.000Z',
    })
  })

  //
  test('two instances never share a token', async () => {
    const admin = await context.add.admin()
    const { token } = await context.add.instance()
    const other = await context.add.instance()

    const created = await context.call(admin, instances.create, { body: { name: 'Two', whapiToken: token } })
    const changed = await context.call(admin, instances.update, {
      params: other,
      body: { whapiToken: token },
    })

    for (const answer of [created, changed]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'token_taken' } })
      expect(answer.raw.toString()).not.toContain(token)
    }
  })

  test('an instance is created with an unknown status if its provider does not answer', async () => {
    simulated.simulator.faults.add({ kind: 'drop-before', path: '^/health' })
    const body = { name: 'Shop', whapiToken: newToken() }

    const answer = await context.call(await context.add.admin(), instances.create, { body })

    expect(answer).toMatchObject({ status: 201, body: { status: 'Unknown', statusSeenAt: null } })
  })
})

describe('reading', () => {
  test('an instance with a time zone that is no longer accepted can still be read', async () => {
    const mine = await context.add.instance({ timeZone: 'CET' })

    const one = await context.call(await context.add.admin(), instances.get, { params: mine })

    expect(one).toMatchObject({ status: 200, body: { timeZone: 'CET' } })
  })

  //
  test('the database holds the token only encrypted', async () => {
    const { id, token } = await context.add.instance()

    const row = await context.db.maybeOne(sql`select i::text as row from instances i where id = ${id}`)

    expect(row?.row).not.toContain(Buffer.from(token).toString('hex'))
  })
})

describe('changing', () => {
  //
  test('a change keeps absent fields', async () => {
    const admin = await context.add.admin()
    const { id, token } = await context.add.instance({ name: 'Old', quietFrom: '22:00', quietTo: '06:00' })

    const { body } = await context.call(admin, instances.update, {
      params: { id },
      body: { name: 'New', dailyCap: { groups: 7, private: 8 } },
    })

    expect(body).toMatchObject({
      name: 'New',
      dailyCap: { groups: 7, private: 8 },
      quietHours: { from: '22:00', to: '06:00' },
      whapiToken: maskToken(token),
      status: 'Connected',
    })
    const off = await context.call(admin, instances.update, { params: { id }, body: { quietHours: null } })
    expect(off.body).toMatchObject({ quietHours: null, name: 'New' })
    expect((await context.call(admin, instances.update, { params: { id }, body: {} })).status).toBe(200)
  })

  const findTokenHash = (id: number) =>
    context.db.one<{ tokenHash: Buffer }>(sql`select token_hash from instances where id = ${id}`)

  //
  test('a masked token keeps the stored one, and is never stored', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance({ token: `${newToken()}_of_some_length_1234` })
    const before = await findTokenHash(id)
    const change = (whapiToken: string) =>
      context.call(admin, instances.update, { params: { id }, body: { name: 'New', whapiToken } })

    expect(await change('••••1234')).toMatchObject({ status: 200, body: { whapiToken: '••••1234' } })
    // Somebody else has replaced the token since this form was read.
    expect(await change('••••5678')).toMatchObject({ status: 409, body: { code: 'stale_version' } })
    for (const odd of ['••••1234 and more', 'a•token']) expect((await change(odd)).status).toBe(400)
    const body = { name: 'Masked', whapiToken: '••••1234' }
    expect((await context.call(admin, instances.create, { body })).status).toBe(400)
    expect(await findTokenHash(id)).toEqual(before)
  })

  //
  test('replacing the token needs a password entered within ten minutes, and nothing else of a change does', async () => {
    const admin = await context.add.admin()
    const { id, token } = await context.add.instance()
    await context.db.run(sql`
      update sessions set confirmed_at = clock_now() - interval '11 minutes' where user_id = ${admin.id}`)
    const change = (body: object) => context.call(admin, instances.update, { params: { id }, body })

    expect(await change({ name: 'Stolen', whapiToken: newToken() })).toMatchObject({
      status: 403,
      body: { code: 'confirm_password' },
    })
    expect((await context.call(admin, instances.get, { params: { id } })).body.name).not.toBe('Stolen')
    for (const same of [token, maskToken(token), undefined])
      expect((await change({ name: 'Renamed', whapiToken: same })).status).toBe(200)
    await context.db.run(sql`update sessions set confirmed_at = clock_now() where user_id = ${admin.id}`)
    expect((await change({ whapiToken: newToken() })).status).toBe(200)
  })

  test('a new token has its status read and its groups synced', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance()
    const whapiToken = newToken('test_unlinked')

    const { body } = await context.call(admin, instances.update, { params: { id }, body: { whapiToken } })

    expect(body).toMatchObject({ status: 'Connecting', whapiToken: maskToken(whapiToken) })
  })

  test('a new token clears the trouble of the former one', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance({
      waiting: json({ code: 'account_failures', params: { count: 10 } }),
      waitingSince: '2026-01-01T00:00:00Z',
      failuresInARow: 10,
      restrictedUntil: '2100-01-01T00:00:00Z',
    })
    const hasTrouble = async () =>
      (
        await context.db.many(sql`
          select waiting, waiting_since, failures_in_a_row, restricted_until from instances where id = ${id}`)
      )[0]
    const before = await hasTrouble()
    const change = (body: object) => context.call(admin, instances.update, { params: { id }, body })

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

  // R-1663
  test('a new token lets the files be uploaded again, because its channel has none of them', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance()
    const job = await context.add.job({ instanceId: id, status: 'Running', mediaId: 'media-1' })
    await context.db.run(sql`
      insert into provider_uploads (instance_id, name, media_id) values (${id}, 'a.jpg', 'media-1')`)

    await context.call(admin, instances.update, { params: { id }, body: { whapiToken: newToken() } })

    expect(await context.db.many(sql`select from provider_uploads where instance_id = ${id}`)).toEqual([])
    expect(await context.db.one(sql`select media_id from jobs where id = ${job.id}`)).toEqual({
      mediaId: null,
    })
  })

  test('a new token clears failures that have not stopped the instance yet', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance({ failuresInARow: 9 })

    await context.call(admin, instances.update, { params: { id }, body: { whapiToken: newToken() } })

    expect(await context.db.many(sql`select failures_in_a_row from instances where id = ${id}`)).toEqual([
      { failuresInARow: 0 },
    ])
  })

  describe('a current pause', () => {
    const context = useContext({ providers: simulated.providers })
    /** Stops the clock at midnight. The next message is due in an hour. */
    async function paused(columns: object = {}) {
      await context.db.script(`
        create or replace function clock_now() returns timestamptz language sql stable
        as $$ select timestamptz '2030-01-01 00:00Z' $$`)
      const hour = { groupPauseFromMs: 3_600_000, groupPauseToMs: 3_600_000 }
      return context.add.instance({ ...hour, nextDueAt: '2030-01-01T01:00:00Z', ...columns })
    }
    const save = async (id: number, body: object) =>
      context.call(await context.add.admin(), instances.update, { params: { id }, body })
    const dueAt = async (id: number) =>
      (await context.db.many(sql`select next_due_at from instances where id = ${id}`))[0]?.nextDueAt

    test('is shortened to one new pause from now', async () => {
      const { id } = await paused()

      await save(id, { groupPauseSeconds: [20, 300], privatePauseSeconds: [60, 200] })

      expect(await dueAt(id)).toBe('2030-01-01T00:05:00.000Z')
    })

    test('stays if the new pause is longer, or if other fields are saved', async () => {
      const { id } = await paused()

      await save(id, { name: 'New', dailyCap: { groups: 0, private: 0 } })
      await save(id, { groupPauseSeconds: [3600, 3600] })

      expect(await dueAt(id)).toBe('2030-01-01T01:00:00.000Z')
    })

    test('stays if the provider has asked for it', async () => {
      const { id } = await paused({ busy: json({ code: 'provider_busy', params: {} }) })

      await save(id, { groupPauseSeconds: [0, 0] })

      expect(await dueAt(id)).toBe('2030-01-01T01:00:00.000Z')
    })
  })

  //
  test('the token can’t be changed while a delivery is being sent or in doubt', async () => {
    const admin = await context.add.admin()
    const { id, token } = await context.add.instance()
    const { id: jobId } = await context.add.job({ instanceId: id, status: 'Running' })
    const changeToken = (whapiToken: string) =>
      context.call(admin, instances.update, { params: { id }, body: { whapiToken, name: 'New' } })

    await context.db.run(sql`
      update deliveries set doubt_since = clock_now(), status = 'doubt'
      where id = (select min(id) from deliveries where job_id = ${jobId})`)

    expect(await changeToken(newToken())).toMatchObject({ status: 409, body: { code: 'token_in_use' } })
    expect(await changeToken(token)).toMatchObject({ status: 200, body: { name: 'New' } })
    await context.db.run(sql`
      update deliveries set doubt_since = null, status = 'sent' where job_id = ${jobId} and status = 'doubt'`)
    expect(await changeToken(newToken())).toMatchObject({ status: 200 })
  })
})

describe('resuming', () => {
  const waiting = { code: 'account_failures', params: { count: 10 } }
  const waitingInstance = (more = {}) =>
    context.add.instance({ waiting: json(waiting), failuresInARow: 10, ...more })
  const resume = (user: TestUser, id: number) => context.call(user, instances.resume, { params: { id } })
  const waitingOf = async (id: number) =>
    (await context.db.many(sql`select waiting, failures_in_a_row from instances where id = ${id}`))[0]

  test('a user with the right to create jobs resumes an instance, and its running jobs log who did', async () => {
    const instance = await waitingInstance()
    const member = await context.add.user({ instances: [instance] })
    const job = await context.add.job({ instanceId: instance.id, status: 'Running' })

    expect((await resume(member, instance.id)).status).toBe(204)
    expect((await resume(member, instance.id)).status).toBe(204)

    expect(await waitingOf(instance.id)).toEqual({ waiting: null, failuresInARow: 0 })
    expect(await context.db.many(sql`select reason from job_logs where job_id = ${job.id}`)).toEqual([
      { reason: { code: 'account_resumed_by', params: { user: member.username } } },
    ])
  })

  test('saving an instance does not resume sending', async () => {
    const { id } = await waitingInstance()
    const admin = await context.add.admin()

    const { body } = await context.call(admin, instances.update, { params: { id }, body: { isActive: true } })

    expect(body.waiting).toEqual(waiting)
  })

  test('an inactive instance can’t be resumed', async () => {
    const { id } = await waitingInstance({ isActive: false })

    expect(await resume(await context.add.admin(), id)).toMatchObject({
      status: 409,
      body: { code: 'instance_inactive' },
    })
    expect((await waitingOf(id))?.waiting).toEqual(waiting)
  })
})

describe('deleting', () => {
  const context = useContext({ providers: simulated.providers })
  async function fullInstance() {
    const instance = await context.add.instance()
    const group = await context.add.group({ instanceId: instance.id, lastSyncAt: '2026-01-01T00:00:00Z' })
    await context.db.run(
      sql`insert into participants (group_id, person_id, rank) values (${group.id}, '84901', 'member')`,
    )
    const message = await context.add.message({ instanceId: instance.id })
    await context.db.run(sql`insert into message_groups values (${message.id}, ${group.id})`)
    const job = await context.add.job({ instanceId: instance.id, messageId: message.id, status: 'Running' })
    await context.db.run(sql`update deliveries set group_id = ${group.id} where job_id = ${job.id}`)
    return instance
  }
  const counts = async () =>
    (
      await context.db.many(sql`
        select (select count(*) from instances) as instances, (select count(*) from groups) as groups,
          (select count(*) from participants) as participants, (select count(*) from messages) as messages,
          (select count(*) from jobs) as jobs, (select count(*) from deliveries) as deliveries`)
    )[0]
  const nothing = { groups: 0, participants: 0, messages: 0, jobs: 0, deliveries: 0 }
  const kept = { instances: 1, groups: 1, participants: 1, messages: 1, jobs: 1, deliveries: 3 }

  //
  test('an instance is deleted with all its data, and no other data', async () => {
    const admin = await context.add.admin()
    const instance = await fullInstance()
    await fullInstance()

    expect((await context.call(admin, instances.remove, { params: instance })).status).toBe(204)

    expect(await counts()).toEqual(kept)
  })

  //
  test('a clearing of the data keeps the instance and its assignments', async () => {
    const admin = await context.add.admin()
    const instance = await fullInstance()
    const member = await context.add.user({ instances: [instance] })

    expect((await context.call(admin, instances.clearData, { params: instance })).status).toBe(204)

    expect(await counts()).toEqual({ instances: 1, ...nothing })
    expect((await context.call(member, instances.get, { params: instance })).body).toMatchObject({
      lastSyncAt: null,
    })
  })

  test.each(['remove', 'clearData'] as const)(
    '%s takes the sent messages off the dashboard, also those whose rows were deleted for their age',
    async (action) => {
      const admin = await context.add.admin()
      const { instanceId, id } = await context.add.job({ status: 'Completed', deliveryStatus: 'sent' })
      await context.db.run(
        sql`update jobs set completed_at = clock_now() - interval '40 days' where id = ${id}`,
      )
      await context.db.run(sql`update retention set delivery_days = 30`)
      const countSent = async () =>
        (await context.call(admin, contract.dashboard.stats, {})).body.totalSentMessages
      const before = await countSent()
      await deleteOldRows(context.db, new AbortController().signal)
      expect(await countSent()).toBe(before)

      expect((await context.call(admin, instances[action], { params: { id: instanceId } })).status).toBe(204)

      expect(await countSent()).toBe(before - 3)
      expect(await findCountDifferences(context.db)).toEqual([])
    },
  )

  test('a clearing of the data deletes the messages of an instance without jobs', async () => {
    const admin = await context.add.admin()
    const instance = await context.add.instance()
    await context.add.message({ instanceId: instance.id })
    const own = await context.add.message()

    await context.call(admin, instances.clearData, { params: instance })

    expect(await context.db.many(sql`select id from messages`)).toEqual([{ id: own.id }])
  })
})

describe('with TEST_MODE=off', () => {
  const bare = useContext({
    providers: () => ({ ...simulated.providers(), test: null, forbidsTestMode: true }),
  })

  //
  test('a test token is refused, and a test-mode instance says why it does nothing', async () => {
    const admin = await bare.add.admin()
    const { id } = await bare.add.instance()
    const { id: other } = await bare.add.instance({ token: 'real-token' })

    const body = { name: 'A', whapiToken: newToken() }
    const created = await bare.call(admin, instances.create, { body })
    const changed = await bare.call(admin, instances.update, { params: { id: other }, body })
    const qr = await bare.call(admin, instances.qr, { params: { id } })

    for (const answer of [created, changed, qr])
      expect(answer).toMatchObject({ status: 400, body: { code: 'test_mode_off' } })
    expect(created.body.error).toContain('TEST_MODE')
  })
})

describe('without a simulator', () => {
  const bare = useContext({ providers: () => ({ ...simulated.providers(), test: null }) })

  test('a test token is refused with advice', async () => {
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
