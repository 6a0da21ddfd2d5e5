import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { formOf } from '../../../test/forms.ts'
import { picture } from '../../../test/pictures.ts'
import { sql } from '../../platform/database/sql.ts'
import { optOutNumbers } from '../../platform/opt-outs.ts'

const context = useSharedContext()
const { jobs } = contract

type Order = Exclude<Input<typeof jobs.test>['body'], FormData>

/** Adds a Member with an instance, and returns a function that sends a test message. */
async function fixture(instanceColumns: Record<string, unknown> = {}) {
  const { instance, member } = await context.add.memberWithInstance(instanceColumns)
  const send = (order: Partial<Order> = {}) =>
    context.call(member, jobs.test, {
      body: { textContent: '*Hello*', instanceId: instance.id, phoneNumber: '0901 234 567', ...order },
    })
  return { instance, member, send }
}

const get = async (user: TestUser, id: number) =>
  (await context.call(user, jobs.get, { params: { id } })).body

async function messageWithImage(member: TestUser) {
  const image = await context.db.maybeOne<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  return context.add.message({
    createdByUserId: member.id,
    imageId: image?.id,
    textContent: 'As it was saved',
  })
}

//
test('a test message is a job with the unsaved text for one number, without a message', async () => {
  const { instance, member, send } = await fixture()

  const made = await send()

  expect(made).toMatchObject({
    status: 201,
    body: { jobType: 'SendToUsers', messageId: null, instanceId: instance.id, status: 'Pending' },
  })
  expect(await get(member, made.body.id)).toMatchObject({
    textContent: '*Hello*',
    imageUrl: null,
    targetPhoneNumbers: ['84901234567'],
    recipients: { total: 1, waiting: 1 },
  })
  expect(
    await context.db.many(sql`select from messages where created_by_user_id = ${member.id}`),
  ).toHaveLength(0)
})

test('a test message has the image of the saved message, or the uploaded file instead', async () => {
  const { instance, member, send } = await fixture()
  const message = await messageWithImage(member)
  const fields = {
    textContent: 'Look',
    instanceId: instance.id,
    phoneNumber: '+84901234567',
    imageOf: message.id,
  }

  const kept = await send({ imageOf: message.id, textContent: 'As it is now' })
  const replaced = await context.call(member, jobs.test, { body: formOf(fields, await picture()) })

  expect(await get(member, kept.body.id)).toMatchObject({
    textContent: 'As it is now',
    imageUrl: '/images/a.png',
  })
  expect((await get(member, replaced.body.id)).imageUrl).toMatch(/^\/images\/[0-9a-f]{32}\.png$/)
})

test.each([
  ['no number', { phoneNumber: ' ' }, { phoneNumber: 'JOB.TEST_PHONE_INVALID' }],
  ['a word instead of a number', { phoneNumber: 'Lan' }, { phoneNumber: 'JOB.TEST_PHONE_INVALID' }],
  ['two numbers', { phoneNumber: '0901234567, 0907654321' }, { phoneNumber: 'JOB.TEST_PHONE_INVALID' }],
  ['an unknown instance', { instanceId: 999_999 }, { instanceId: 'JOB.INSTANCE_REQUIRED' }],
])('a test message with %s is refused, and the error names the field', async (_, order, fields) => {
  const { member, send } = await fixture()

  expect(await send(order)).toMatchObject({ status: 400, body: { code: 'invalid_input', fields } })
  expect(await context.db.many(sql`select from jobs where created_by_user_id = ${member.id}`)).toHaveLength(0)
})

test('a test message can’t use an inactive instance', async () => {
  const { send } = await fixture({ isActive: false })

  expect(await send()).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
})

test('a double click sends one test message, and a later or changed one another', async () => {
  const { instance, member, send } = await fixture()
  const withImage = async () => {
    const fields = { textContent: '*Hello*', instanceId: instance.id, phoneNumber: '0901 234 567' }
    return context.call(member, jobs.test, { body: formOf(fields, await picture()) })
  }
  const idsOf = async (...sent: ReturnType<typeof send>[]) =>
    (await Promise.all(sent)).map(({ body }) => body.id)

  const [first, second] = await idsOf(send(), send())
  const [third] = await idsOf(send())
  const images = await idsOf(withImage(), withImage())
  const [changed] = await idsOf(send({ textContent: 'Hello' }))
  await context.db.run(
    sql`update jobs set created_at = created_at - interval '4 seconds' where created_by_user_id = ${member.id}`,
  )
  const [later] = await idsOf(send())

  expect([second, third]).toEqual([first, first])
  expect(images[1]).toBe(images[0])
  expect(new Set([first, images[0], changed, later]).size).toBe(4)
  expect(await context.db.many(sql`select from jobs where created_by_user_id = ${member.id}`)).toHaveLength(4)
})

// R-1106
test('a test message to somebody who has opted out is skipped, and the job says why', async () => {
  const { member, send } = await fixture()
  const phoneNumber = '0901 234 999'
  const lan = { id: null, username: 'Lan', address: '' }
  await context.db.begin((tx) => optOutNumbers(tx, lan, { numbers: ['84901234999'], note: '' }))

  const { id } = (await send({ phoneNumber })).body
  expect(await get(member, id)).toMatchObject({ recipients: { total: 1, waiting: 0, skipped: 1 } })
  const { body } = await context.call(member, jobs.recipients, { params: { id }, query: {} })
  expect(body.data).toMatchObject([
    {
      status: 'Skipped',
      reason: { code: 'opted_out', params: {} },
      errorMessage: 'This person has opted out.',
    },
  ])

  // A recipient whom a cancel skipped keeps the reason of the last attempt, which explains nothing.
  await context.db.run(sql`
    update deliveries set reason = '{"code": "provider_busy", "params": {}}' where job_id = ${id}`)
  const skipped = await context.call(member, jobs.recipients, { params: { id }, query: {} })
  expect(skipped.body.data).toMatchObject([{ status: 'Skipped', reason: null }])
})
