import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { picture } from '../../../test/pictures.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { jobs } = contract

type Order = Exclude<Input<typeof jobs.test>['body'], FormData>

/** Adds a Member with an instance, and returns a function that sends a test message. */
async function fixture(instanceColumns: Record<string, unknown> = {}) {
  const instance = await context.add.instance(instanceColumns)
  const member = await context.add.user({ instances: [instance] })
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
  expect(await context.db.many(sql`select from messages`)).toHaveLength(0)
})

test('a test message has the image of the saved message, or the uploaded file instead', async () => {
  const { instance, member, send } = await fixture()
  const message = await messageWithImage(member)
  const form = new FormData()
  form.set('textContent', 'Look')
  form.set('instanceId', String(instance.id))
  form.set('phoneNumber', '+84901234567')
  form.set('imageOf', String(message.id))
  form.set('imageFile', new Blob([new Uint8Array(await picture())]), 'picture.png')

  const kept = await send({ imageOf: message.id, textContent: 'As it is now' })
  const replaced = await context.call(member, jobs.test, { body: form })

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
  ['no text', { textContent: ' \n' }, { textContent: 'MESSAGE.TEXT_REQUIRED' }],
  ['too long a text', { textContent: 'x'.repeat(4001) }, { textContent: 'MESSAGE.TEXT_TOO_LONG' }],
  ['an unknown instance', { instanceId: 999_999 }, { instanceId: 'JOB.INSTANCE_REQUIRED' }],
])('a test message with %s is refused, and the error names the field', async (_, order, fields) => {
  const { send } = await fixture()

  expect(await send(order)).toMatchObject({ status: 400, body: { code: 'invalid_input', fields } })
  expect(await context.db.many(sql`select from jobs`)).toHaveLength(0)
})

test('a test message can’t use an inactive instance or the image of a foreign message', async () => {
  const { send } = await fixture()
  const idle = await fixture({ isActive: false })
  const foreign = await messageWithImage(await context.add.user())

  expect(await idle.send()).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
  expect(await send({ imageOf: foreign.id })).toMatchObject({ status: 404 })
})

test('a double click sends one test message, and a later or changed one another', async () => {
  const { instance, member, send } = await fixture()
  const withImage = async () => {
    const body = new FormData()
    body.set('textContent', '*Hello*')
    body.set('instanceId', String(instance.id))
    body.set('phoneNumber', '0901 234 567')
    body.set('imageFile', new Blob([new Uint8Array(await picture())]), 'picture.png')
    return context.call(member, jobs.test, { body })
  }
  const idsOf = async (...sent: ReturnType<typeof send>[]) =>
    (await Promise.all(sent)).map(({ body }) => body.id)

  const [first, second] = await idsOf(send(), send())
  const [third] = await idsOf(send())
  const images = await idsOf(withImage(), withImage())
  const [changed] = await idsOf(send({ textContent: 'Hello' }))
  await context.db.run(sql`update jobs set created_at = created_at - interval '4 seconds'`)
  const [later] = await idsOf(send())

  expect([second, third]).toEqual([first, first])
  expect(images[1]).toBe(images[0])
  expect(new Set([first, images[0], changed, later]).size).toBe(4)
  expect(await context.db.many(sql`select from jobs`)).toHaveLength(4)
})
