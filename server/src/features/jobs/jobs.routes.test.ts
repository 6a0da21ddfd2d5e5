import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { useWorld } from '../../../test/world.ts'
import { assignments, json, sql } from '../../platform/database/sql.ts'

const world = useWorld()
const { jobs } = contract

const NOT_FOUND = { status: 404, body: { code: 'not_found' } }
const FORBIDDEN = { status: 403, body: { code: 'forbidden' } }

async function memberWithInstance() {
  const instance = await world.add.instance()
  return { instance, member: await world.add.user({ instances: [instance] }) }
}

const list = (user: TestUser | null, query = {}) => world.call(user, jobs.list, { query })
const get = (user: TestUser | null, id: number) => world.call(user, jobs.get, { params: { id } })
const restart = (user: TestUser | null, id: number) => world.call(user, jobs.restart, { params: { id } })
const cancel = (user: TestUser | null, id: number) => world.call(user, jobs.cancel, { params: { id } })
const remove = (user: TestUser | null, id: number) => world.call(user, jobs.remove, { params: { id } })
const bulkDelete = (user: TestUser | null, jobIds: number[]) =>
  world.call(user, jobs.bulkDelete, { body: { jobIds } })

/** The recipients in order become what is given; all others stay queued. */
async function settle(jobId: number, ...statuses: string[]) {
  for (const [index, status] of statuses.entries()) {
    const reason = status === 'failed' ? json({ code: 'not_on_whatsapp', params: {} }) : null
    const sentAt = status === 'sent' ? '2026-01-01T00:00:00.000Z' : null
    await world.db.run(sql`
      update deliveries set ${assignments({ status, sentAt, reason })}
      where id = (select id from deliveries where job_id = ${jobId} order by id limit 1 offset ${index})`)
  }
}

type Order = Input<typeof jobs.create>['body']

/** A Member with an account, two groups and a message, and how to create a job of them. */
async function desk(instanceColumns: Record<string, unknown> = {}) {
  const instance = await world.add.instance(instanceColumns)
  const member = await world.add.user({ instances: [instance] })
  const groups = [
    await world.add.group({ instanceId: instance.id, name: 'Aunts' }),
    await world.add.group({ instanceId: instance.id, name: 'Brothers' }),
  ]
  const message = await world.add.message({ createdByUserId: member.id, textContent: 'Hello' })
  const groupIds = groups.map(({ id }) => id)
  const create = (order: Partial<Order> = {}, user: TestUser | null = member) =>
    world.call(user, jobs.create, {
      body: { messageId: message.id, instanceId: instance.id, groupIds, ...order } as Order, // tests send wrong ones too
    })
  return { instance, member, groups, message, create }
}

const toUsers = (phoneNumbers: string) => ({ jobType: 'SendToUsers', phoneNumbers }) as const

//
test('a job to groups carries its own text and image, and one delivery for each group', async () => {
  const { instance, member, groups, message, create } = await desk()
  const image = await world.db.maybeOne(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  await world.db.run(sql`update messages set image_id = ${image?.id}`)

  const made = await create({ groupIds: [groups[0]?.id ?? 0, groups[1]?.id ?? 0, groups[0]?.id ?? 0] })
  await world.db.run(sql`delete from messages`)

  expect(made).toMatchObject({
    status: 201,
    body: {
      jobType: 'SendToGroups',
      messageId: message.id,
      messageTitle: 'Hello',
      instanceName: instance.name,
      status: 'Pending',
      isPaused: false,
      createdByUserName: member.username,
      scheduledAt: null,
    },
  })
  expect((await get(member, made.body.id)).body).toMatchObject({
    messageId: null,
    textContent: 'Hello',
    imageUrl: '/images/a.png',
    assignedGroups: groups.map(({ id, name }) => ({ id, name })),
    targetPhoneNumbers: [],
    recipients: { total: 2, waiting: 2 },
    logs: [{ logLevel: 'Info', message: `Created by ${member.username}. Recipients: 2.` }],
  })
  expect(await world.db.many(sql`select chat_id from deliveries order by id`)).toEqual(
    groups.map(({ chatId }) => ({ chatId })),
  )
})

test('a job to people reads their numbers, each once', async () => {
  const { member, create } = await desk()

  const made = await create({ ...toUsers('0901234567, +84 90 123 4567\n+1 213 373 4253'), groupIds: [] })

  expect((await get(member, made.body.id)).body).toMatchObject({
    jobType: 'SendToUsers',
    assignedGroups: [],
    targetPhoneNumbers: ['84901234567', '12133734253'],
    recipients: { total: 2 },
  })
  expect(await world.db.many(sql`select chat_id, recipient_name from deliveries order by id`)).toEqual([
    { chatId: '84901234567@s.whatsapp.net', recipientName: '+84901234567' },
    { chatId: '12133734253@s.whatsapp.net', recipientName: '+12133734253' },
  ])
})

//
test('numbers that can not be read refuse the job and are named, in a bounded text', async () => {
  const { create } = await desk()

  expect(await create(toUsers('0901234567, hello; +84 12'))).toMatchObject({
    status: 400,
    body: { code: 'phone_unreadable', params: { numbers: 'hello, +84 12' } },
  })
  const many = await create(
    toUsers(Array.from({ length: 1000 }, (_, n) => `bad ${'x'.repeat(100)} ${n}`).join()),
  )
  expect(String(many.body.params?.numbers).length).toBeLessThan(1000)
  expect(await world.db.many(sql`select from jobs`)).toHaveLength(0)
})

//
test('a job of more than 100,000 recipients is refused', async () => {
  const { create } = await desk()
  const numbers = Array.from({ length: 100_001 }, (_, n) => `+8490${1_000_000 + n}`).join('\n')

  expect(await create(toUsers(numbers))).toMatchObject({
    status: 400,
    body: { code: 'too_many_recipients', error: 'A job takes 100000 recipients at most.' },
  })
})

test.each([
  ['no message', { messageId: undefined }, { messageId: 'JOB.MESSAGE_REQUIRED' }],
  ['no instance', { instanceId: undefined }, { instanceId: 'JOB.INSTANCE_REQUIRED' }],
  [
    'neither that exists',
    { messageId: 999_999, instanceId: 999_999 },
    { messageId: 'JOB.MESSAGE_REQUIRED', instanceId: 'JOB.INSTANCE_REQUIRED' },
  ],
  ['no groups', { groupIds: [] }, { groupIds: 'JOB.GROUP_REQUIRED' }],
  ['an unknown group', { groupIds: [999_999] }, { groupIds: 'JOB.GROUP_INVALID' }],
  //
  ['no phone numbers', toUsers(' \n '), { phoneNumbers: 'JOB.PHONE_REQUIRED' }],
  //
  ['phone numbers without any', toUsers(' , ; \n '), { phoneNumbers: 'JOB.PHONE_REQUIRED' }],
  ['a request id that is none', { requestId: 'again' }, { requestId: 'FIELD.INVALID' }],
  ['a time that is none', { scheduledAt: 'tomorrow' }, { scheduledAt: 'JOB.SCHEDULED_AT_INVALID' }],
])('%s is named by its field', async (_case, order, fields) => {
  const { create } = await desk()

  expect(await create(order as Partial<Order>)).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', fields },
  })
})

//
test('message, instance and groups must be the caller’s to see, and the groups of that instance', async () => {
  const { create } = await desk()
  const elsewhere = await world.add.group()
  const foreign = await world.add.message()

  expect(await create({ messageId: foreign.id })).toMatchObject({
    body: { fields: { messageId: 'JOB.MESSAGE_REQUIRED' } },
  })
  expect(await create({ instanceId: elsewhere.instanceId })).toMatchObject({
    body: { fields: { instanceId: 'JOB.INSTANCE_REQUIRED' } },
  })
  expect(await create({ groupIds: [elsewhere.id] }, await world.add.admin())).toMatchObject({
    body: { fields: { groupIds: 'JOB.GROUP_INVALID' } },
  })
  expect(await world.db.many(sql`select from jobs`)).toHaveLength(0)
})

//
test('an instance that is not active takes no job', async () => {
  const { create } = await desk({ isActive: false })

  expect(await create()).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
})

//
test('a group that the account has left is refused with its name', async () => {
  const { groups, create } = await desk()
  await world.db.run(sql`update groups set left_at = clock_now() where id = ${groups[1]?.id ?? 0}`)

  expect(await create()).toMatchObject({
    status: 400,
    body: { code: 'group_left', params: { names: 'Brothers' } },
  })
})

//
test('a time that lies ahead is kept, one that has passed means now', async () => {
  const { create } = await desk()
  const scheduledAt = '2125-01-01T08:00:00.000Z'

  expect(await create({ scheduledAt })).toMatchObject({ body: { scheduledAt } })
  for (const passed of ['2020-01-01T08:00:00.000Z', '0000-01-01T00:00:00.000Z', '', null])
    expect(await create({ scheduledAt: passed })).toMatchObject({ status: 201, body: { scheduledAt: null } })
})

const requestId = '0198c1de-7a61-4b3c-9d5e-2f6a8b1c4d7e'
const count = async () => {
  const counts = await world.db.one<{ jobs: number; deliveries: number; logs: number }>(sql`
    select (select count(*) from jobs) as jobs, (select count(*) from deliveries) as deliveries,
      (select count(*) from job_logs) as logs`)
  return counts
}

//
test('a job that is asked for again is not made again: whoever lost the answer gets it', async () => {
  const { instance, create } = await desk()
  const first = await create({ requestId })
  // What would refuse a new job is no matter any more.
  await world.db.run(sql`update instances set is_active = false where id = ${instance.id}`)

  const again = await create({ requestId })

  expect(first.status).toBe(201)
  expect([again.status, again.body]).toEqual([first.status, first.body])
  expect(await count()).toEqual({ jobs: 1, deliveries: 2, logs: 1 })
})

//
test('a job that is asked for again while it is still written is not made again', async () => {
  const { create } = await desk()
  const blocked = (howMany: number) =>
    expect.poll(() => countWaiting(world.db), { timeout: 30_000 }).toBe(howMany)
  let answers: ReturnType<typeof create>[] = []
  await world.db.begin(async (tx) => {
    // Holds the first one up after its job is written, before its recipients are.
    await tx.run(sql`lock table deliveries in share mode`)
    answers = [create({ requestId })]
    await blocked(1)
    answers.push(create({ requestId }))
    await blocked(2)
  })

  const [first, again] = await Promise.all(answers)
  expect(first?.status).toBe(201)
  expect([again?.status, again?.body]).toEqual([first?.status, first?.body])
  expect(await count()).toEqual({ jobs: 1, deliveries: 2, logs: 1 })
})

//
test('a request of somebody else, another one, one of a deleted job and those without a name are new jobs', async () => {
  const { member, create } = await desk()
  const ids = [
    (await create({ requestId })).body.id,
    (await create({ requestId }, await world.add.admin())).body.id,
    (await create({ requestId: requestId.replace('7e', '7f') })).body.id,
    (await create()).body.id,
    (await create()).body.id,
  ]
  expect(new Set(ids).size).toBe(5)

  await remove(member, ids[0] ?? 0)
  const anew = await create({ requestId })
  expect(anew.status).toBe(201)
  expect(ids).not.toContain(anew.body.id)
})

//
test('who has cancelled a job and asks for the same again gets another', async () => {
  const { member, create } = await desk()
  const { body: first } = await create({ requestId })
  await cancel(member, first.id)
  expect((await create({ requestId })).body.id).not.toBe(first.id)
})

//
test('what was asked for is told only to those who still see it', async () => {
  const { instance, member, create } = await desk()
  await create({ requestId })
  await world.db.run(sql`delete from user_instances where user_id = ${member.id}`)
  expect(await create({ requestId })).toMatchObject({
    body: { fields: { instanceId: 'JOB.INSTANCE_REQUIRED' } },
  })

  const other = await world.add.instance()
  await world.db.run(
    sql`insert into user_instances (user_id, instance_id) values (${member.id}, ${other.id})`,
  )
  const group = await world.add.group({ instanceId: other.id })
  expect(await create({ requestId, instanceId: other.id, groupIds: [group.id] })).toMatchObject(NOT_FOUND)
  expect(await world.db.many(sql`select from jobs where instance_id <> ${instance.id}`)).toHaveLength(0)
})

test('a job page tells how many were sent in the last minute', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.job({ instanceId: instance.id, status: 'Running' })
  await settle(id, 'sent', 'sent', 'failed')
  await world.db.run(
    sql`update deliveries set sent_at = clock_now() - interval '30 seconds' where chat_id = '1@g.us'`,
  )
  await world.db.run(
    sql`update deliveries set sent_at = clock_now() - interval '2 minutes' where chat_id = '2@g.us'`,
  )

  expect((await get(member, id)).body.recipients).toMatchObject({ sent: 2, sentLastMinute: 1 })
})

//
test('a job page tells its counts, its progress and what became of each recipient', async () => {
  const { instance, member } = await memberWithInstance()
  const recipients = ['1@g.us', '2@g.us', '3@g.us', '4@g.us', '5@g.us', '6@g.us']
  const { id } = await world.add.job({ instanceId: instance.id, status: 'Running', recipients })
  await settle(id, 'sent', 'failed', 'sent', 'skipped', 'doubt')
  await world.db.run(
    sql`update deliveries set delivered_at = clock_now() where chat_id in ('1@g.us', '3@g.us')`,
  )
  await world.db.run(sql`update deliveries set read_at = clock_now() where chat_id = '1@g.us'`)

  const { body } = await get(member, id)

  expect(body).toMatchObject({
    totalSentMessages: 2,
    progress: 33.33,
    recipients: { total: 6, waiting: 2, sent: 2, failed: 1, skipped: 1, delivered: 2, read: 1 },
  })
  const { total, waiting, sent, failed, skipped } = body.recipients
  expect(waiting + sent + failed + skipped).toBe(total)
  expect(body.sentMessages).toMatchObject([
    { recipientId: '3@g.us', status: 'Sent', sentAt: '2026-01-01T00:00:00.000Z', errorMessage: null },
    {
      recipientId: '2@g.us',
      status: 'Failed',
      sentAt: null,
      errorMessage: 'This number is not on WhatsApp.',
      reason: { code: 'not_on_whatsapp' },
    },
    { recipientId: '1@g.us', status: 'Sent' },
  ])
})

test('a job page says why nothing is sent yet', async () => {
  const { create, member } = await desk()
  const scheduledAt = '2125-01-01T08:00:00.000Z'
  const { body: made } = await create({ scheduledAt })

  expect((await get(member, made.id)).body).toMatchObject({
    waiting: { code: 'scheduled' },
    nextSendAt: scheduledAt,
  })
})

//
test('who got a job and what its log names is found without accents', async () => {
  const admin = await world.add.admin()
  const { id } = await world.add.job({ recipients: [] })
  const name = 'Khách hàng'
  await world.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${id}, instance_id, '1@g.us', ${name}, 'sent' from jobs`)
  await world.db.run(sql`
    insert into job_logs (job_id, log_level, reason)
    values (${id}, 'Info', ${json({ code: 'delivery_found', params: { recipient: name } })})`)
  const count = async (list: typeof jobs.sentMessages | typeof jobs.logs, search: string) =>
    (await world.call(admin, list, { params: { id }, query: { search } })).body.pagination.totalCount

  for (const list of [jobs.sentMessages, jobs.logs]) {
    expect(await count(list, 'khach hang')).toBe(1)
    expect(await count(list, 'hong')).toBe(0)
  }
  expect(await count(jobs.sentMessages, '1@G.US')).toBe(1)
})

//
test('a large job’s page is bounded; its lists page through all', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.job({ instanceId: instance.id, recipients: [] })
  await world.db.run(sql`update jobs set job_type = 'SendToUsers'`)
  await world.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${id}, ${instance.id}, n || '@s.whatsapp.net', '+' || n, 'sent' from generate_series(1, 1500) n`)
  await world.db.run(sql`
    insert into job_logs (job_id, log_level, reason)
    select ${id}, 'Info', ${json({ code: 'job_started', params: {} })} from generate_series(1, 300)`)
  const params = { id }

  const { body } = await get(member, id)
  expect(body.targetPhoneNumbers).toHaveLength(1000)
  expect(body.sentMessages).toHaveLength(200)
  expect(body.logs).toHaveLength(200)
  expect(body).toMatchObject({ totalSentMessages: 1500, progress: 100 })

  const sent = await world.call(member, jobs.sentMessages, { params, query: { page: 15, pageSize: 100 } })
  expect(sent.body.data.map(({ recipientId }) => recipientId)).toEqual(
    Array.from({ length: 100 }, (_, n) => String(100 - n)),
  )
  expect(sent.body.pagination).toMatchObject({ totalCount: 1500, totalPages: 15, hasNext: false })
  const found = await world.call(member, jobs.sentMessages, { params, query: { search: '149' } })
  expect(found.body.data.map(({ recipientId }) => recipientId)).toContain('1490')
  expect(found.body.pagination.totalCount).toBe(12)

  const logs = await world.call(member, jobs.logs, { params, query: { pageSize: 1000 } })
  expect(logs.body.data).toHaveLength(300)
  expect(logs.body.data[0]).toMatchObject({ logLevel: 'Info', message: 'Started.' })
})

test('one page costs the same number of queries, however large the job', async () => {
  const admin = await world.add.admin()
  const small = await world.add.job({ recipients: ['1@g.us'] })
  const large = await world.add.job({ recipients: Array.from({ length: 50 }, (_, n) => `${n}@g.us`) })
  await settle(large.id, ...Array.from({ length: 40 }, () => 'sent'))
  const countQueries = async (id: number) => {
    const executed = vi.spyOn(pg.Client.prototype, 'query')
    await get(admin, id)
    const count = executed.mock.calls.length
    executed.mockRestore()
    return count
  }
  await get(admin, small.id)

  const few = await countQueries(small.id)

  expect(few).toBeGreaterThan(3)
  expect(await countQueries(large.id)).toBe(few)
})

//
test('a job that has ended is restarted from the start', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.job({ instanceId: instance.id, status: 'Completed' })
  await settle(id, 'sent', 'failed', 'sent')
  await world.db.run(sql`
    insert into job_logs (job_id, log_level, reason) values (${id}, 'Info', '{"code": "job_started", "params": {}}')`)

  expect(await restart(member, id)).toMatchObject({ status: 200, body: { id, status: 'Pending' } })

  expect((await get(member, id)).body).toMatchObject({
    sentMessages: [],
    progress: 0,
    recipients: { total: 3, waiting: 3 },
    logs: [{ message: `Restarted by ${member.username}.` }],
  })
})

test.each(['Completed', 'Failed', 'Cancelled'] as const)(
  //
  'a %s job can be restarted',
  async (status) => {
    const job = await world.add.job({ status })

    expect(await restart(await world.add.admin(), job.id)).toMatchObject({
      status: 200,
      body: { status: 'Pending', startedAt: null, completedAt: null },
    })
  },
)

//
test.each(['Pending', 'Running'] as const)('a %s job can be cancelled', async (status) => {
  const job = await world.add.job({ status })

  expect(await cancel(await world.add.admin(), job.id)).toMatchObject({
    status: 200,
    body: { status: 'Cancelled', completedAt: expect.any(String) },
  })
})

//
test('a restart keeps a time that still lies ahead', async () => {
  const scheduledAt = '2125-01-01T08:00:00.000Z'
  const { id } = await world.add.job({ status: 'Cancelled', scheduledAt })

  expect(await restart(await world.add.admin(), id)).toMatchObject({
    body: { status: 'Pending', scheduledAt },
  })
})

//
test('a job is cancelled, and what had not gone out is skipped', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.job({ instanceId: instance.id, status: 'Running' })
  await settle(id, 'sent')

  expect(await cancel(member, id)).toMatchObject({ status: 200, body: { id, status: 'Cancelled' } })

  expect((await get(member, id)).body).toMatchObject({ recipients: { total: 3, sent: 1, skipped: 2 } })
})

//
test.each(['Pending', 'Running'] as const)('a %s job can not be restarted', async (status) => {
  const job = await world.add.job({ status })

  expect(await restart(await world.add.admin(), job.id)).toMatchObject({
    status: 409,
    body: { code: 'job_not_restartable' },
  })
})

test.each(['Completed', 'Failed', 'Cancelled'] as const)(
  //
  'a %s job can not be cancelled',
  async (status) => {
    const job = await world.add.job({ status })

    expect(await cancel(await world.add.admin(), job.id)).toMatchObject({
      status: 409,
      body: { code: 'job_not_cancellable' },
    })
  },
)

//
test('a job with a message still in doubt is not restarted beside it', async () => {
  const job = await world.add.job({ status: 'Cancelled' })
  await world.db.run(sql`
    update deliveries set status = 'doubt', doubt_since = clock_now() where chat_id = '1@g.us'`)

  expect(await restart(await world.add.admin(), job.id)).toMatchObject({
    status: 409,
    body: { code: 'job_settling' },
  })
})

//
test('a job is deleted with all that belongs to it; one that waits is cancelled first', async () => {
  const { instance, member } = await memberWithInstance()
  const { id } = await world.add.job({ instanceId: instance.id, status: 'Running' })

  expect(await remove(member, id)).toMatchObject({ status: 204 })

  expect(await world.db.many(sql`select from jobs`)).toHaveLength(0)
  expect(await world.db.many(sql`select from deliveries`)).toHaveLength(0)
})

//
test('several are deleted all or none', async () => {
  const { instance, member } = await memberWithInstance()
  const [own, other] = [await world.add.job({ instanceId: instance.id }), await world.add.job()]

  expect(await bulkDelete(member, [own.id, other.id])).toMatchObject(NOT_FOUND)
  expect(await bulkDelete(member, [own.id, 999_999])).toMatchObject(NOT_FOUND)
  expect(await bulkDelete(member, [])).toMatchObject({ status: 400 })
  expect(await world.db.many(sql`select status from jobs`)).toEqual([
    { status: 'Pending' },
    { status: 'Pending' },
  ])

  expect(await bulkDelete(member, [own.id, own.id])).toMatchObject({ status: 204 })
  expect(await world.db.many(sql`select id from jobs`)).toEqual([{ id: other.id }])
})

//
test('a member sees and touches the jobs of their instances only; an Admin all', async () => {
  const { instance, member } = await memberWithInstance()
  const own = await world.add.job({ instanceId: instance.id })
  const other = await world.add.job({ createdByUserId: member.id })
  const params = { id: other.id }

  const ids = async (user: TestUser) => (await list(user)).body.data.map(({ id }) => id)
  expect(await ids(member)).toEqual([own.id])
  expect(await ids(await world.add.admin())).toEqual([other.id, own.id])

  expect(await get(member, other.id)).toMatchObject(NOT_FOUND)
  expect(await world.call(member, jobs.sentMessages, { params })).toMatchObject(NOT_FOUND)
  expect(await world.call(member, jobs.logs, { params })).toMatchObject(NOT_FOUND)
  expect(await restart(member, other.id)).toMatchObject(NOT_FOUND)
  expect(await cancel(member, other.id)).toMatchObject(NOT_FOUND)
  expect(await remove(member, other.id)).toMatchObject(NOT_FOUND)
  expect(await world.db.many(sql`select status from jobs`)).toEqual([
    { status: 'Pending' },
    { status: 'Pending' },
  ])
})

//
test('a member without the flag reads, and changes nothing', async () => {
  const { instance, create } = await desk()
  const reader = await world.add.user({ instances: [instance], canCreateJobs: false })
  const { id } = await world.add.job({ instanceId: instance.id })

  expect(await get(reader, id)).toMatchObject({ status: 200 })
  expect(await create({}, reader)).toMatchObject(FORBIDDEN)
  for (const change of [restart, cancel, remove]) expect(await change(reader, id)).toMatchObject(FORBIDDEN)
  expect(await bulkDelete(reader, [id])).toMatchObject(FORBIDDEN)
  expect(await world.db.many(sql`select status from jobs`)).toEqual([{ status: 'Pending' }])
})

test('without a session nothing is answered', async () => {
  const { create } = await desk()
  const answers = [
    await list(null),
    await get(null, 1),
    await world.call(null, jobs.sentMessages, { params: { id: 1 } }),
    await world.call(null, jobs.logs, { params: { id: 1 } }),
    await create({}, null),
    await restart(null, 1),
    await cancel(null, 1),
    await remove(null, 1),
    await bulkDelete(null, [1]),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

//
test('the list is searched literally and without accents, sorted and paged', async () => {
  const admin = await world.add.admin()
  for (const [textContent, status] of [
    ['50% off', 'Running'],
    ['50 offers', 'Completed'],
    ['snake_case', 'Failed'],
    ['snakeXcase Khách', 'Pending'],
  ] as const)
    await world.add.job({ textContent, status, recipients: [] })
  const titles = async (query: object) => (await list(admin, query)).body.data.map((row) => row.messageTitle)

  expect(await titles({ search: '50%' })).toEqual(['50% off'])
  expect(await titles({ search: 'E_C' })).toEqual(['snake_case'])
  expect(await titles({ search: 'khach' })).toEqual(['snakeXcase Khách'])
  expect(await titles({ sortBy: 'status', sortDirection: 'asc' })).toEqual([
    '50 offers',
    'snake_case',
    'snakeXcase Khách',
    '50% off',
  ])
  expect((await list(admin, { page: 2, pageSize: 3 })).body).toMatchObject({
    data: [{ messageTitle: '50% off' }],
    pagination: { currentPage: 2, totalCount: 4, totalPages: 2, hasPrevious: true, hasNext: false },
  })
  expect(await list(admin, { sortBy: 'media_id' })).toMatchObject({ status: 400 })
})

//
test('a list row carries nothing that grows with the job', async () => {
  const admin = await world.add.admin()
  await world.add.job({ textContent: 'x'.repeat(4000) })

  const { body } = await list(admin)

  expect(body.data[0]?.messageTitle).toHaveLength(100)
  for (const name of ['assignedGroups', 'targetPhoneNumbers', 'logs', 'sentMessages', 'textContent'])
    expect(body.data[0]).not.toHaveProperty(name)
})
