import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { startDueJobs } from '../../engine/jobs/lifecycle.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { jobs } = contract

const LATER = '2099-01-02T03:04:00.000Z'
const STALE = { status: 409, body: { code: 'stale_version' } }
const BEGUN = { status: 409, body: { code: 'job_not_changeable' } }

type Order = Input<typeof jobs.create>['body']
type Change = Input<typeof jobs.change>['body']

const change = (user: TestUser, id: number, body: Change) =>
  context.call(user, jobs.change, { params: { id }, body })

/** Adds a Member who has made a job to two groups for later. */
async function fixture(order: Partial<Order> = {}) {
  const { instance, member } = await context.add.memberWithInstance()
  const groups = [
    await context.add.group({ instanceId: instance.id, name: 'Aunts' }),
    await context.add.group({ instanceId: instance.id, name: 'Brothers' }),
  ]
  const message = await context.add.message({ createdByUserId: member.id, textContent: 'Hello' })
  const { body: job } = await context.call(member, jobs.create, {
    body: {
      ...{ messageId: message.id, instanceId: instance.id, groupIds: groups.map(({ id }) => id) },
      ...{ scheduledAt: LATER, ...order },
    },
  })
  return { instance, member, groups, message, job }
}

/** Adds another account of the Member. */
async function addAccount(member: TestUser) {
  const instance = await context.add.instance()
  await context.db.run(
    sql`insert into user_instances (user_id, instance_id) values (${member.id}, ${instance.id})`,
  )
  return instance
}

const toPeople = (phoneNumbers: string) => ({ jobType: 'SendToUsers' as const, groupIds: [], phoneNumbers })

const recipientsOf = async (jobId: number) =>
  context.db.many<{ chatId: string; instanceId: number; status: string; text: string | null }>(sql`
    select d.chat_id, d.instance_id, d.status, t.text
    from deliveries d left join delivery_texts t on t.delivery_id = d.id where d.job_id = ${jobId} order by d.id`)

// R-1281
test('a job that waits gets another message, time, account and recipients, and a name', async () => {
  const { instance, member, job } = await fixture()
  const other = await addAccount(member)
  const group = await context.add.group({ instanceId: other.id, name: 'Cousins' })
  const message = await context.add.message({ createdByUserId: member.id, textContent: 'Good morning' })

  const changed = await change(member, job.id, {
    ...{ version: job.version, name: 'Spring', messageId: message.id, instanceId: other.id },
    ...{ scheduledAt: '2099-05-06T07:08:00.000Z', recipients: { groupIds: [group.id] } },
  })

  expect(changed).toMatchObject({
    status: 200,
    body: {
      ...{ id: job.id, name: 'Spring', version: 2, messageId: message.id, messageTitle: 'Good morning' },
      ...{
        instanceId: other.id,
        scheduledAt: '2099-05-06T07:08:00.000Z',
        recipientCount: 1,
        status: 'Pending',
      },
    },
  })
  expect(await recipientsOf(job.id)).toEqual([
    { chatId: group.chatId, instanceId: other.id, status: 'queued', text: null },
  ])
  await foldCounts(context.db)
  expect(await context.db.many(sql`select * from count_differences()`)).toEqual([])
  const { logs } = (await context.call(member, jobs.get, { params: { id: job.id } })).body
  expect(logs[0]?.message).toBe(`Changed by ${member.username}. Recipients: 1.`)
  expect(
    await context.db.one(sql`
      select details from audit_log where action = 'job.update' and object_id = ${job.id}`),
  ).toEqual({
    details: {
      ...{ text: 'Good morning', formerText: 'Hello', fields: ['recipients'] },
      changes: {
        name: ['', 'Spring'],
        instance: [instance.name, other.name],
        recipients: [2, 1],
        scheduledAt: [LATER, '2099-05-06T07:08:00.000Z'],
      },
    },
  })
})

// R-1281
test('what a change leaves out stays', async () => {
  const { instance, member, groups, message, job } = await fixture()
  const before = await recipientsOf(job.id)
  await context.db.run(sql`update messages set text_content = 'Edited' where id = ${message.id}`)

  const { body } = await change(member, job.id, { scheduledAt: '2099-05-06T07:08:00.000Z' })

  expect(body).toMatchObject({
    messageTitle: 'Hello',
    recipientCount: groups.length,
    instanceId: instance.id,
  })
  expect(await recipientsOf(job.id)).toEqual(before)
})

// R-1282
test('people who stay are tested again for another account', async () => {
  const { member, job } = await fixture(toPeople('0901234567, 0901234568'))
  const other = await addAccount(member)
  await context.db.run(sql`
    with begun as (
      insert into opt_outs (is_for_all, source, said_at) values (false, 'form', clock_now()) returning id
    )
    insert into opted_out (kind, value, instance_id, opt_out_id) select 'phone', '84901234567', ${other.id}, id from begun`)

  await change(member, job.id, { instanceId: other.id })

  expect((await recipientsOf(job.id)).map(({ status }) => status)).toEqual(['skipped', 'queued'])
})

// R-1283
test('a text with variables is written anew for whoever gets it', async () => {
  const { member, job } = await fixture(toPeople('0901234567'))
  const [an, binh] = [await context.add.contact({ name: 'An' }), await context.add.contact({ name: 'Bình' })]
  const message = await context.add.message({
    ...{ createdByUserId: member.id, textContent: 'Hello {{name}}', hasVariables: true },
  })
  const admin = await context.add.admin()

  await change(admin, job.id, { messageId: message.id, recipients: { contactIds: [an.id] } })
  expect((await recipientsOf(job.id)).map(({ text }) => text)).toEqual(['Hello An'])

  await change(admin, job.id, { recipients: { contactIds: [binh.id] } })
  expect((await recipientsOf(job.id)).map(({ text }) => text)).toEqual(['Hello Bình'])
  expect(await context.db.one(sql`select count(*) from delivery_texts`)).toEqual({ count: 1 })
})

test.each([
  ['another version', { version: 7 }, STALE],
  [
    'groups of another account',
    { instanceId: 'other' },
    { status: 400, body: { fields: { groupIds: 'JOB.GROUP_REQUIRED' } } },
  ],
  [
    'no recipients',
    { recipients: {} },
    { status: 400, body: { fields: { groupIds: 'JOB.GROUP_REQUIRED' } } },
  ],
  [
    'an account that they do not see',
    { instanceId: 'foreign' },
    { status: 400, body: { fields: { instanceId: 'JOB.INSTANCE_REQUIRED' } } },
  ],
  [
    'a message that is gone',
    { messageId: 999_999 },
    { status: 400, body: { fields: { messageId: 'JOB.MESSAGE_REQUIRED' } } },
  ],
  [
    'a name of 101 characters',
    { name: 'x'.repeat(101) },
    { status: 400, body: { fields: { name: 'JOB.NAME_TOO_LONG' } } },
  ],
])('a change with %s is refused, and changes nothing', async (_, wrong, refusal) => {
  const { member, job } = await fixture()
  const [other, foreign] = [await addAccount(member), await context.add.instance()]
  const ids = { other: other.id, foreign: foreign.id }
  const { instanceId } = wrong as { instanceId?: 'other' | 'foreign' }
  const body = { scheduledAt: null, ...wrong, ...(instanceId && { instanceId: ids[instanceId] }) } as Change

  expect(await change(member, job.id, body)).toMatchObject(refusal)

  expect(await context.call(member, jobs.list, { query: {} })).toMatchObject({ body: { data: [job] } })
})

// R-1284
test('of a job that has begun only the name can be changed', async () => {
  const { member, job } = await fixture()
  await context.db.run(sql`update jobs set status = 'Running', started_at = clock_now() where id = ${job.id}`)

  expect(await change(member, job.id, { scheduledAt: null })).toMatchObject(BEGUN)
  expect(await change(member, job.id, { name: 'Summer' })).toMatchObject({
    status: 200,
    body: { name: 'Summer', version: 2, status: 'Running' },
  })
  expect(await change(member, job.id, { name: 'Autumn', version: 1 })).toMatchObject(STALE)
  expect(
    await context.db.many(
      sql`select details from audit_log where action = 'job.update' and object_id = ${job.id}`,
    ),
  ).toEqual([{ details: { changes: { name: ['', 'Summer'] } } }])
})

// R-1284
test('a job that begins while its change waits is not changed', async () => {
  const { instance, member, job } = await fixture()
  const release = Promise.withResolvers<void>()
  const held = context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${instance.id} for no key update`)
    await release.promise
  })
  const waiting = change(member, job.id, { scheduledAt: LATER })
  await until('the change waits', async () => (await countWaiting(context.db)) > 0)
  await context.db.run(sql`update jobs set scheduled_at = null where id = ${job.id}`)
  await startDueJobs(context.db)
  release.resolve()
  await held

  expect(await waiting).toMatchObject(BEGUN)
})

// R-1285
test('more recipients must fit into the quota', async () => {
  const { member, job } = await fixture(toPeople('0901234567'))
  await context.db.run(sql`update quotas set recipients_per_user = 2`)

  const numbers = '0901234567, 0901234568, 0901234569'
  expect(await change(member, job.id, { recipients: { phoneNumbers: numbers } })).toMatchObject({
    status: 409,
    body: { code: 'quota_recipients_user' },
  })
  expect((await recipientsOf(job.id)).length).toBe(1)
})

// R-1282
test('recipients whom the former account skipped are counted anew, also when they are replaced', async () => {
  const { member, job } = await fixture(toPeople('0901234567, 0901234568'))
  const optOut = sql`
    with begun as (
      insert into opt_outs (is_for_all, source, said_at) values (true, 'form', clock_now()) returning id
    )
    insert into opted_out (kind, value, opt_out_id) select 'phone', '84901234567', id from begun`
  await context.db.run(optOut)
  await change(member, job.id, { recipients: { phoneNumbers: '0901234567, 0901234568' } })
  await context.db.run(sql`delete from opt_outs`)
  await change(member, job.id, { recipients: { phoneNumbers: '0901234567, 0901234569' } })

  const { recipients } = (await context.call(member, jobs.get, { params: { id: job.id } })).body
  expect(recipients).toMatchObject({ total: 2, waiting: 2, skipped: 0 })
})

// R-1286
test('a text with values is not written for contacts that the caller does not see', async () => {
  const { instance, member, job } = await fixture(toPeople('0901234567'))
  const admin = await context.add.admin()
  const lan = await context.add.contact({ name: 'Lan' })
  await change(admin, job.id, { recipients: { contactIds: [lan.id] } })
  const message = await context.add.message({
    ...{ instanceId: instance.id, textContent: 'Hello {{name}}', hasVariables: true },
  })

  expect(await change(member, job.id, { messageId: message.id })).toMatchObject({
    status: 400,
    body: { fields: { messageId: 'JOB.CONTACT_INVALID' } },
  })
  expect(await change(admin, job.id, { messageId: message.id })).toMatchObject({ status: 200 })
})

// R-1287
test('only the author, for whose quota they count, and Admins change recipients and account', async () => {
  const { instance, member, groups, job } = await fixture()
  const colleague = await context.add.user({ instances: [instance] })
  const refusal = { status: 403, body: { code: 'job_of_another', params: { user: member.username } } }
  const recipients = { groupIds: [groups[0]?.id ?? 0] }
  const other = await addAccount(colleague)

  expect(await change(colleague, job.id, { recipients })).toMatchObject(refusal)
  expect(await change(colleague, job.id, { instanceId: other.id })).toMatchObject(refusal)
  expect(await change(colleague, job.id, { scheduledAt: LATER, name: 'Ours' })).toMatchObject({ status: 200 })
  expect(await change(await context.add.admin(), job.id, { recipients })).toMatchObject({ status: 200 })
  const { details } = await context.db.one<{ details: object }>(sql`
    select details from audit_log where action = 'job.update' and object_id = ${job.id} order by id desc limit 1`)
  expect(details).toEqual({ changes: { recipients: [2, 1] }, fields: ['recipients'] })
})
