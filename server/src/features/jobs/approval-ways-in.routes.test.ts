import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { startDueJobs } from '../../engine/jobs/lifecycle.ts'
import { sql } from '../../platform/database/sql.ts'

// Ways past approval that somebody has tried. What approval is: approval.routes.test.ts.

const context = useSharedContext()
const { jobs, instances } = contract

const inHours = (hours: number) => new Date(Date.now() + hours * 3600_000).toISOString()

let nextNumber = 84_800_000_000
const numbers = (count: number) => Array.from({ length: count }, () => `+${nextNumber++}`).join(',')

type Order = Input<typeof jobs.create>['body']
type Approval = 'never' | 'above' | 'always'

async function fixture(approval: Approval, approvalAbove = 10) {
  const instance = await context.add.instance({ approval, approvalAbove })
  const addMember = () => context.add.user({ instances: [instance] })
  const [author, colleague, admin] = [await addMember(), await addMember(), await context.add.admin()]
  const message = await context.add.message({ instanceId: instance.id, textContent: 'Hello' })
  const create = async (by: TestUser, recipients: number, more: Partial<Order> = {}) => {
    const body = { messageId: message.id, instanceId: instance.id, jobType: 'SendToUsers' as const }
    const made = await context.call(by, jobs.create, {
      body: { ...body, phoneNumbers: numbers(recipients), ...more },
    })
    expect(made.status).toBe(201)
    return made.body
  }
  const trial = (phoneNumber = numbers(1)) =>
    context.call(author, jobs.test, { body: { textContent: 'Hi', instanceId: instance.id, phoneNumber } })
  return { instance, author, colleague, admin, message, create, trial, addMember }
}

const edit = (user: TestUser, id: number, body: Input<typeof jobs.change>['body']) =>
  context.call(user, jobs.change, { params: { id }, body })
const act = (user: TestUser, id: number, action: 'cancel' | 'restart') =>
  context.call(user, jobs[action], { params: { id } })

const stateOf = (id: number) =>
  context.db.one<{ status: string; review: string | null }>(
    sql`select status, review from jobs where id = ${id}`,
  )

const end = (id: number, hoursAgo = 0) =>
  context.db.run(sql`update jobs set status = 'Completed', started_at = clock_now() - ${hoursAgo} * interval '1 hour',
    completed_at = clock_now() - ${hoursAgo} * interval '1 hour' where id = ${id}`)

// R-1398
test('a test that is changed into a job to many is none', async () => {
  const f = await fixture('always')
  const { id } = (await f.trial()).body
  const changed = await edit(f.author, id, { recipients: { phoneNumbers: numbers(50) } })
  expect(changed).toMatchObject({ status: 200, body: { review: 'in_review' } })
  await startDueJobs(context.db)
  expect(await stateOf(id)).toEqual({ status: 'Pending', review: 'in_review' })
})

// R-1398
test('many tests to many people are no tests', async () => {
  const f = await fixture('always')
  const own = numbers(1)
  for (let n = 0; n < 3; n++) expect((await f.trial(own)).body).toMatchObject({ review: null })
  for (let n = 0; n < 19; n++) await f.trial()
  const last = await f.trial()
  expect(await stateOf(last.body.id)).toEqual({ status: 'Pending', review: 'in_review' })
  // Those that were deleted count.
  const ids = await context.db.many<{ id: number }>(sql`
    update jobs set status = 'Completed', started_at = clock_now(), completed_at = clock_now()
    where instance_id = ${f.instance.id} and review is null returning id`)
  await context.call(f.author, jobs.bulkDelete, { body: { jobIds: ids.map(({ id }) => id) } })
  expect(await stateOf((await f.trial()).body.id)).toMatchObject({ review: 'in_review' })
  await context.call(f.admin, instances.update, {
    params: { id: f.instance.id },
    body: { approval: 'never' },
  })
  expect(await stateOf((await f.trial()).body.id)).toMatchObject({ review: null })
})

// R-1396
test('jobs of somebody who has gone count for whoever sends them', async () => {
  const f = await fixture('above', 10)
  const [first, second] = [
    await f.create(f.author, 8),
    await f.create(f.author, 1, { scheduledAt: inHours(99) }),
  ]
  await end(first.id, 48)
  await context.db.run(sql`delete from users where id = ${f.author.id}`)
  expect((await act(f.colleague, first.id, 'restart')).body).toMatchObject({ review: null })
  await end(first.id)
  const changed = await edit(f.colleague, second.id, {
    recipients: { phoneNumbers: numbers(8) },
    scheduledAt: null,
  })
  expect(changed).toMatchObject({ status: 200, body: { review: 'in_review' } })
  expect(await f.create(f.colleague, 3)).toMatchObject({ review: 'in_review' })
})

// R-1396
test('jobs of others count for whoever changes or restarts them', async () => {
  const f = await fixture('above', 10)
  const [one, two] = [await f.create(f.author, 6), await f.create(f.admin, 6)]
  await end(one.id, 48)
  await end(two.id, 48)
  expect((await act(f.colleague, one.id, 'restart')).body).toMatchObject({ review: null })
  expect((await act(f.colleague, two.id, 'restart')).body).toMatchObject({ review: 'in_review' })
  const waiting = await f.create(await f.addMember(), 9, { scheduledAt: inHours(90) })
  const other = await f.addMember()
  expect(await edit(other, waiting.id, { scheduledAt: inHours(2) })).toMatchObject({ body: { review: null } })
  expect(await f.create(other, 2)).toMatchObject({ review: 'in_review' })
})

// R-1395
test('a rule that begins while a job is made holds for that job', async () => {
  const f = await fixture('never')
  await context.db.run(sql`update instances set approval_above = 2 where id = ${f.instance.id}`)
  let begun: Promise<unknown> | undefined
  const { id } = await context.db.begin(async (tx) => {
    const job = await tx.one<{ id: number }>(sql`
      insert into jobs (job_type, message_id, text_content, instance_id, recipient_count, created_by_user_id,
        created_by_user_name)
      values ('SendToUsers', ${f.message.id}, 'Hi', ${f.instance.id}, 3, ${f.author.id}, 'author') returning id`)
    await tx.run(sql`set constraints jobs_approval immediate`)
    begun = context.db.run(sql`update instances set approval = 'above' where id = ${f.instance.id}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return job
  })
  await begun
  expect(await stateOf(id)).toMatchObject({ review: 'in_review' })
})
