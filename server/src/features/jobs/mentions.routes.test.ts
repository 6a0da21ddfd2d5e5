import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { jobs } = contract

async function fixture() {
  const instance = await context.add.instance()
  const group = await context.add.group({ instanceId: instance.id })
  const message = await context.add.message({ instanceId: instance.id, textContent: 'Only today' })
  const allowed = await context.add.user({ instances: [instance], canMentionAll: true })
  const other = await context.add.user({ instances: [instance] })
  const order = {
    jobType: 'SendToGroups' as const,
    instanceId: instance.id,
    groupIds: [group.id],
    messageId: message.id,
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const create = (user: TestUser, more: object = {}) =>
    context.call(user, jobs.create, { body: { ...order, mentionsAll: true, ...more } })
  const change = (user: TestUser, id: number, body: object) =>
    context.call(user, jobs.change, { params: { id }, body })
  return { instance, allowed, other, create, change }
}

const FORBIDDEN = { status: 403, body: { code: 'forbidden' } }

// R-1623
test('only those with the right create, change and restart a job that mentions everybody', async () => {
  const { allowed, other, create, change } = await fixture()

  expect(await create(other)).toMatchObject(FORBIDDEN)
  const { body: job } = await create(allowed)
  expect(job.mentionsAll).toBe(true)

  expect(await change(other, job.id, { scheduledAt: null })).toMatchObject(FORBIDDEN)
  const { body: plain } = await create(other, { mentionsAll: false })
  expect(await change(other, plain.id, { mentionsAll: true })).toMatchObject(FORBIDDEN)
  expect((await change(other, job.id, { mentionsAll: false })).body.mentionsAll).toBe(false)
  expect((await change(allowed, job.id, { mentionsAll: true })).body.mentionsAll).toBe(true)

  await context.call(allowed, jobs.cancel, { params: { id: job.id } })
  const restart = (user: TestUser) => context.call(user, jobs.restart, { params: { id: job.id } })
  expect(await restart(other)).toMatchObject(FORBIDDEN)
  expect((await restart(allowed)).status).toBe(200)
})

// R-1623
test('only a text, an image or a video to groups can mention everybody', async () => {
  const { instance, allowed, create, change } = await fixture()
  const poll = await context.add.message({
    instanceId: instance.id,
    content: JSON.stringify({ kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false }),
  })
  const refused = { status: 400, body: { fields: { mentionsAll: 'JOB.MENTIONS_NOT_HERE' } } }

  expect(await create(allowed, { messageId: poll.id })).toMatchObject(refused)
  expect(await create(allowed, { jobType: 'SendToUsers', phoneNumbers: '0912345678' })).toMatchObject(refused)
  const { body: job } = await create(allowed)
  expect(await change(allowed, job.id, { messageId: poll.id })).toMatchObject(refused)
})

// R-1612
test('an approval binds whether everybody is mentioned', async () => {
  const { allowed, create } = await fixture()
  const { body: job } = await create(allowed)
  const hash = async () =>
    (await context.db.one<{ hash: string }>(sql`select encode(job_content_hash(${job.id}), 'hex') as hash`))
      .hash
  const before = await hash()
  await context.db.run(sql`update jobs set mentions_all = false where id = ${job.id}`)
  expect(await hash()).not.toBe(before)
})
