import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import type { Quotas } from '@sendroom/contract/quotas'
import { beforeEach, expect, test } from 'vitest'
import { assignments, sql } from '../src/platform/database/sql.ts'
import { limitSearches } from '../src/platform/turns.ts'
import type { Provider } from '../src/providers/provider.ts'
import { useContext } from './context.ts'
import { formOf } from './forms.ts'
import { countWaiting } from './locks.ts'
import { picture } from './pictures.ts'
import { until } from './until.ts'

// These tests show how much one user and one instance may take.

let statusReads = 0
const provider = {
  async status() {
    statusReads++
    return { status: 'Unpaid', linkedNumber: null }
  },
} as unknown as Provider // nothing else is called
const context = useContext({ providers: () => ({ live: provider, test: provider }) })
beforeEach(() => {
  statusReads = 0
})
const { quotas, jobs, instances, messages } = contract

const set = (changed: Partial<Quotas>) => context.db.run(sql`update quotas set ${assignments(changed)}`)

/** A Member with an instance, and a function that creates a job of two recipients for it. */
async function fixture() {
  const instance = await context.add.instance()
  const lan = await context.add.user({ instances: [instance], canCreateJobs: true, canSendMessages: true })
  const message = await context.add.message({ instanceId: instance.id })
  let count = 0
  const create = (user = lan) =>
    context.call(user, jobs.create, {
      body: {
        jobType: 'SendToUsers',
        messageId: message.id,
        instanceId: instance.id,
        phoneNumbers: `09012345${++count + 10},09012346${count + 10}`,
      },
    })
  return { instance, lan, create }
}

//
test('limits are set by an Admin, within bounds, and the change is recorded', async () => {
  const admin = await context.add.admin()
  const initial = (await context.call(admin, quotas.get, {})).body
  expect(initial).toEqual({
    recipientsPerUser: 400_000,
    recipientsPerInstance: 500_000,
    syncsPerDay: 20,
    searchesAtOnce: 4,
    imageMegabytesPerUser: 5000,
  })
  const room = initial.recipientsPerInstance - initial.recipientsPerUser
  expect(room, 'somebody else’s largest job fits').toBeGreaterThanOrEqual(limits.recipients)
  const body = { ...initial, syncsPerDay: 3 }
  for (const _ of [1, 2]) expect((await context.call(admin, quotas.update, { body })).body).toEqual(body)
  expect((await context.call(admin, quotas.get, {})).body).toEqual(body)
  expect(await context.db.many(sql`select action, details from audit_log`)).toEqual([
    { action: 'quotas.update', details: { changes: { syncsPerDay: [20, 3] } } },
  ])
  for (const wrong of [0, 1.5, 1_000_000_001, null]) {
    const answer = await context.call(admin, quotas.update, {
      body: { ...body, syncsPerDay: wrong } as never,
    })
    expect(answer).toMatchObject({ status: 400, body: { fields: { syncsPerDay: 'QUOTAS.INVALID' } } })
  }
})

//
test.each([
  ['a user', { recipientsPerUser: 5 }, 'quota_recipients_user'],
  ['an instance', { recipientsPerInstance: 5 }, 'quota_recipients_account'],
])('the recipients of %s are limited, also by calls at the same moment', async (_, quota, code) => {
  const { create } = await fixture()
  await set(quota)
  const answers = await Promise.all(Array.from({ length: 6 }, () => create()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  const refused = answers.find(({ status }) => status !== 201)
  expect(refused).toMatchObject({ status: 409, body: { code, params: { limit: 5 } } })
  expect(refused?.body.error).toContain('can have 5 recipients')
  expect(await context.db.one(sql`select count(*) as jobs from jobs`)).toEqual({ jobs: 2 })
})

//
test('to cancel a job frees nothing until the next day, because its rows stay', async () => {
  const { lan, create } = await fixture()
  await set({ recipientsPerUser: 5 })
  for (const _ of [1, 2]) {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect((await context.call(lan, jobs.cancel, { params: { id: body.id } })).status).toBe(200)
  }
  expect(await create()).toMatchObject({ status: 409, body: { code: 'quota_recipients_user' } })
  await context.db.run(sql`update jobs set created_at = created_at - interval '24 hours'`)
  expect((await create()).status).toBe(201)
})

//
test.each(['restart', 'retryFailed'] as const)(
  'a job can’t be sent again past the limit: %s',
  async (again) => {
    const { instance, lan, create } = await fixture()
    const job = await context.add.job({
      instanceId: instance.id,
      status: 'Failed',
      deliveryStatus: 'failed',
      createdByUserId: lan.id,
    })
    await create()
    await set({ recipientsPerUser: 2 })
    const answer = await context.call(lan, jobs[again], { params: { id: job.id }, body: {} } as never)
    expect(answer).toMatchObject({ status: 409, body: { code: 'quota_recipients_user' } })
    expect(await context.db.one(sql`select status from jobs where id = ${job.id}`)).toEqual({
      status: 'Failed',
    })
    await set({ recipientsPerUser: 100 })
    expect(await context.call(lan, jobs[again], { params: { id: job.id }, body: {} } as never)).toMatchObject(
      {
        status: expect.toSatisfy((status: number) => status < 300),
      },
    )
  },
)

//
test('the syncs that users ask for are limited for 24 hours', async () => {
  const instance = await context.add.instance()
  const none = { canCreateJobs: false, canSendMessages: false, canLinkAccounts: false }
  const lan = await context.add.user({ instances: [instance], ...none })
  await set({ syncsPerDay: 3 })
  const sync = () => context.call(lan, instances.sync, { params: { id: instance.id } })
  const answers = await Promise.all(Array.from({ length: 28 }, sync))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(3)
  expect(await context.dueSyncs()).toEqual([instance.id])
  const refused = answers.find(({ status }) => status !== 202)
  expect(refused).toMatchObject({ status: 429, body: { code: 'quota_syncs', params: { limit: 3 } } })
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(86_000)
  const admin = await context.add.admin()
  const byAdmin = await context.call(admin, instances.sync, { params: { id: instance.id } })
  expect(byAdmin.status, 'a Member does not use up the syncs of an Admin').toBe(202)

  await context.db.run(sql`update manual_syncs set since = since - interval '24 hours'`)
  expect((await sync()).status).toBe(202)
})

test('a sync of an instance that is deleted at that moment finds none', async () => {
  const instance = await context.add.instance()
  const admin = await context.add.admin()
  const { sync } = await context.db.begin(async (tx) => {
    await tx.run(sql`delete from instances where id = ${instance.id}`)
    const asked = { sync: context.call(admin, instances.sync, { params: { id: instance.id } }) }
    await until('the sync waits', async () => (await countWaiting(context.db)) > 0)
    return asked
  })
  expect((await sync).body).toMatchObject({ code: 'not_found' })
})

//
test('a sync of an instance that is not connected counts too, because it asks the provider', async () => {
  const { instance, lan } = await fixture()
  await context.db.run(sql`update instances set status = 'Unpaid' where id = ${instance.id}`)
  await set({ syncsPerDay: 3 })
  const answers = []
  for (let n = 0; n < 6; n++)
    answers.push((await context.call(lan, instances.sync, { params: { id: instance.id } })).status)
  expect(answers).toEqual([409, 409, 409, 429, 429, 429])
  expect(statusReads).toBe(3)
})

//
test('the images of a user are limited', async () => {
  const lan = await context.add.user({ canSendMessages: true })
  const { id } = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size, user_id) values ('x.png', 'image/png', 999999, ${lan.id}) returning id`)
  await set({ imageMegabytesPerUser: 1 })
  const body = formOf({ textContent: 'Hello' }, await picture())
  const upload = () => context.call(lan, messages.createWithFile, { body })
  expect(await upload()).toMatchObject({ status: 409, body: { code: 'quota_images', params: { limit: 1 } } })
  await context.db.run(sql`delete from images where id = ${id}`)
  expect((await upload()).status).toBe(201)
})

//
test('of the searches of a user some run, some wait, and others do not wait for them', async () => {
  const search = limitSearches(context.db)
  await set({ searchesAtOnce: 4 })
  let running = 0
  let most = 0
  const ending = Promise.withResolvers<void>()
  const work = async () => {
    most = Math.max(most, ++running)
    await ending.promise
    running--
  }
  const codes: string[] = []
  const mine = Array.from({ length: 100 }, () =>
    search(1, work).then(
      () => codes.push('done'),
      (error) => codes.push(error.code),
    ),
  )
  await until('the others are refused', () => codes.length === 76)
  expect(await search(2, async () => 'mine')).toBe('mine')
  ending.resolve()
  await Promise.all(mine)
  expect(most).toBe(4)
  expect(codes.filter((code) => code === 'quota_searches')).toHaveLength(76)
  expect(codes.filter((code) => code === 'done')).toHaveLength(24)
  expect(await search(1, async () => 'again')).toBe('again')
})

//
test('a search of the API takes its turn', async () => {
  const lan = await context.add.user()
  const app = await context.app
  const took: (number | string)[] = []
  const search = app.searchInTurn
  app.searchInTurn = (userId, work) => {
    took.push(userId)
    return search(userId, work)
  }
  await context.call(lan, messages.list, { query: { search: 'xin' } })
  await context.call(lan, messages.list, {})
  expect(took).toEqual([lan.id])
})
