import { beforeEach, expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteOldRows, pauseRestoredJobs, recipientCounts, restartJob, retryFailed } from '../index.ts'
import { deleteOldDeliveries } from './job-rows.ts'

const context = useEngineContext()
const run = () => deleteOldRows(context.db, new AbortController().signal)
const slice = (limit: number) => context.db.begin((tx) => deleteOldDeliveries(tx, limit))

const keep = (deliveryDays: number | null, logDays: number | null, receiptDays: number | null = 7) =>
  context.db.run(sql`
    update retention set delivery_days = ${deliveryDays}, log_days = ${logDays}, receipt_days = ${receiptDays}`)
beforeEach(() => keep(30, 10))

type Columns = Parameters<typeof context.add.job>[0]

/** A job with three sent messages that ended so many days ago, and a line in its log. */
async function endedJob(days: number, columns: Columns = {}) {
  const job = await context.add.job({ status: 'Completed', deliveryStatus: 'sent', ...columns })
  await context.db.run(sql`
    update jobs set completed_at = clock_now() - ${days} * interval '1 day' where id = ${job.id}`)
  await addLine(job.id)
  return job
}

const addLine = (jobId: number) =>
  context.db.run(
    sql`insert into job_logs (job_id, log_level, reason) values (${jobId}, 'Info', '{"code": "job_started"}')`,
  )

/** A job that has not ended for 100 days, and messages of its instance that were sent so many days ago. */
async function unfinishedJobOf(instanceId: number, status: 'Running' | 'Pending', lastIntentDays: number) {
  await context.add.job({ instanceId, status, createdAt: new Date(Date.now() - 100 * 86_400_000) })
  await context.db.run(sql`
    update instances set last_intent_at = clock_now() - ${lastIntentDays} * interval '1 day' where id = ${instanceId}`)
}

const kinds: { what: string; deliveries: number; logs: number; add: () => Promise<{ id: number }> }[] = [
  { what: 'ended 31 days ago', deliveries: 0, logs: 0, add: () => endedJob(31) },
  { what: 'failed 31 days ago', deliveries: 0, logs: 0, add: () => endedJob(31, { status: 'Failed' }) },
  { what: 'cancelled 31 days ago', deliveries: 0, logs: 0, add: () => endedJob(31, { status: 'Cancelled' }) },
  { what: 'ended 29 days ago', deliveries: 3, logs: 0, add: () => endedJob(29) },
  { what: 'ended 9 days ago', deliveries: 3, logs: 1, add: () => endedJob(9) },
  {
    what: 'was cancelled, and still settles a message',
    deliveries: 3,
    logs: 1,
    add: () => endedJob(31, { status: 'Cancelled', settling: true }),
  },
  {
    what: 'has run for a year',
    deliveries: 3,
    logs: 1,
    async add() {
      const job = await context.add.job({ status: 'Running', startedAt: '2025-01-01T00:00:00Z' })
      await addLine(job.id)
      return job
    },
  },
  {
    what: 'is restored and paused',
    deliveries: 3,
    logs: 1,
    async add() {
      const job = await context.add.job({ status: 'Running', createdAt: '2025-01-01T00:00:00Z' })
      await addLine(job.id)
      await pauseRestoredJobs(context.db)
      await context.db.run(
        sql`delete from job_logs where job_id = ${job.id} and reason ->> 'code' <> 'job_started'`,
      )
      return job
    },
  },
  {
    what: 'sent the last messages of its instance, in whose history an older job may look for its own',
    deliveries: 3,
    logs: 0,
    async add() {
      const job = await endedJob(31)
      await unfinishedJobOf(job.instanceId, 'Pending', 31)
      return job
    },
  },
  {
    what: 'ended beside an older job that has sent something since',
    deliveries: 0,
    logs: 0,
    async add() {
      const job = await endedJob(31)
      await unfinishedJobOf(job.instanceId, 'Running', 5)
      return job
    },
  },
]

test.each(kinds)(
  'a job that $what has $deliveries deliveries and $logs log lines afterwards',
  async (kind) => {
    const { id } = await kind.add()
    const rows = async () => ({
      deliveries: await context.db.run(sql`select from deliveries where job_id = ${id}`),
      logs: await context.db.run(sql`select from job_logs where job_id = ${id}`),
    })
    await keep(null, null)
    await run()
    expect(await rows()).toEqual({ deliveries: 3, logs: 1 })

    await keep(30, 10)
    await run()
    await run()

    expect(await rows()).toEqual({ deliveries: kind.deliveries, logs: kind.logs })
  },
)

test('the counts of the job and of the instance stay true between any two slices, and nothing is sent again', async () => {
  const { db } = context
  const job = await endedJob(40, { recipients: people(7), status: 'Cancelled' })
  await db.run(sql`
    update deliveries d set
      status = (array['sent', 'sent', 'sent', 'failed', 'failed', 'skipped', 'skipped'])[n],
      reason = case n when 4 then '{"code": "outcome_unknown", "params": {}}'::jsonb end,
      delivered_at = case when n < 3 then clock_now() end, read_at = case when n = 1 then clock_now() end
    from (select id, row_number() over (order by id) as n from deliveries where job_id = ${job.id}) numbered
    where numbered.id = d.id`)
  const sent = () =>
    db.one(sql`select sum(sent_now)::int from delivery_changes where instance_id = ${job.instanceId}`)
  const [counts, sentBefore] = [await recipientCounts(db, job.id), await sent()]
  expect(counts).toMatchObject({
    total: 7,
    sent: 3,
    failed: 2,
    skipped: 2,
    unknown: 1,
    delivered: 2,
    read: 1,
  })
  expect(sentBefore).toEqual({ sum: 3 })

  for (const deleted of [3, 3, 1, 0]) {
    expect(await slice(3)).toBe(deleted)
    expect(await recipientCounts(db, job.id)).toEqual(counts)
    expect(await sent()).toEqual(sentBefore)
    expect(await db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: true }))).toBe('deleted')
    expect(await db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('deleted')
  }
  // Programs before this version know nothing of it.
  await expect(db.run(sql`update jobs set status = 'Pending' where id = ${job.id}`)).rejects.toThrow(
    'jobs_final',
  )
})

test('the messages whose rows are gone are one number for each instance and group', async () => {
  const { db } = context
  const job = await endedJob(40, { recipients: people(3) })
  for (const _ of people(3)) await slice(1)
  await endedJob(40, { instanceId: job.instanceId, recipients: people(2) })

  await run()

  expect(await db.many(sql`select * from sent_without_rows where instance_id = ${job.instanceId}`)).toEqual([
    { instanceId: job.instanceId, groupId: null, sent: 5 },
  ])
})

test('a slice waits for nobody, and a retry that waits for a slice finds the recipients gone', async () => {
  const { db } = context
  const job = await endedJob(40, { recipients: people(4), deliveryStatus: 'failed' })
  await db.begin(async (tx) => {
    await tx.run(sql`select from jobs where id = ${job.id} for update`)
    expect(await slice(10)).toBe(0)
  })
  let retry: Promise<unknown> | undefined
  await db.begin(async (tx) => {
    await deleteOldDeliveries(tx, 2)
    retry = db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: true }))
    await until('the retry waits for the job', async () => (await countWaiting(db)) === 1)
  })
  expect(await retry).toBe('deleted')
})

test('a restarted job has a log to delete again', async () => {
  const { db } = context
  const job = await endedJob(20)
  await run()
  expect(await db.one(sql`select has_logs, has_deliveries from jobs where id = ${job.id}`)).toEqual({
    hasLogs: false,
    hasDeliveries: true,
  })
  expect(await db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await db.one(sql`select has_logs from jobs where id = ${job.id}`)).toEqual({ hasLogs: true })
})

test('a job runs to its end meanwhile, each recipient gets the message once, and every one counts for the cap', async () => {
  const { db } = context
  const { provider, ledger } = scriptedProvider()
  await db.run(sql`delete from jobs`)
  const old = await endedJob(40, { recipients: people(1), recipientCount: 5000 })
  await db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${old.id}, ${old.instanceId}, 'old ' || n, 'old', 'sent' from generate_series(1, 4999) n`)
  const job = await context.add.job({ instanceId: old.instanceId, recipients: people(60) })
  context.worker(provider)

  expect(await run()).toBe(5001)
  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to).sort()).toEqual(people(60).sort())
  const { used } = await db.one<{ used: number }>(sql`
    select sum(value::int)::int as used from instances, jsonb_each_text(sent_by_hour) where id = ${old.instanceId}`)
  expect(used).toBe(60)
  expect(await recipientCounts(db, old.id)).toMatchObject({ total: 5000, sent: 5000 })
})

test('what the engine remembers is deleted when it is old enough', async () => {
  const { db } = context
  await db.script(`
    delete from matched_messages;
    insert into delivery_views select gen_random_uuid(), '', '', now() - n * interval '1 day' from generate_series(5, 9) n;
    insert into matched_messages values (1, 'kept', null, now() - interval '47 hours'), (1, 'old', null, now() - interval '49 hours'),
      (1, 'in use', 1, null)`)
  const left = () =>
    db.one(sql`
      select (select count(*) from delivery_views) as views,
        (select array_agg(provider_message_id order by provider_message_id) from matched_messages) as matches`)
  await keep(null, null, null)
  await run()
  expect(await left()).toEqual({ views: 5, matches: ['in use', 'kept'] })
  await keep(null, null, 7)
  await run()
  expect(await left()).toEqual({ views: 3, matches: ['in use', 'kept'] })
})

// R-1129
test('a message that may have meant an opt-out is deleted 90 days after the decision', async () => {
  const { id } = await context.add.instance()
  await context.db.run(sql`
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at, decided_at)
    select ${id}, '84901234567', 'contains', 'xin dừng', name, clock_now() - interval '100 days',
      clock_now() - days * interval '1 day'
    from (values ('open', null::int), ('decided', 89), ('old', 91)) message (name, days)`)
  await run()
  const left = await context.db.many<{ name: string }>(sql`
    select provider_message_id as name from possible_opt_outs where instance_id = ${id} order by id`)
  expect(left.map(({ name }) => name)).toEqual(['open', 'decided'])
})

// R-1118
test('people whom an account has not written to for 400 days, and starts from then, are deleted', async () => {
  const { id } = await context.add.instance()
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, first_sent_at, last_sent_at, replied_at)
    select ${id}, phone, clock_now() - first * interval '1 day',
      case when last is null then '{}' else array[clock_now() - last * interval '1 day'] end,
      clock_now() - replied * interval '1 day'
    from (values ('1', 900, 401, 500), ('2', 900, 399, null), ('3', null, null, 401), ('4', null, null, 399),
      ('5', 399, null, null)) person (phone, first, last, replied)`)
  await context.db.run(sql`
    insert into opt_ins (instance_id, provider_message_id, phone, said_at)
    select ${id}, days::text, '1', clock_now() - days * interval '1 day' from unnest(array[399, 401]) days`)
  await run()
  expect(
    await context.db.many(sql`select phone as id from instance_people where instance_id = ${id}
      union all select provider_message_id from opt_ins where instance_id = ${id} order by 1`),
  ).toEqual(['2', '399', '4', '5'].map((left) => ({ id: left })))
})
