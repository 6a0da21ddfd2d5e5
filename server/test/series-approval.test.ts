import { createHash } from 'node:crypto'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { markOverdue } from '../src/engine/index.ts'
import { createJobOfRun } from '../src/features/jobs/new-job.service.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { makeDueRuns } from '../src/features/series/make-due.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'

const context = useContext()
const never = new AbortController().signal

/** A series to so many groups, on an account that needs approval, whose run has been due for a minute. */
async function fixture(groups = 1) {
  const instance = await context.add.instance({ approval: 'always' })
  const [author, approver] = [
    await context.add.user({ instances: [instance], canApproveJobs: true }),
    await context.add.user({ instances: [instance], canApproveJobs: true }),
  ]
  const message = await context.add.message({ instanceId: instance.id, textContent: 'One' })
  const added = await context.add.series({
    instanceId: instance.id,
    messages: [message],
    groups: await Promise.all(
      Array.from({ length: groups }, () => context.add.group({ instanceId: instance.id })),
    ),
    authorId: author.id,
    authorName: author.username,
    runsInMinutes: [-1],
  })
  const get = async () =>
    (await context.call(approver, contract.series.get, { params: { id: added.id } })).body
  const approve = async (user: typeof author, recipients = 10, version?: number) =>
    context.call(user, contract.series.approve, {
      params: { id: added.id },
      body: { version: version ?? (await get()).version, recipients },
    })
  async function make() {
    const createJob: Parameters<typeof makeDueRuns>[0]['createJob'] = (begin, order) =>
      createJobOfRun('VN', begin, order)
    await makeDueRuns({ db: context.db, createJob }, never)
    await markOverdue(context.db)
    return context.db.one<{ review: string }>(sql`
      select review from jobs where instance_id = ${instance.id} order by id desc limit 1`)
  }
  /** Gives the run another message, as its own, and returns the message. */
  async function changeMessage(by: typeof author, textContent = 'Other') {
    const other = await context.add.message({ instanceId: instance.id, textContent })
    const { status } = await context.call(by, contract.series.setRunMessage, {
      params: { id: added.id, runId: added.runs[0]?.id ?? 0 },
      body: { messageId: other.id },
    })
    expect(status).toBe(200)
    return other
  }
  return { id: added.id, instance, message, author, approver, get, approve, make, changeMessage }
}

// R-1402
test('somebody else than its author approves a series, and its jobs with it', async () => {
  const { author, approver, get, approve, make } = await fixture()
  expect((await get()).approval).toEqual({
    ...{ isApproved: false, unapprovedRuns: 0, by: null, at: null, recipients: null, canApprove: true },
    changesAsked: null,
  })
  expect(await approve(author)).toMatchObject({ status: 403, body: { code: 'approval_of_own' } })
  expect(await approve(approver, 0)).toMatchObject({
    ...{ status: 400, body: { fields: { recipients: 'SERIES_FORM.APPROVED_INVALID' } } },
  })
  expect(await approve(approver)).toMatchObject({ status: 200 })
  expect((await get()).approval).toMatchObject({
    ...{ isApproved: true, by: approver.username, recipients: 10 },
  })
  expect(await make()).toEqual({ review: 'approved' })
})

// R-1519
test('whoever changed a text last does not approve it', async () => {
  const { author, approver, instance, message, get, approve, id } = await fixture()
  const another = await context.add.user({ instances: [instance], canApproveJobs: true })
  expect(await approve(approver)).toMatchObject({ status: 200 })
  const edit = (textContent: string) =>
    context.call(approver, contract.messages.update, {
      params: { id: message.id },
      body: { textContent, instanceId: instance.id },
    })

  expect((await edit('Mine')).status).toBe(200)
  expect(await approve(approver)).toMatchObject({ status: 403, body: { code: 'approval_of_own' } })
  expect((await get()).approval).toMatchObject({ isApproved: false, canApprove: false })
  expect(await approve(another)).toMatchObject({ status: 200 })

  await edit('Mine again')
  expect(await approve(approver)).toMatchObject({ status: 403 })
  // As if its author had saved it with that text.
  await context.db.run(sql`
    update series set author_id = ${author.id}, text_edited_by_user_id = null, version = version + 1 where id = ${id}`)
  expect(await approve(approver)).toMatchObject({ status: 200 })
})

// R-1402
test('whoever read another text of a message approves nothing', async () => {
  const { approver, get, approve, make } = await fixture()
  const { version } = await get()
  await context.db.run(sql`update messages set text_content = 'Scam'`)
  expect(await approve(approver, 10, version)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect(await make()).toEqual({ review: 'overdue' })
})

// R-1402, R-1403
test.for([
  ['without an approval', null],
  ['another text', sql`update messages set text_content = 'Scam'`],
  ['another rule', sql`update series set rule = jsonb_set(rule, '{every}', '2')`],
  ['another author', sql`update series set author_id = (select max(id) from users)`],
] as const)('a run that was not approved is not sent, and overdue: %s', async ([name, change]) => {
  const { approve, approver, make } = await fixture()
  if (change) await approve(approver)
  if (change) await context.db.run(change)
  expect([name, await make()]).toEqual([name, { review: 'overdue' }])
})

// R-1403
test.for([
  [6, 'approved'],
  [7, 'overdue'],
] as const)('a series approved for five: a run to %i groups is %s', async ([groups, review]) => {
  const { approve, approver, make } = await fixture(groups)
  await approve(approver, 5)
  expect(await make()).toEqual({ review })
})

// R-1403
test('a run whose job is overdue holds back no later one', async () => {
  const { id, approve, approver, make } = await fixture()
  await make()
  await approve(approver)
  await context.db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at)
    select series_id, local_time || ' later', 2, clock_now() from series_runs where series_id = ${id}`)
  expect(await make()).toEqual({ review: 'approved' })
})

// R-1402
test('a job that the author made beforehand is not taken for that of a run', async () => {
  const { id, instance, message, author, approver, approve, make } = await fixture()
  const keys = Array.from({ length: 60 }, (_, minute) => {
    const localTime = `2026-01-05T09:${String(minute).padStart(2, '0')}`
    const hash = createHash('sha256').update(`series ${id} ${localTime}`).digest('hex').slice(0, 32)
    const requestId = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    return { localTime, requestId }
  })
  const key = keys.find(({ requestId }) => /^.{14}[1-8].{4}[89ab]/.test(requestId))
  await context.db.run(
    sql`update series_runs set local_time = ${key?.localTime ?? ''} where series_id = ${id}`,
  )
  const { body } = await context.call(author, contract.jobs.create, {
    body: {
      ...{ jobType: 'SendToUsers', phoneNumbers: '+84901234567', instanceId: instance.id },
      ...{ messageId: message.id, requestId: key?.requestId, scheduledAt: '2099-01-01T00:00:00Z' },
    },
  })
  expect(body).toMatchObject({ review: 'in_review' })
  await approve(approver)
  await make()
  const [made, ofRun] = await context.db.many<{ review: string }>(sql`select review from jobs order by id`)
  expect([made, ofRun]).toEqual([{ review: 'in_review' }, { review: 'approved' }])
})

// R-1514
test('the message of a single run is approved with the series, and only that run waits for it', async () => {
  const { id, author, approver, get, approve, make, changeMessage } = await fixture()
  await approve(approver)
  const { version } = await get()
  const other = await changeMessage(author)
  expect(await get()).toMatchObject({
    approval: { isApproved: true, unapprovedRuns: 1, canApprove: true },
    changedRuns: [{ message: { id: other.id, textContent: 'Other' } }],
  })
  expect(await approve(approver, 10, version)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  await context.db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at)
    select series_id, local_time || ' before', 2, clock_now() - interval '2 minutes' from series_runs where series_id = ${id}`)
  await context.db.run(
    sql`update series_runs set due_at = clock_now() + interval '1 hour' where message_id is not null`,
  )
  expect(await make()).toEqual({ review: 'approved' })
  await approve(approver)
  expect((await get()).approval).toMatchObject({ isApproved: true, unapprovedRuns: 0 })
  await context.db.run(sql`update jobs set status = 'Completed'`)
  await context.db.run(sql`update series_runs set due_at = clock_now() where message_id is not null`)
  expect(await make()).toEqual({ review: 'approved' })
  expect(await context.db.many(sql`select text_content from jobs order by id`)).toEqual([
    ...[{ textContent: 'One' }, { textContent: 'Other' }],
  ])
})

// R-1514
test.for([
  ['chosen after the approval', true, null],
  [
    'changed after the approval',
    false,
    sql`update messages set text_content = 'Scam' where text_content = 'Other'`,
  ],
] as const)('a run is not sent whose own message was %s', async ([, isLate, change]) => {
  const { author, approver, approve, make, changeMessage } = await fixture()
  if (!isLate) await changeMessage(author)
  expect((await approve(approver)).status).toBe(200)
  if (isLate) await changeMessage(author)
  if (change) await context.db.run(change)
  expect(await make()).toEqual({ review: 'overdue' })
})

// R-1514
test('nobody approves a message that they chose for a run, and another text of it is read anew', async () => {
  const { author, approver, get, approve, make, changeMessage } = await fixture()
  await changeMessage(approver)
  expect((await get()).approval).toMatchObject({ canApprove: false, unapprovedRuns: 1 })
  for (const user of [author, approver])
    expect(await approve(user)).toMatchObject({ status: 403, body: { code: 'approval_of_own' } })
  const admin = await context.add.admin()
  const { version } = await get()
  await context.db.run(sql`update messages set text_content = 'Scam' where text_content = 'Other'`)
  expect(await approve(admin, 10, version)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect((await approve(admin)).status).toBe(200)
  expect(await make()).toEqual({ review: 'approved' })
})

// R-1517
test('an approver asks for changes of a series in words, which its author is told until the series changes', async () => {
  const { id, author, approver, get, approve } = await fixture()
  const ask = async (user: typeof author, words = 'Shorter', version?: number) =>
    context.call(user, contract.series.askChanges, {
      params: { id },
      body: { version: version ?? (await get()).version, words },
    })
  const { version } = await get()
  expect(await ask(author)).toMatchObject({ status: 403, body: { code: 'approval_of_own' } })
  expect((await ask(approver, ' ')).body.fields).toEqual({ words: 'JOB.WORDS_REQUIRED' })
  expect((await ask(approver)).body.approval?.changesAsked).toMatchObject({
    ...{ by: approver.username, words: 'Shorter' },
  })
  expect(await ask(approver, 'Longer', version)).toMatchObject({
    status: 409,
    body: { code: 'stale_version' },
  })
  expect(await approve(approver, 10, version)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  const told = async () => {
    await lookForTroubles(context.db, { hasMail: false })
    await context.db.run(
      sql`update troubles set began_at = began_at - interval '1 minute' where announced_at is null`,
    )
    await lookForTroubles(context.db, { hasMail: false })
    return context.db.many<{ userId: number; kind: string }>(sql`
      delete from notices n using troubles t
      where t.id = n.trouble_id and t.kind in ('changes_asked', 'series_approval') and n.moment = 'begin'
      returning n.user_id, t.kind`)
  }
  expect(await told()).toEqual([{ userId: author.id, kind: 'changes_asked' }])
  await context.db.run(sql`update messages set text_content = 'Short'`)
  expect((await get()).approval?.changesAsked).toBeNull()
  expect(await told()).toEqual([{ userId: approver.id, kind: 'series_approval' }])
  await approve(approver)
  expect(await ask(approver)).toMatchObject({ status: 409, body: { code: 'series_not_in_review' } })
})

// R-1404
test('those who can approve a series are told that it waits, and nobody else', async () => {
  const { author, approver, approve } = await fixture()
  const told = async () => {
    await lookForTroubles(context.db, { hasMail: false })
    await context.db.run(
      sql`update troubles set began_at = began_at - interval '1 minute' where announced_at is null`,
    )
    await lookForTroubles(context.db, { hasMail: false })
    return context.db.many<{ userId: number; moment: string }>(sql`
      delete from notices n using troubles t where t.id = n.trouble_id and t.kind = 'series_approval'
      returning n.user_id, n.moment`)
  }
  expect(await told()).toEqual([{ userId: approver.id, moment: 'begin' }])
  await approve(approver)
  await told()
  await context.db.run(sql`update messages set text_content = 'Scam'`)
  expect((await told()).map(({ userId }) => userId)).toEqual([approver.id])
  expect(author.id).not.toBe(approver.id)
})
