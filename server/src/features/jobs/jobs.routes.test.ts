import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { assignments, json, sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { jobs } = contract

const NOT_FOUND = { status: 404, body: { code: 'not_found' } }

const list = (user: TestUser, query = {}) => context.call(user, jobs.list, { query })
const get = (user: TestUser, id: number) => context.call(user, jobs.get, { params: { id } })
const restart = (user: TestUser, id: number) => context.call(user, jobs.restart, { params: { id } })
const cancel = (user: TestUser, id: number) => context.call(user, jobs.cancel, { params: { id } })
const remove = (user: TestUser, id: number) => context.call(user, jobs.remove, { params: { id } })

/** Sets the statuses of the first deliveries, in order. The others stay queued. */
async function settle(jobId: number, ...statuses: string[]) {
  for (const [index, status] of statuses.entries()) {
    const reason = status === 'failed' ? json({ code: 'not_on_whatsapp', params: {} }) : null
    const sentAt = status === 'sent' ? '2026-01-01T00:00:00.000Z' : null
    await context.db.run(sql`
      update deliveries set ${assignments({ status, sentAt, reason })}
      where id = (select id from deliveries where job_id = ${jobId} order by id limit 1 offset ${index})`)
  }
}

type Order = Input<typeof jobs.create>['body']

/** Adds a Member with an instance, two groups and a message, and returns a function that creates a job of them. */
async function fixture(instanceColumns: Record<string, unknown> = {}) {
  const { instance, member } = await context.add.memberWithInstance(instanceColumns)
  const groups = [
    await context.add.group({ instanceId: instance.id, name: 'Aunts' }),
    await context.add.group({ instanceId: instance.id, name: 'Brothers' }),
  ]
  const message = await context.add.message({ createdByUserId: member.id, textContent: 'Hello' })
  const groupIds = groups.map(({ id }) => id)
  const create = (order: Partial<Order> = {}, user = member) =>
    context.call(user, jobs.create, {
      body: { messageId: message.id, instanceId: instance.id, groupIds, ...order } as Order, // also bad input
    })
  return { instance, member, groups, message, create }
}

const toUsers = (phoneNumbers: string) => ({ jobType: 'SendToUsers', phoneNumbers }) as const

//
test('a job to groups has its own text and image, and one delivery for each group', async () => {
  const { instance, member, groups, message, create } = await fixture()
  const image = await context.db.maybeOne(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  await context.db.run(sql`update messages set image_id = ${image?.id} where id = ${message.id}`)

  const made = await create({ groupIds: [groups[0]?.id ?? 0, groups[1]?.id ?? 0, groups[0]?.id ?? 0] })
  await context.db.run(sql`delete from messages where id = ${message.id}`)

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
  expect(
    await context.db.many(sql`select chat_id from deliveries where job_id = ${made.body.id} order by id`),
  ).toEqual(groups.map(({ chatId }) => ({ chatId })))
})

test('a job to people has one delivery for each number', async () => {
  const { member, create } = await fixture()

  const made = await create({ ...toUsers('0901234567, +84 90 123 4567\n+1 213 373 4253'), groupIds: [] })

  expect((await get(member, made.body.id)).body).toMatchObject({
    jobType: 'SendToUsers',
    assignedGroups: [],
    targetPhoneNumbers: ['84901234567', '12133734253'],
    recipients: { total: 2 },
  })
  expect(
    await context.db.many(sql`
    select chat_id, recipient_name from deliveries where job_id = ${made.body.id} order by id`),
  ).toEqual([
    { chatId: '84901234567@s.whatsapp.net', recipientName: '+84901234567' },
    { chatId: '12133734253@s.whatsapp.net', recipientName: '+12133734253' },
  ])
})

//
test('invalid numbers refuse the job, and the error names them in a bounded text', async () => {
  const { instance, create } = await fixture()

  expect(await create(toUsers('0901234567, hello; +84 12'))).toMatchObject({
    status: 400,
    body: {
      code: 'phone_unreadable',
      error: 'These are not phone numbers: hello, +84 12.',
      params: { numbers: 'hello, +84 12', more: 0 },
    },
  })
  const many = await create(
    toUsers(Array.from({ length: 1000 }, (_, n) => `bad ${'x'.repeat(100)} ${n}`).join()),
  )
  expect(String(many.body.params?.numbers).split(', ')).toHaveLength(20)
  expect(many.body).toMatchObject({
    params: { more: 980 },
    error: expect.stringMatching(/… and 980 more\.$/),
  })
  expect(many.raw.length).toBeLessThan(3000)
  expect(await context.db.many(sql`select from jobs where instance_id = ${instance.id}`)).toHaveLength(0)
})

//
test('a job of more than 100,000 recipients is refused', async () => {
  const { create } = await fixture()
  const numbers = Array.from({ length: 100_001 }, (_, n) => `+8490${1_000_000 + n}`).join('\n')

  expect(await create(toUsers(numbers))).toMatchObject({
    status: 400,
    body: { code: 'too_many_recipients', error: 'A job can have 100000 recipients at most.' },
  })
})

test.each([
  [
    'an unknown message and instance',
    { messageId: 999_999, instanceId: 999_999 },
    { messageId: 'JOB.MESSAGE_REQUIRED', instanceId: 'JOB.INSTANCE_REQUIRED' },
  ],
  ['an unknown group', { groupIds: [999_999] }, { groupIds: 'JOB.GROUP_INVALID' }],
  //
  ['no phone numbers', toUsers(' \n '), { phoneNumbers: 'JOB.PHONE_REQUIRED' }],
  //
  ['nothing but separators', toUsers(' , ; \n '), { phoneNumbers: 'JOB.PHONE_REQUIRED' }],
  ['an invalid request id', { requestId: 'again' }, { requestId: 'FIELD.INVALID' }],
])('the error for %s names the field', async (_case, order, fields) => {
  const { create } = await fixture()

  expect(await create(order as Partial<Order>)).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', fields },
  })
})

//
test('an inactive instance accepts no job', async () => {
  const { create } = await fixture({ isActive: false })

  expect(await create()).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
})

//
test('a group that the instance has left is refused with its name', async () => {
  const { groups, create } = await fixture()
  await context.db.run(sql`update groups set left_at = clock_now() where id = ${groups[1]?.id ?? 0}`)

  expect(await create()).toMatchObject({
    status: 400,
    body: { code: 'group_left', params: { names: 'Brothers' } },
  })
})

//
test('a future time is kept, and a past time means now', async () => {
  const { create } = await fixture()
  const scheduledAt = '2125-01-01T08:00:00.000Z'

  expect(await create({ scheduledAt })).toMatchObject({ body: { scheduledAt } })
  for (const passed of ['2020-01-01T08:00:00.000Z', '0000-01-01T00:00:00.000Z', '', null])
    expect(await create({ scheduledAt: passed })).toMatchObject({ status: 201, body: { scheduledAt: null } })
})

const requestId = '0198c1de-7a61-4b3c-9d5e-2f6a8b1c4d7e'
const countOf = (instance: { id: number }) =>
  context.db.one<{ jobs: number; deliveries: number; logs: number }>(sql`
    select count(*) as jobs, (select count(*) from deliveries where instance_id = ${instance.id}) as deliveries,
      (select count(*) from job_logs l join jobs on jobs.id = l.job_id where instance_id = ${instance.id}) as logs
    from jobs where instance_id = ${instance.id}`)

//
test('a repeated request returns the same job', async () => {
  const { instance, create } = await fixture()
  const first = await create({ requestId })
  // An inactive instance would refuse a new job.
  await context.db.run(sql`update instances set is_active = false where id = ${instance.id}`)

  const again = await create({ requestId })

  expect(first.status).toBe(201)
  expect([again.status, again.body]).toEqual([first.status, first.body])
  expect(await countOf(instance)).toEqual({ jobs: 1, deliveries: 2, logs: 1 })
})

//
test('a request that is repeated while the first one is running returns the same job', async () => {
  const { instance, create } = await fixture()
  const blocked = (howMany: number) => expect.poll(() => countWaiting(context.db)).toBe(howMany)
  let answers: ReturnType<typeof create>[] = []
  await context.db.begin(async (tx) => {
    // Blocks the first request between the insert of the job and the insert of its deliveries.
    await tx.run(sql`lock table deliveries in share mode`)
    answers = [create({ requestId })]
    await blocked(1)
    answers.push(create({ requestId }))
    await blocked(2)
  })

  const [first, again] = await Promise.all(answers)
  expect(first?.status).toBe(201)
  expect([again?.status, again?.body]).toEqual([first?.status, first?.body])
  expect(await countOf(instance)).toEqual({ jobs: 1, deliveries: 2, logs: 1 })
})

//
test('another user, another key or a deleted job give a new job', async () => {
  const { member, create } = await fixture()
  const ids = [
    (await create({ requestId })).body.id,
    (await create({ requestId }, await context.add.admin())).body.id,
    (await create({ requestId: requestId.replace('7e', '7f') })).body.id,
    (await create()).body.id,
  ]
  expect(new Set(ids).size).toBe(4)

  await remove(member, ids[0] ?? 0)
  const another = await create({ requestId })
  expect(another.status).toBe(201)
  expect(ids).not.toContain(another.body.id)
})

//
test('equal requests without a key that arrive together create one job', async () => {
  const { instance, create } = await fixture()
  const answers = await Promise.all([create(), create(), create(), create()])

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await countOf(instance)).toEqual({ jobs: 1, deliveries: 2, logs: 1 })
})

//
test('requests without a key that arrive together but differ create a job each', async () => {
  const { member, message, create } = await fixture()
  const other = await context.add.message({ textContent: 'Another text', createdByUserId: member.id })
  const scheduledAt = '2125-01-01T08:00:00.000Z'
  const answers = await Promise.all([
    create(),
    create({ messageId: other.id }),
    create({ scheduledAt }),
    create({}, await context.add.admin()),
  ])
  await context.db.run(sql`update messages set text_content = 'Changed' where id = ${message.id}`)
  answers.push(await create())

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(5)
})

//
test.each([
  [2000, 1],
  [5000, 2],
])('an equal request without a key %i ms later leaves %i jobs', async (laterMs, jobs) => {
  const { instance, create } = await fixture()
  await context.freezeClock()
  await create()
  await context.db.run(sql`
    update jobs set created_at = created_at - ${laterMs} * interval '1 ms' where instance_id = ${instance.id}`)
  const again = await Promise.all([create(), create()])

  expect(again.map(({ status }) => status)).toEqual([201, 201])
  expect((await countOf(instance)).jobs).toBe(jobs)
})

//
test('an equal request without a key after a cancel creates a new job', async () => {
  const { member, create } = await fixture()
  const { body: first } = await create()
  await cancel(member, first.id)
  expect((await create()).body.id).not.toBe(first.id)
})

//
test('a repeated request after a cancel gives a new job', async () => {
  const { member, create } = await fixture()
  const { body: first } = await create({ requestId })
  await cancel(member, first.id)
  expect((await create({ requestId })).body.id).not.toBe(first.id)
})

//
test('a repeated request does not return a job that the caller no longer sees', async () => {
  const { member, create } = await fixture()
  await create({ requestId })
  await context.db.run(sql`delete from user_instances where user_id = ${member.id}`)
  expect(await create({ requestId })).toMatchObject({
    body: { fields: { instanceId: 'JOB.INSTANCE_REQUIRED' } },
  })

  const other = await context.add.instance()
  await context.db.run(
    sql`insert into user_instances (user_id, instance_id) values (${member.id}, ${other.id})`,
  )
  const group = await context.add.group({ instanceId: other.id })
  expect(await create({ requestId, instanceId: other.id, groupIds: [group.id] })).toMatchObject(NOT_FOUND)
  expect(await context.db.many(sql`select from jobs where instance_id = ${other.id}`)).toHaveLength(0)
})

test('a job page shows how many were sent in the last minute', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Running' })
  await settle(id, 'sent')
  await context.moveClock('121 seconds')
  await settle(id, 'sent', 'sent', 'failed')
  const recipients = { sent: 2, failed: 1, sentLastMinute: 1 }
  expect((await get(member, id)).body.recipients).toMatchObject(recipients)

  await foldCounts(context.db)
  expect((await get(member, id)).body.recipients).toMatchObject(recipients)
  await context.moveClock('121 seconds')
  await Promise.all([foldCounts(context.db), foldCounts(context.db)])
  expect((await get(member, id)).body.recipients).toMatchObject({ ...recipients, sentLastMinute: 0 })
  expect(await context.db.many(sql`select from job_counts where job_id = ${id}`)).toHaveLength(1)
  await context.db.run(sql`delete from jobs where id = ${id}`)
  expect(await context.db.many(sql`select from job_counts where job_id = ${id}`)).toEqual([])
})

//
test('a job page shows its counts, its progress and the result of each delivery', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const recipients = ['1@g.us', '2@g.us', '3@g.us', '4@g.us', '5@g.us', '6@g.us']
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Running', recipients })
  await settle(id, 'sent', 'failed', 'sent', 'skipped', 'doubt')
  await context.db.run(
    sql`
      update deliveries set delivered_at = clock_now() where job_id = ${id} and chat_id in ('1@g.us', '3@g.us')`,
  )
  await context.db.run(
    sql`update deliveries set read_at = clock_now() where job_id = ${id} and chat_id = '1@g.us'`,
  )

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

test('a job page shows why nothing is sent yet', async () => {
  const { create, member } = await fixture()
  const scheduledAt = '2125-01-01T08:00:00.000Z'
  const { body: made } = await create({ scheduledAt })

  expect((await get(member, made.id)).body).toMatchObject({
    waiting: { code: 'scheduled' },
    nextSendAt: scheduledAt,
  })
})

//
test('deliveries and log lines are found without accents', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.job({ recipients: [] })
  const name = 'Khách hàng'
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${id}, instance_id, '1@g.us', ${name}, 'sent' from jobs where id = ${id}`)
  await context.db.run(sql`
    insert into job_logs (job_id, log_level, reason)
    values (${id}, 'Info', ${json({ code: 'delivery_found', params: { recipient: name } })})`)
  const count = async (list: typeof jobs.sentMessages | typeof jobs.logs, search: string) =>
    (await context.call(admin, list, { params: { id }, query: { search } })).body.pagination.totalCount

  for (const list of [jobs.sentMessages, jobs.logs]) {
    expect(await count(list, 'khach hang')).toBe(1)
    expect(await count(list, 'hong')).toBe(0)
  }
  expect(await count(jobs.sentMessages, '1@G.US')).toBe(1)
})

//
test('the page of a large job is bounded, and its lists page through all rows', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, recipients: [] })
  await context.db.run(sql`update jobs set job_type = 'SendToUsers', recipient_count = 1500 where id = ${id}`)
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${id}, ${instance.id}, n || '@s.whatsapp.net', '+' || n, 'sent' from generate_series(1, 1500) n`)
  await context.db.run(sql`
    insert into job_logs (job_id, log_level, reason)
    select ${id}, 'Info', ${json({ code: 'job_started', params: {} })} from generate_series(1, 300)`)
  const params = { id }

  const { body } = await get(member, id)
  expect(body.targetPhoneNumbers).toHaveLength(1000)
  expect(body.sentMessages).toHaveLength(200)
  expect(body.logs).toHaveLength(200)
  expect(body).toMatchObject({ totalSentMessages: 1500, progress: 100 })

  const sent = await context.call(member, jobs.sentMessages, { params, query: { page: 15, pageSize: 100 } })
  expect(sent.body.data.map(({ recipientId }) => recipientId)).toEqual(
    Array.from({ length: 100 }, (_, n) => String(100 - n)),
  )
  expect(sent.body.pagination).toMatchObject({ totalCount: 1500, totalPages: 15, hasNext: false })
  const found = await context.call(member, jobs.sentMessages, { params, query: { search: '149' } })
  expect(found.body.data.map(({ recipientId }) => recipientId)).toContain('1490')
  expect(found.body.pagination.totalCount).toBe(12)

  const logs = await context.call(member, jobs.logs, { params, query: { pageSize: 1000 } })
  expect(logs.body.data).toHaveLength(300)
  expect(logs.body.data[0]).toMatchObject({ logLevel: 'Info', message: 'Started.' })
})

test('a job page takes the same number of queries, however large the job is', async () => {
  const admin = await context.add.admin()
  const small = await context.add.job({ recipients: ['1@g.us'] })
  const large = await context.add.job({ recipients: Array.from({ length: 50 }, (_, n) => `${n}@g.us`) })
  await settle(large.id, ...Array.from({ length: 40 }, () => 'sent'))
  const countQueries = async (id: number) => {
    const executed = vi.spyOn(pg.Client.prototype, 'query')
    await get(admin, id)
    // Each new connection asks for the server, also that of the check every five seconds.
    const own = executed.mock.calls.filter(
      (call) => !JSON.stringify(call).includes('pg_postmaster_start_time'),
    )
    executed.mockRestore()
    return own.length
  }
  await get(admin, small.id)

  const few = await countQueries(small.id)

  expect(few).toBeGreaterThan(3)
  expect(await countQueries(large.id)).toBe(few)
})

//
test('a restart sends an ended job again from the start', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Completed' })
  await settle(id, 'sent', 'failed', 'sent')
  await context.db.run(sql`
    insert into job_logs (job_id, log_level, reason) values (${id}, 'Info', '{"code": "job_started", "params": {}}')`)

  expect(await restart(member, id)).toMatchObject({ status: 200, body: { id, status: 'Pending' } })

  expect((await get(member, id)).body).toMatchObject({
    sentMessages: [],
    progress: 0,
    recipients: { total: 3, waiting: 3 },
    logs: [{ message: `Restarted by ${member.username}.` }],
  })
})

//
test('a restart keeps a time in the future', async () => {
  const scheduledAt = '2125-01-01T08:00:00.000Z'
  const { id } = await context.add.job({ status: 'Cancelled', scheduledAt })

  expect(await restart(await context.add.admin(), id)).toMatchObject({
    body: { status: 'Pending', scheduledAt },
  })
})

//
test('a cancel skips the deliveries that were not sent', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Running' })
  await settle(id, 'sent')

  expect(await cancel(member, id)).toMatchObject({ status: 200, body: { id, status: 'Cancelled' } })

  expect((await get(member, id)).body).toMatchObject({ recipients: { total: 3, sent: 1, skipped: 2 } })
})

//
test('a job with a delivery in doubt is not restarted', async () => {
  const job = await context.add.job({ status: 'Cancelled' })
  await context.db.run(sql`
    update deliveries set status = 'doubt', doubt_since = clock_now() where chat_id = '1@g.us'`)

  expect(await restart(await context.add.admin(), job.id)).toMatchObject({
    status: 409,
    body: { code: 'job_settling' },
  })
})

//
test('a job is deleted with its deliveries and log, and a waiting job is cancelled first', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Running' })

  expect(await remove(member, id)).toMatchObject({ status: 204 })

  expect(await context.db.many(sql`select from jobs where id = ${id}`)).toHaveLength(0)
  expect(await context.db.many(sql`select from deliveries where job_id = ${id}`)).toHaveLength(0)
})

//
test('a row of the list has a bounded title', async () => {
  const admin = await context.add.admin()
  await context.add.job({ textContent: 'x'.repeat(4000) })

  expect((await list(admin)).body.data[0]?.messageTitle).toHaveLength(100)
})

test('a row of the list tells how many recipients have failed, without counting them', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.job({ status: 'Completed', deliveryStatus: 'sent' })
  await context.db.run(
    sql`update deliveries set status = 'failed' where job_id = ${id} and chat_id <> '1@g.us'`,
  )

  expect((await list(admin)).body.data[0]).toMatchObject({ id, failedCount: 2 })
  expect((await get(admin, id)).body).toMatchObject({ failedCount: 2, recipients: { failed: 2 } })
  expect((await restart(admin, id)).body).toMatchObject({ failedCount: 0 })
})

test.each([
  ['Cancelled', ['sent', 'sent', 'sent'], false],
  ['Cancelled', ['sent', 'skipped', 'sent'], true],
  ['Cancelled', ['sent', 'failed', 'sent'], true],
  ['Completed', ['sent', 'sent', 'sent'], false],
  ['Completed', ['sent', 'sent', 'failed'], true],
  //
] as const)(
  'whether a %s job with recipients %s has some left: %s',
  async (status, recipients, hasRemaining) => {
    const admin = await context.add.admin()
    const { id } = await context.add.job({ status, deliveryStatus: 'sending' })
    await settle(id, ...recipients)

    expect((await list(admin)).body.data[0]).toMatchObject({ id, hasRemaining })
    expect((await get(admin, id)).body).toMatchObject({ hasRemaining })
  },
)

//
test('the recipients of a job are listed with the failed ones first, and by outcome', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const recipients = [1, 2, 3, 4, 5, 6].map((n) => `${n}@g.us`)
  const { id } = await context.add.job({ instanceId: instance.id, status: 'Running', recipients })
  await settle(id, 'sent', 'skipped', 'failed', 'doubt', 'failed')
  const read = async (query = {}) => {
    const { body } = await context.call(member, jobs.recipients, { params: { id }, query })
    return body.data.map(({ recipientId, status }) => `${recipientId[0]} ${status}`)
  }

  expect(await read()).toEqual(['3 Failed', '5 Failed', '1 Sent', '2 Skipped', '4 Waiting', '6 Waiting'])
  expect(await read({ page: 2, pageSize: 4 })).toEqual(['4 Waiting', '6 Waiting'])
  expect(await read({ outcome: '' })).toHaveLength(6)
  expect(await read({ outcome: 'Failed' })).toEqual(['3 Failed', '5 Failed'])
  expect(await read({ outcome: 'Failed', search: '5@' })).toEqual(['5 Failed'])
  expect(await read({ outcome: 'Sent' })).toEqual(['1 Sent'])
  expect(await read({ outcome: 'Waiting' })).toEqual(['4 Waiting', '6 Waiting'])
  expect(await read({ outcome: 'Skipped' })).toEqual(['2 Skipped'])
  const { body } = await context.call(member, jobs.recipients, {
    params: { id },
    query: { outcome: 'Failed' },
  })
  expect(body.data[0]).toMatchObject({ errorMessage: 'This number is not on WhatsApp.' })
})
