import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseContext } from '../../../test/database-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { cancelJob, deleteJobs, planJob, recipientCounts, restartJob, whyWaiting } from '../index.ts'

const context = new DatabaseContext()
beforeAll(() => context.open())
afterAll(() => context.close())

const person = (n: number) => ({
  chatId: `849${n}@s.whatsapp.net`,
  name: `+849${n}`,
  groupId: null,
  contactId: null,
})

async function plan(
  recipients: Parameters<typeof planJob>[1]['recipients'],
  scheduledAt: string | null = null,
) {
  const { id: instanceId } = await context.add.instance()
  const user = await context.add.user()
  return context.db.begin((tx) =>
    planJob(tx, {
      jobType: 'SendToUsers',
      messageId: null,
      textContent: 'Hello',
      imageId: null,
      instanceId,
      scheduledAt,
      createdBy: { id: user.id, name: user.username },
      recipients,
    }),
  )
}

test('a job keeps its recipients in the given order, whatever characters their names contain', async () => {
  const { id: groupId, instanceId } = await context.add.group()
  const recipients = [
    { chatId: 'b@g.us', name: 'Quote " back \\ brace {,} NULL', groupId, contactId: 7 },
    { chatId: 'a@g.us', name: '', groupId: null, contactId: null },
  ]
  const user = await context.add.user()
  const jobId = await context.db.begin((tx) =>
    planJob(tx, {
      jobType: 'SendToGroups',
      messageId: null,
      textContent: 'Hello',
      imageId: null,
      instanceId,
      scheduledAt: null,
      createdBy: { id: user.id, name: 'Ann' },
      recipients,
    }),
  )

  const rows = await context.db.many(sql`
    select chat_id, recipient_name as name, group_id, contact_id, status from deliveries where job_id = ${jobId} order by id`)
  expect(rows).toEqual(recipients.map((recipient) => ({ ...recipient, status: 'queued' })))
  const log = await context.db.maybeOne(sql`select reason from job_logs where job_id = ${jobId}`)
  expect(log?.reason).toEqual({ code: 'job_created', params: { user: 'Ann', count: 2 } })
})

test('a job with 100,000 recipients has a delivery for each', async () => {
  const jobId = await plan(Array.from({ length: 100_000 }, (_, n) => person(n)))

  expect(await recipientCounts(context.db, jobId)).toMatchObject({
    total: 100_000,
    waiting: 100_000,
    sent: 0,
  })
})

test('a transaction that fails leaves no job', async () => {
  const before = await context.db.many(sql`select id from jobs`)

  await expect(plan([person(1), person(1)])).rejects.toThrow('deliveries_recipient')

  expect(await context.db.many(sql`select id from jobs`)).toEqual(before)
})

test('a cancelled job skips its recipients, and a restart queues all of them again', async () => {
  const jobId = await plan([person(1), person(2)], '2999-01-01T00:00:00.000Z')
  expect(await whyWaiting(context.db, jobId)).toEqual({
    waiting: { code: 'scheduled', params: {} },
    nextSendAt: '2999-01-01T00:00:00.000Z',
  })

  expect(await context.db.begin((tx) => cancelJob(tx, jobId, 'Ann'))).toBe('done')
  expect(await context.db.begin((tx) => cancelJob(tx, jobId, 'Ann'))).toBe('not_allowed')
  expect(await recipientCounts(context.db, jobId)).toMatchObject({ total: 2, waiting: 0, skipped: 2 })

  expect(await context.db.begin((tx) => restartJob(tx, jobId, 'Bob'))).toBe('done')
  expect(await context.db.begin((tx) => restartJob(tx, jobId, 'Bob'))).toBe('not_allowed')
  expect(await recipientCounts(context.db, jobId)).toMatchObject({ total: 2, waiting: 2, skipped: 0 })
  const logs = await context.db.many(sql`select reason from job_logs where job_id = ${jobId}`)
  expect(logs.map((log) => log.reason)).toEqual([{ code: 'job_restarted', params: { user: 'Bob' } }])
})

test('a deletion deletes all of the given jobs and no others', async () => {
  const jobs = [await plan([person(1)]), await plan([person(1)])]
  const other = await plan([person(1)])

  expect(await deleteJobs(context.db, jobs, 'Ann', async () => {})).toBe('done')

  expect(await context.db.many(sql`select from deliveries where job_id = any(${jobs})`)).toHaveLength(0)
  expect(await recipientCounts(context.db, other)).toMatchObject({ waiting: 1 })
})
