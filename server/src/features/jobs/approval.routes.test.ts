import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { describe, expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { decideReviews, markOverdue } from '../../engine/index.ts'
import { startDueJobs } from '../../engine/jobs/lifecycle.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { jobs, instances } = contract

const HOUR = 3600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
const refusal = (status: number, code: string) => ({ status, body: { code } })

type Order = Input<typeof jobs.create>['body']
type Action = 'takeBack' | 'ask' | 'approve' | 'askChanges' | 'override'

/** An account that needs approval, its author and an approver, who are Members, and an Admin. */
async function fixture(approval: 'always' | 'above' = 'always', approvalAbove = 10) {
  const instance = await context.add.instance({ approval, approvalAbove })
  const [author, approver] = [
    await context.add.user({ instances: [instance] }),
    await context.add.user({ instances: [instance], canApproveJobs: true, canCreateJobs: false }),
  ]
  const message = await context.add.message({ instanceId: instance.id, textContent: 'Hello' })
  return { instance, author, approver, message, admin: await context.add.admin() }
}
type Fixture = Awaited<ReturnType<typeof fixture>>

let nextNumber = 84_900_000_000
const numbers = (count: number) => Array.from({ length: count }, () => `+${nextNumber++}`).join(',')

const order = ({ instance, message }: Fixture, recipients: number, more: Partial<Order> = {}): Order => ({
  ...{ messageId: message.id, instanceId: instance.id, jobType: 'SendToUsers' },
  ...{ phoneNumbers: numbers(recipients), ...more },
})

async function create(f: Fixture, recipients = 3, more: Partial<Order> = {}, by = f.author) {
  const { status, body } = await context.call(by, jobs.create, { body: order(f, recipients, more) })
  expect(status).toBe(201)
  return body
}

const act = (
  user: TestUser,
  action: Action,
  { id, version }: { id: number; version: number },
  words = 'Shorter',
) =>
  context.call(user, jobs[action], {
    params: { id },
    body: { version, ...((action === 'askChanges' || action === 'override') && { words }) } as never,
  })

const get = async (user: TestUser, id: number) =>
  (await context.call(user, jobs.get, { params: { id } })).body
const stepsOf = async (user: TestUser, id: number) =>
  (await get(user, id)).approval?.history.map(({ what }) => what).reverse()
const stateOf = async (id: number) =>
  context.db.one<{ status: string; review: string | null }>(
    sql`select status, review from jobs where id = ${id}`,
  )

const edit = (user: TestUser, id: number, body: Input<typeof jobs.change>['body']) =>
  context.call(user, jobs.change, { params: { id }, body })

async function approved(f: Fixture, more: Partial<Order> = {}) {
  const { id } = await create(f, 3, { scheduledAt: inHours(5), ...more })
  const { status, body } = await act(f.approver, 'approve', await get(f.approver, id))
  expect([status, body.review]).toEqual([200, 'approved'])
  return body
}

const end = (id: number) =>
  context.db.run(sql`update jobs set status = 'Completed', started_at = clock_now(), completed_at = clock_now()
    where id = ${id}`)

// R-1380, R-1381
test('a job waits until somebody else approves it, who sees who can and what happened', async () => {
  const f = await fixture()
  const job = await create(f)
  expect(job).toMatchObject({ status: 'Pending', review: 'in_review' })
  await startDueJobs(context.db)
  expect(await get(f.author, job.id)).toMatchObject({
    status: 'Pending',
    waiting: { code: 'in_review' },
    approval: { approveBy: null, canReview: false, history: [{ what: 'asked', by: f.author.username }] },
  })
  const seen = await get(f.approver, job.id)
  expect(seen.approval?.canReview).toBe(true)
  expect(seen.approval?.approvers.first).toContain(f.approver.username)
  expect(seen.approval?.approvers.first).not.toContain(f.author.username)
  expect(await act(f.approver, 'approve', seen)).toMatchObject({ status: 200, body: { review: 'approved' } })
  await startDueJobs(context.db)
  expect(await stateOf(job.id)).toEqual({ status: 'Running', review: 'approved' })
  expect(await stepsOf(f.author, job.id)).toEqual(['asked', 'approved'])
})

// R-1382
test('neither the author nor whoever changed the job last approves it, or asks for changes', async () => {
  const f = await fixture()
  await context.db.run(sql`update users set can_approve_jobs = true, can_create_jobs = true
    where id in (${f.author.id}, ${f.approver.id})`)
  const { id } = await create(f, 3, { scheduledAt: inHours(5) })
  for (const action of ['approve', 'askChanges'] as const)
    expect(await act(f.author, action, await get(f.author, id))).toMatchObject(
      refusal(403, 'approval_of_own'),
    )
  await act(f.author, 'takeBack', await get(f.author, id))
  await edit(f.approver, id, { scheduledAt: inHours(6) })
  const job = await get(f.approver, id)
  expect(job).toMatchObject({ review: 'in_review', approval: { canReview: false } })
  expect(await act(f.approver, 'approve', job)).toMatchObject(refusal(403, 'approval_of_own'))
  expect(await act(f.admin, 'approve', job)).toMatchObject({ status: 200 })
})

// R-1529
test('an approver finds the jobs that wait for them, without those that they made or changed last', async () => {
  const f = await fixture()
  await context.db.run(sql`update users set can_approve_jobs = true, can_create_jobs = true
    where id in (${f.author.id}, ${f.approver.id})`)
  const [first, second] = [
    await create(f, 3, { scheduledAt: inHours(5) }),
    await create(f, 3, { scheduledAt: inHours(5) }),
  ]
  await act(f.author, 'takeBack', await get(f.author, second.id))
  await edit(f.approver, second.id, { scheduledAt: inHours(6) })
  const found = async (user: TestUser, only: 'in_review' | 'to_approve') => {
    const { data, pagination } = (await context.call(user, jobs.list, { query: { only } })).body
    return [pagination.totalCount, ...data.map(({ id }) => id)]
  }
  expect(await found(f.approver, 'in_review')).toEqual([2, second.id, first.id])
  expect(await found(f.approver, 'to_approve')).toEqual([1, first.id])
  expect(await found(f.author, 'to_approve')).toEqual([0])
  expect(await found(f.admin, 'to_approve')).toEqual([2, second.id, first.id])
  await context.db.run(sql`update users set can_approve_jobs = false where id = ${f.approver.id}`)
  expect(await found(f.approver, 'to_approve')).toEqual([0])
})

// R-1383
test('what was not seen is not approved', async () => {
  const f = await fixture()
  const { id } = await create(f, 3, { scheduledAt: inHours(5) })
  const seen = await get(f.approver, id)
  await act(f.author, 'takeBack', seen)
  const other = await context.add.message({ instanceId: f.instance.id, textContent: 'Other' })
  await edit(f.author, id, { messageId: other.id })
  expect(await act(f.approver, 'approve', seen)).toMatchObject(refusal(409, 'stale_version'))
  const now = await get(f.approver, id)
  await context.db.run(sql`update deliveries set chat_id = '84999999999@s.whatsapp.net'
    where id = (select min(id) from deliveries where job_id = ${id})`)
  expect(await act(f.approver, 'approve', now)).toMatchObject(refusal(409, 'stale_version'))
})

// R-1384
test('a job in review is changed only after it was taken back, and each change asks anew', async () => {
  const f = await fixture()
  const { id } = await create(f, 3, { scheduledAt: inHours(5) })
  expect(await edit(f.author, id, { scheduledAt: inHours(6) })).toMatchObject(refusal(409, 'in_review'))
  expect(await edit(f.author, id, { name: 'Spring' })).toMatchObject({ status: 200 })
  expect(await act(f.approver, 'askChanges', await get(f.approver, id))).toMatchObject({
    body: { review: 'changes_asked' },
  })
  expect(await act(f.author, 'ask', await get(f.author, id))).toMatchObject({ body: { review: 'in_review' } })
  expect(await act(f.author, 'takeBack', await get(f.author, id))).toMatchObject({
    body: { review: 'taken_back' },
  })
  await startDueJobs(context.db)
  expect(await edit(f.author, id, { scheduledAt: null })).toMatchObject({ body: { review: 'in_review' } })
  await startDueJobs(context.db)
  expect((await stateOf(id)).status).toBe('Pending')
  expect(await stepsOf(f.author, id)).toEqual(['asked', 'changes_asked', 'asked', 'taken_back', 'asked'])
})

describe('an approval', () => {
  // R-1385
  test.for([
    ['another text', async (f, id) => edit(f.author, id, { messageId: await otherMessage(f) })],
    ['another time', (f, id) => edit(f.author, id, { scheduledAt: inHours(6) })],
    ['other people', (f, id) => edit(f.author, id, { recipients: { phoneNumbers: numbers(3) } })],
  ] satisfies [string, (f: Fixture, id: number) => Promise<unknown>][])(
    'is void after a change: %s',
    async ([, change]) => {
      const f = await fixture()
      const { id } = await approved(f)
      await change(f, id)
      expect((await stateOf(id)).review).toBe('in_review')
      expect(await stepsOf(f.author, id)).toEqual(['asked', 'approved', 'voided', 'asked'])
    },
  )

  // R-1386
  test('holds after a new name, and after somebody has opted out', async () => {
    const f = await fixture()
    const { id } = await approved(f)
    await edit(f.author, id, { name: 'Spring' })
    await context.db.run(sql`update deliveries set status = 'skipped', reason = '{"code":"opted_out","params":{}}'
      where id = (select min(id) from deliveries where job_id = ${id})`)
    await context.db.run(sql`update jobs set version = version + 1 where id = ${id}`)
    await due(id)
    expect(await stateOf(id)).toEqual({ status: 'Running', review: 'approved' })
  })

  // R-1387
  test('holds for those who remain, and not for a restart', async () => {
    const f = await fixture()
    const { id } = await approved(f, { scheduledAt: null })
    await end(id)
    await context.db.run(sql`update deliveries set status = 'failed' where job_id = ${id}`)
    const again = await context.call(f.author, jobs.retryFailed, { params: { id }, body: {} })
    expect(again.body).toMatchObject({ status: 'Pending', review: 'approved' })
    await end(id)
    await context.db.run(
      sql`update deliveries set status = 'sent', sent_at = clock_now() where job_id = ${id}`,
    )
    const restarted = await context.call(f.author, jobs.restart, { params: { id } })
    expect(restarted.body).toMatchObject({ status: 'Pending', review: 'in_review' })
    await startDueJobs(context.db)
    expect((await stateOf(id)).status).toBe('Pending')
    expect(await stepsOf(f.author, id)).toEqual(['asked', 'approved', 'voided', 'asked'])
  })

  // R-1388
  test.for([
    ['a text', (id) => sql`update jobs set text_content = 'Scam' where id = ${id}`],
    [
      'a text of one person',
      (id) => sql`insert into delivery_texts (delivery_id, text)
      select min(id), 'Scam' from deliveries where job_id = ${id}`,
    ],
    [
      'a number',
      (id) => sql`update deliveries set chat_id = '84999999998@s.whatsapp.net'
      where id = (select min(id) from deliveries where job_id = ${id})`,
    ],
    [
      'one person more',
      (id) => sql`insert into deliveries (job_id, instance_id, chat_id, recipient_name)
      select id, instance_id, '84999999997@s.whatsapp.net', '' from jobs where id = ${id}`,
    ],
  ] satisfies [string, (id: number) => ReturnType<typeof sql>][])(
    'is compared with the job when that starts: %s',
    async ([, tamper]) => {
      const f = await fixture()
      const { id } = await approved(f, { scheduledAt: null })
      // As somebody with the database would, past all triggers.
      await context.db.begin(async (tx) => {
        await tx.run(sql`set local session_replication_role = replica`)
        await tx.run(tamper(id))
      })
      await startDueJobs(context.db)
      expect(await stateOf(id)).toEqual({ status: 'Pending', review: 'in_review' })
      expect(await stepsOf(f.author, id)).toEqual(['asked', 'approved', 'voided', 'asked'])
      const { logs } = await get(f.author, id)
      expect(logs.map(({ reason }) => reason?.code)).not.toContain('job_started')
    },
  )
})

const otherMessage = async ({ instance }: Fixture) =>
  (await context.add.message({ instanceId: instance.id, textContent: 'Other' })).id

/** Lets the time of a job come that nobody has tampered with. */
async function due(id: number) {
  await context.db.begin(async (tx) => {
    await tx.run(sql`set local session_replication_role = replica`)
    await tx.run(sql`
      update jobs set scheduled_at = clock_now() - interval '1 second',
        approve_by = case when approve_by is not null then clock_now() - interval '1 second' end
      where id = ${id}`)
    await tx.run(
      sql`update jobs set review_hash = job_content_hash(id) where id = ${id} and review is not null`,
    )
  })
  await startDueJobs(context.db)
  await markOverdue(context.db)
}

// R-1389
test('a job that nobody approved by its time is overdue, and needs a new time before it is approved', async () => {
  const f = await fixture()
  const { id } = await create(f, 3, { scheduledAt: inHours(5) })
  await due(id)
  expect(await stateOf(id)).toEqual({ status: 'Pending', review: 'overdue' })
  const job = await get(f.admin, id)
  expect(job).toMatchObject({ waiting: { code: 'approval_overdue' } })
  for (const action of ['approve', 'askChanges', 'ask', 'override'] as const)
    expect(await act(f.admin, action, job)).toMatchObject(refusal(409, 'approval_overdue'))
  expect(await edit(f.author, id, { messageId: await otherMessage(f) })).toMatchObject({
    status: 409,
    body: { code: 'approval_overdue' },
  })
  await startDueJobs(context.db)
  expect((await stateOf(id)).status).toBe('Pending')
  expect(await edit(f.author, id, { scheduledAt: inHours(3) })).toMatchObject({
    body: { review: 'in_review' },
  })
  expect(await act(f.approver, 'approve', await get(f.approver, id))).toMatchObject({ status: 200 })
  expect(await stepsOf(f.author, id)).toEqual(['asked', 'overdue', 'asked', 'approved'])
})

// R-1389
test('an approval after the time is refused before the task has marked the job', async () => {
  const f = await fixture()
  const { id } = await create(f, 3, { scheduledAt: inHours(5) })
  await context.db.run(sql`update jobs set approve_by = clock_now() where id = ${id}`)
  expect(await act(f.approver, 'approve', await get(f.approver, id))).toMatchObject(
    refusal(409, 'approval_overdue'),
  )
})

// R-1393
test('an Admin overrides with a reason, also for a job of their own', async () => {
  const f = await fixture()
  const { id } = await create(f, 3, { scheduledAt: inHours(5) }, f.admin)
  const job = await get(f.admin, id)
  expect(
    await context.call(f.admin, jobs.override, { params: { id }, body: { version: 1, words: ' ' } }),
  ).toMatchObject({
    status: 400,
    body: { fields: { words: 'JOB.WORDS_REQUIRED' } },
  })
  expect(await act(f.admin, 'override', job, 'Flood warning')).toMatchObject({ body: { review: 'approved' } })
  expect((await get(f.author, id)).approval?.history[0]).toMatchObject({
    ...{ what: 'overridden', by: f.admin.username, words: 'Flood warning' },
  })
  const { body } = await context.call(f.admin, contract.audit.list, {
    query: { action: 'job.override_approval' },
  })
  expect(body.data[0]).toMatchObject({ objectId: id, details: { words: 'Flood warning' } })
})

// R-1394
test('approval needs two active users who can approve and see the account', async () => {
  const instance = await context.add.instance()
  const set = (approval: 'always' | 'never', approvalAbove?: number) =>
    context.call(admin, instances.update, { params: { id: instance.id }, body: { approval, approvalAbove } })
  await context.db.run(sql`update users set is_active = false where role = 'Admin'`)
  const admin = await context.add.admin()
  await context.add.user({ instances: [], canApproveJobs: true })
  await context.add.user({ instances: [instance], canApproveJobs: true, isActive: false })
  const refused = await set('always')
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'approval_needs_two' },
  })
  expect(await set('never', 0)).toMatchObject({
    status: 400,
    body: { fields: { approvalAbove: 'ACCOUNT_FORM.APPROVAL_ABOVE_INVALID' } },
  })
  await context.add.user({ instances: [instance], canApproveJobs: true })
  expect(await set('always')).toMatchObject({ status: 200, body: { approval: 'always', approverCount: 2 } })
})

// R-1395
test('a rule that begins holds for jobs that wait, and one that ends leaves jobs in review', async () => {
  const f = await fixture('above', 100)
  const { id, review } = await create(f, 3, { scheduledAt: inHours(5) })
  expect(review).toBe(null)
  const set = (approval: 'always' | 'never') =>
    context.call(f.admin, instances.update, { params: { id: f.instance.id }, body: { approval } })
  await set('always')
  expect((await stateOf(id)).review).toBe('in_review')
  await set('never')
  expect((await stateOf(id)).review).toBe('in_review')
  await act(f.author, 'takeBack', await get(f.author, id))
  expect(await edit(f.author, id, { scheduledAt: inHours(6) })).toMatchObject({ body: { review: null } })
})

describe('above a number', () => {
  type Step = (f: Fixture) => Promise<unknown>
  const job =
    (recipients: number, hours: number | null = null): Step =>
    (f) =>
      create(f, recipients, { scheduledAt: hours === null ? null : inHours(hours) })
  const then = async (f: Fixture, ...steps: ((id: number) => Promise<unknown>)[]) => {
    const { id } = await create(f, 8)
    for (const step of steps) await step(id)
  }
  const start = () => startDueJobs(context.db)
  const call = (f: Fixture, action: 'cancel' | 'restart') => async (id: number) =>
    context.call(f.author, jobs[action], { params: { id } })

  // R-1396
  test.for([
    ['few recipients', [], job(10), null],
    ['many', [], job(11), 'in_review'],
    ['a job that is split', [job(6)], job(5), 'in_review'],
    ['split over hours', [job(4, 1), job(4, 20)], job(3, 12), 'in_review'],
    ['more than a day apart', [job(8, 1), job(8, 49)], job(2, 25), null],
    ['within the day before', [job(8, 1)], job(3, 24.9), 'in_review'],
    ['no 24 hours have so many', [job(5, 1), job(5, 30)], job(5, 15), null],
    ['after a job that was cancelled unsent', [(f) => then(f, call(f, 'cancel'))], job(8), null],
    ['after one that has ended', [(f) => then(f, start, end)], job(8), 'in_review'],
    [
      'after one that was sent and deleted',
      [(f) => then(f, start, end, (id) => remove(f, id))],
      job(8),
      'in_review',
    ],
    [
      'after one that was sent and restarted',
      [(f) => then(f, start, end, call(f, 'restart'), call(f, 'cancel'))],
      job(8),
      'in_review',
    ],
    ['a job of another user', [(f) => create(f, 8, {}, f.admin)], job(8), null],
    [
      'after one that was started, and deleted unsent',
      [(f) => then(f, start, (id) => remove(f, id))],
      job(8),
      null,
    ],
    ['a restart of one that was sent days ago', [], (f) => restartOld(f), null],
  ] satisfies [string, Step[], Step, string | null][])('%s', async ([, before, last, review]) => {
    const f = await fixture('above', 10)
    for (const step of before) await step(f)
    expect(await last(f)).toMatchObject({ review })
  })

  const remove = (f: Fixture, id: number) => context.call(f.author, jobs.remove, { params: { id } })

  async function restartOld(f: Fixture) {
    const { id } = await create(f, 8)
    await start()
    await end(id)
    await context.db.run(sql`
      update jobs set created_at = created_at - interval '3 days', started_at = started_at - interval '3 days',
        completed_at = completed_at - interval '3 days' where id = ${id}`)
    return (await context.call(f.author, jobs.restart, { params: { id } })).body
  }

  // R-1396
  test('jobs that are made at the same moment count each other', async () => {
    const f = await fixture('above', 10)
    const made = await Promise.all(Array.from({ length: 4 }, () => create(f, 6, { scheduledAt: inHours(1) })))
    expect(made.filter(({ review }) => review === null)).toHaveLength(1)
  })

  // R-1397
  test('a change is counted anew, and a resume', async () => {
    const f = await fixture('above', 10)
    const [monday, friday] = [
      await create(f, 8, { scheduledAt: inHours(1) }),
      await create(f, 8, { scheduledAt: inHours(97) }),
    ]
    expect([monday.review, friday.review]).toEqual([null, null])
    expect(await edit(f.author, friday.id, { scheduledAt: inHours(4) })).toMatchObject({
      body: { review: 'in_review' },
    })
    await context.call(f.author, jobs.pause, { params: { id: monday.id } })
    await due(monday.id)
    expect(await stateOf(monday.id)).toEqual({ status: 'Running', review: null })
    const { body } = await context.call(f.author, jobs.resume, { params: { id: monday.id } })
    expect(body).toMatchObject({ status: 'Pending', review: 'in_review' })
  })

  // R-1398
  test('tests are free', async () => {
    const f = await fixture('always')
    const { body } = await context.call(f.author, jobs.test, {
      body: { textContent: 'Hi', instanceId: f.instance.id, phoneNumber: '+84901234567' },
    })
    expect(body).toMatchObject({ review: null })
    await startDueJobs(context.db)
    expect((await stateOf(body.id)).status).toBe('Running')
  })

  // R-1398
  test('a test that gets more people is no test any more', async () => {
    const f = await fixture('always')
    const { body } = await context.call(f.author, jobs.test, {
      body: { textContent: 'Hi', instanceId: f.instance.id, phoneNumber: '+84901234568' },
    })
    const recipients = { phoneNumbers: numbers(3) }
    expect(await edit(f.author, body.id, { recipients, scheduledAt: inHours(1) })).toMatchObject({
      body: { review: 'in_review' },
    })
  })
})

// R-1399
test('a program from before approval starts no job without one', async () => {
  const f = await fixture()
  const [waits, free] = [await create(f), await approved(f, { scheduledAt: null })]
  await context.db.run(sql`
    update jobs set status = 'Running', started_at = clock_now() where id in (${waits.id}, ${free.id})`)
  expect([await stateOf(waits.id), await stateOf(free.id)]).toMatchObject([
    { status: 'Pending' },
    { status: 'Running' },
  ])
  // As it was inserted there, by a transaction that ends before the triggers of the commit.
  const { id } = await context.add.job({ instanceId: f.instance.id, messageId: f.message.id })
  expect(await stateOf(id)).toMatchObject({ review: 'in_review' })
  await context.db.run(sql`update jobs set review = null where id = ${id}`)
  await context.db.run(sql`update jobs set status = 'Running' where id = ${id}`)
  expect(await stateOf(id)).toEqual({ status: 'Pending', review: 'in_review' })
})

// R-1395
test('a rule that begins waits for the renaming of a job, which counts its author’s number as well', async () => {
  const f = await fixture('above', 100)
  const [, second] = [
    await create(f, 3, { scheduledAt: inHours(5) }),
    await create(f, 3, { scheduledAt: inHours(6) }),
  ]
  let set: Promise<unknown> | undefined
  await context.db.begin(async (tx) => {
    await tx.run(sql`update jobs set version = version + 1 where id = ${second.id}`)
    set = context.call(f.admin, instances.update, {
      params: { id: f.instance.id },
      body: { approval: 'above', approvalAbove: 5 },
    })
    await until('the rule waits', async () => (await countWaiting(context.db)) > 0)
    await decideReviews(tx)
  })
  expect(await set).toMatchObject({ status: 200 })
  expect((await stateOf(second.id)).review).toBe('in_review')
})

// R-1384
test('a change that changes nothing asks anew as well', async () => {
  const f = await fixture()
  const scheduledAt = inHours(5)
  const { id } = await create(f, 3, { scheduledAt })
  await act(f.author, 'takeBack', await get(f.author, id))
  expect(await edit(f.author, id, { scheduledAt })).toMatchObject({ body: { review: 'in_review' } })
})

describe('the rest of a job, which can get no new time any more, is approved whenever that is', () => {
  const retry = (f: Fixture, id: number) =>
    context.call(f.author, jobs.retryFailed, { params: { id }, body: {} })

  async function approveAndStart(f: Fixture, id: number) {
    await markOverdue(context.db)
    expect(await act(f.approver, 'approve', await get(f.approver, id))).toMatchObject({ status: 200 })
    await startDueJobs(context.db)
    expect(await stateOf(id)).toEqual({ status: 'Running', review: 'approved' })
  }

  // R-1389
  test('after a restore that has lost its approval', async () => {
    const f = await fixture()
    const { id } = await create(f, 3, { scheduledAt: inHours(5) })
    await due(id)
    // The history check has found it.
    await context.db.run(sql`
      update deliveries set status = 'sent', sent_at = clock_now()
      where id = (select min(id) from deliveries where job_id = ${id})`)
    expect((await edit(f.author, id, { scheduledAt: inHours(6) })).body.code).toBe('job_not_changeable')
    await context.call(f.author, jobs.cancel, { params: { id } })
    expect((await retry(f, id)).body).toMatchObject({ status: 'Pending', review: 'in_review' })
    await approveAndStart(f, id)
  })

  // R-1389
  test('after somebody has tampered with it', async () => {
    const f = await fixture()
    const { id } = await approved(f)
    await due(id)
    await end(id)
    await context.db.run(sql`update deliveries set status = 'failed' where job_id = ${id}`)
    await retry(f, id)
    await context.db.run(sql`update deliveries set chat_id = chat_id || '0' where job_id = ${id}`)
    await startDueJobs(context.db)
    expect((await stateOf(id)).review).toBe('in_review')
    await approveAndStart(f, id)
  })
})

// R-1381
test('a job in review that is due delays no other, and nobody knows its end', async () => {
  const f = await fixture()
  await context.db.run(sql`
    update instances set private_pause_from_ms = 60000, private_pause_to_ms = 60000 where id = ${f.instance.id}`)
  const { id } = await approved(f, { scheduledAt: null })
  const endOf = async (id: number) => Date.parse((await get(f.author, id)).endsAt ?? '')
  const before = await endOf(id)
  const waits = await create(f, 3)
  expect((await endOf(id)) - before).toBeLessThan(30_000)
  expect(await endOf(waits.id)).toBeNaN()
  const planned = await create(f, 3, { scheduledAt: inHours(5) })
  expect(await endOf(planned.id)).toBeGreaterThan(before)
})
