import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { deleteOldRows } from '../../engine/retention/delete-old.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { retention, jobs } = contract
const initial = {
  deliveryDays: null,
  logDays: null,
  receiptDays: 7,
  messageDays: null,
  groupDays: null,
  contactDays: null,
}

// R-598, R-2138
test('everything but the members of groups is kept until an Admin sets a time, which is recorded', async () => {
  const admin = await context.add.admin()
  expect((await context.call(admin, retention.get, {})).body).toEqual(initial)
  const body = {
    deliveryDays: 90,
    logDays: 3650,
    receiptDays: null,
    messageDays: 365,
    groupDays: 30,
    contactDays: 3650,
  }

  for (const _ of [1, 2]) expect((await context.call(admin, retention.update, { body })).body).toEqual(body)

  expect((await context.call(admin, retention.get, {})).body).toEqual(body)
  expect(await context.db.many(sql`select user_name, action, details from audit_log`)).toEqual([
    {
      userName: admin.username,
      action: 'retention.update',
      details: {
        changes: {
          deliveryDays: [null, 90],
          logDays: [null, 3650],
          receiptDays: [7, null],
          messageDays: [null, 365],
          groupDays: [null, 30],
          contactDays: [null, 3650],
        },
      },
    },
  ])
})

// R-598, R-2138
test.each([
  { deliveryDays: 6 },
  { logDays: 0 },
  { receiptDays: 3651 },
  { deliveryDays: 7.5 },
  { logDays: '30' },
  { receiptDays: undefined },
  { messageDays: 29 },
  { groupDays: 3651 },
  { contactDays: 45.5 },
])('%o is refused, and changes nothing', async (wrong) => {
  const admin = await context.add.admin()
  const body = { ...initial, ...wrong } as never
  const field = Object.keys(wrong)[0] ?? ''
  const answer = await context.call(admin, retention.update, { body })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      fields: {
        [field]: /message|group|contact/.test(field) ? 'RETENTION.UNUSED_INVALID' : 'RETENTION.DAYS_INVALID',
      },
    },
  })
  expect((await context.call(admin, retention.get, {})).body).toEqual(initial)
})

// R-2138
test('a program that does not know a setting leaves it as it is', async () => {
  const admin = await context.add.admin()
  await context.db.run(sql`update retention set message_days = 365`)
  const { messageDays: _, ...known } = initial
  const saved = { ...initial, messageDays: 365 }
  expect((await context.call(admin, retention.update, { body: known })).body).toEqual(saved)
})

//
test('a job whose recipients were deleted shows its counts and says so, and can’t be sent again', async () => {
  const admin = await context.add.admin()
  const job = await context.add.job({ status: 'Failed', deliveryStatus: 'failed' })
  const of = { params: { id: job.id } }
  await context.db.run(sql`update jobs set completed_at = clock_now() - interval '8 days'`)
  await context.db.run(sql`update retention set delivery_days = 7, log_days = 7`)
  const before = (await context.call(admin, jobs.get, of)).body
  expect(before).toMatchObject({ areRecipientsDeleted: false, isLogDeleted: false, hasRemaining: true })

  await deleteOldRows(context.db, new AbortController().signal)

  expect((await context.call(admin, jobs.get, of)).body).toEqual({
    ...before,
    areRecipientsDeleted: true,
    isLogDeleted: true,
    hasRemaining: false,
    assignedGroups: [],
    sentMessages: [],
  })
  for (const again of [jobs.restart, jobs.retryFailed, jobs.exportCsv])
    expect(await context.call(admin, again, { ...of, body: {} } as never)).toMatchObject({
      status: 409,
      body: { code: 'job_recipients_deleted' },
    })
  expect((await context.call(admin, jobs.remove, of)).status).toBe(204)
})

// R-2135
test('a job whose group went names it still, with its counts, but no members', async () => {
  const admin = await context.add.admin()
  const group = await context.add.group({ leftAt: '2020-01-01T00:00:00Z', participantCount: 3 })
  const { id } = await context.add.job({
    ...{
      status: 'Completed',
      deliveryStatus: 'sent',
      instanceId: group.instanceId,
      recipients: [group.chatId],
    },
  })
  await context.db.run(sql`
    update deliveries set group_id = ${group.id}, recipient_name = ${group.name}, sent_at = clock_now(), delivered_members = 2`)
  await context.db.run(sql`update retention set group_days = 30`)
  const read = async () => (await context.call(admin, jobs.get, { params: { id } })).body
  const before = await read()
  expect(before.sentMessages).toMatchObject([{ deliveredTo: 2, members: 2, areMembersKept: true }])

  await deleteOldRows(context.db, new AbortController().signal)

  const [message] = before.sentMessages
  expect(await read()).toEqual({
    ...before,
    sentMessages: [{ ...message, members: null, areMembersKept: false }],
  })
})
