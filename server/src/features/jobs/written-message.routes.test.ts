import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { formOf } from '../../../test/forms.ts'
import { picture } from '../../../test/pictures.ts'
import { sql } from '../../platform/database/sql.ts'

// A message that is written together with its job.

const context = useSharedContext()
const { jobs, messages } = contract

type Order = Partial<Exclude<Input<typeof jobs.create>['body'], FormData>>

/** Adds a Member with an instance and a group, and returns functions that create a job with its message. */
async function fixture() {
  const { instance, member } = await context.add.memberWithInstance()
  const group = await context.add.group({ instanceId: instance.id })
  const bodyOf = (order: Order) => ({
    message: { textContent: 'Written here' },
    instanceId: instance.id,
    groupIds: [group.id],
    ...order,
  })
  const create = (order: Order = {}, user = member) =>
    context.call(user, jobs.create, { body: bodyOf(order) })
  const createWithImage = async (order: Order = {}) => {
    const body = formOf({ job: JSON.stringify(bodyOf(order)) }, await picture())
    return context.call(member, jobs.create, { body })
  }
  return { instance, member, create, createWithImage }
}

const written = ({ id }: TestUser) =>
  context.db.one<{ messages: number; jobs: number; actions: string[] }>(sql`
    select (select count(*) from messages where created_by_user_id = ${id}) as messages,
      (select count(*) from jobs where created_by_user_id = ${id}) as jobs,
      array(select action from audit_log where user_id = ${id} order by id) as actions`)

//
test('a job and its message are made together, and the answer has the message’s id', async () => {
  const { instance, member, create } = await fixture()

  const { status, body } = await create({ message: { textContent: 'Hai dòng\r\nmới' } })

  const params = { id: body.messageId ?? 0 }
  expect([status, body.messageTitle]).toEqual([201, 'Hai dòng\nmới'])
  expect((await context.call(member, messages.get, { params })).body).toMatchObject({
    textContent: 'Hai dòng\nmới',
    instanceId: instance.id,
    createdByUserName: member.username,
  })
  expect(await written(member)).toEqual({ messages: 1, jobs: 1, actions: ['message.create', 'job.create'] })
})

//
test('the image of a form is that of the message and of the job', async () => {
  const { member, createWithImage } = await fixture()
  const { body } = await createWithImage()

  const message = await context.call(member, messages.get, { params: { id: body.messageId ?? 0 } })
  expect(body.imageUrl).toMatch(/^\/images\/[0-9a-f]{32}\.png$/)
  expect(message.body.imageUrl).toBe(body.imageUrl)
})

//
test('a repeated request makes neither a second message nor a second job', async () => {
  const requestId = '0190a7c1-6f0e-4d3a-9b7e-1f2d3c4b5a69'
  const { member, create, createWithImage } = await fixture()
  const together = await Promise.all([create({ requestId }), create({ requestId }), create({ requestId })])
  const later = await create({ requestId })
  const clicks = await Promise.all([createWithImage(), createWithImage()])
  const other = await create()

  expect([...together, later, ...clicks, other].map(({ status }) => status)).toEqual(Array(7).fill(201))
  expect(new Set([...together, later].map(({ body }) => `${body.id} ${body.messageId}`)).size).toBe(1)
  expect(clicks[1]?.body).toEqual(clicks[0]?.body)
  expect(await written(member)).toMatchObject({ messages: 3, jobs: 3 })
})

//
test.each([
  ['a blank text', { message: { textContent: ' \n' } }, { 'message.textContent': 'MESSAGE.TEXT_REQUIRED' }],
  ['a saved message too', { messageId: 1 }, { messageId: 'JOB.MESSAGE_REQUIRED' }],
  ['no message', { message: null }, { messageId: 'JOB.MESSAGE_REQUIRED' }],
  ['an unknown group', { groupIds: [987_654] }, { groupIds: 'JOB.GROUP_INVALID' }],
])('with %s neither a message nor a job is made', async (_, order, fields) => {
  const { member, create } = await fixture()
  expect(await create(order)).toMatchObject({ status: 400, body: { fields } })
  expect(await written(member)).toEqual({ messages: 0, jobs: 0, actions: [] })
})

test('an image needs a message that is written with the job', async () => {
  const { member, createWithImage } = await fixture()
  const { id: messageId } = await context.add.message({ createdByUserId: member.id })
  expect(await createWithImage({ message: null, messageId })).toMatchObject({
    status: 400,
    body: { fields: { imageFile: 'FIELD.INVALID' } },
  })
})

test.each([
  ['no field with the job', '', 400],
  ['half of the job', '{"jobType":', 400],
  ['a job of countless brackets', '['.repeat(100), 413],
])('a form with %s is refused', async (_, job, status) => {
  const { member } = await fixture()
  const body = formOf(job ? { job } : {}, await picture())
  expect((await context.call(member, jobs.create, { body })).status).toBe(status)
})

//
test.each([
  ['write messages', { canSendMessages: false }],
  ['create jobs', { canCreateJobs: false }],
])('a Member without the right to %s makes neither', async (_, rights) => {
  const { instance, create } = await fixture()
  const user = await context.add.user({ ...rights, instances: [instance] })
  expect(await create({}, user)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await written(user)).toMatchObject({ messages: 0, jobs: 0 })
})
