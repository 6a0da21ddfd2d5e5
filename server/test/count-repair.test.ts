import { expect, test } from 'vitest'
import { applyStoredReceipts } from '../src/engine/receipts/apply-stored.ts'
import { storeBatch } from '../src/engine/receipts/store.ts'
import { recipientCounts } from '../src/engine/status/counts.ts'
import { countPeople, visibleKey } from '../src/features/dashboard/people.queries.ts'
import type { Caller } from '../src/platform/access.ts'
import { foldCounts } from '../src/platform/count-fold.ts'
import { repairCounts } from '../src/platform/count-repair.ts'
import { findCountDifferences, readCounts } from '../src/platform/counts.ts'
import { LOCKS, lock } from '../src/platform/database/advisory-lock.ts'
import type { Db, Pool } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useEngineContext } from './engine-context.ts'
import { countWaiting } from './locks.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { until } from './until.ts'

const context = useEngineContext()

/** As the access rules make them. Only what decides about visibility is set. */
const callerOf = (role: Caller['role'], instanceIds: number[] = []) =>
  ({ id: 1, role, instanceIds }) as unknown as Caller // the queries read nothing else

const TODAY = sql`day_of(clock_now())`

/** Adds a job with one recipient in a group to whom a message was sent today, and one whose message failed. */
async function addSentJob() {
  const { db, add } = context
  const instance = await add.instance()
  const { id: groupId } = await add.group({ instanceId: instance.id })
  const job = await add.job({ instanceId: instance.id, recipients: ['a@g.us', 'b@g.us'], status: 'Running' })
  await db.run(sql`
    update deliveries set group_id = ${groupId}, status = 'sent', sent_at = clock_now(), delivered_at = clock_now()
    where job_id = ${job.id} and chat_id = 'a@g.us'`)
  await db.run(sql`update deliveries set status = 'sending' where job_id = ${job.id} and chat_id = 'b@g.us'`)
  await db.run(sql`
    update deliveries set status = 'failed', reason = '{"code": "outcome_unknown", "params": {}}'
    where job_id = ${job.id} and chat_id = 'b@g.us'`)
  return { jobId: job.id, instanceId: instance.id, groupId }
}

//
test('each kind of number that is wrong is found and mended', async () => {
  const { db } = context
  const { jobId, instanceId, groupId } = await addSentJob()
  const [admin, member] = [callerOf('Admin'), callerOf('Member', [instanceId])]
  const user = await context.add.user({ instances: [{ id: instanceId }] })
  await foldCounts(db)
  for (const caller of [admin, member])
    await countPeople(db, caller, visibleKey(caller), (await readCounts(db, caller)).people)
  expect(user.id).toBeGreaterThan(0)
  expect(await findCountDifferences(db)).toEqual([])
  const { today } = await db.one<{ today: string }>(sql`select ${TODAY}::text as today`)

  await db.script(`
    update counts set n = n + 1 where owner = 'all' and counter = 'groups';
    insert into count_changes values ('${instanceId}', 'Running', 2);
    update sent_to_groups set sent = sent + 3 where group_id = ${groupId};
    update instance_days set sent = sent - 1, failed = failed + 4 where instance_id = ${instanceId};
    update instance_days set read = read + 1 where instance_id = 0;
    insert into job_counts values (${jobId}, 'epoch', 5, 0, 0, 1, 0, 0);
    select add_failures(${jobId}, 8);
    update people_counts set people = people + 7`)

  const wrong = [
    { owner: String(instanceId), counter: 'Running', n: -2 },
    { owner: 'all', counter: 'groups', n: -1 },
    { owner: `day 0 ${today}`, counter: 'failed', n: 4 },
    { owner: `day 0 ${today}`, counter: 'read', n: -1 },
    { owner: `day 0 ${today}`, counter: 'sent', n: -1 },
    { owner: `day ${instanceId} ${today}`, counter: 'failed', n: -4 },
    { owner: `day ${instanceId} ${today}`, counter: 'sent', n: 1 },
    { owner: `group ${groupId}`, counter: 'sent', n: -3 },
    { owner: `job ${jobId}`, counter: 'failed_count', n: -8 },
    { owner: `job ${jobId}`, counter: 'sent', n: -5 },
    { owner: `job ${jobId}`, counter: 'unknown', n: -1 },
    ...[admin, member].map((one) => ({ owner: `people of ${visibleKey(one)}`, counter: 'people', n: -7 })),
  ]
  const repairs: ReturnType<typeof repairCounts>[] = []
  await db.begin(async (tx) => {
    // The first one has compared already when it waits for this row.
    await tx.run(sql`select from counts where owner = 'all' and counter = 'groups' for update`)
    for (const waiting of [1, 2]) {
      repairs.push(repairCounts(db))
      await until(`${waiting} repairs wait`, async () => (await countWaiting(db)) === waiting)
    }
  })
  const [found, foundAgain] = await Promise.all(repairs)
  expect(found).toHaveLength(wrong.length)
  expect(found).toEqual(expect.arrayContaining(wrong))
  expect(foundAgain, 'the second one has waited before it compared').toEqual([])
  expect(await findCountDifferences(db)).toEqual([])
  expect(await repairCounts(db)).toEqual([])
  expect(await recipientCounts(db, jobId)).toMatchObject({
    sent: 1,
    failed: 1,
    unknown: 1,
    delivered: 1,
    read: 0,
  })
  await foldCounts(db)
  expect(await findCountDifferences(db)).toEqual([])
})

//
test('numbers are mended while deliveries are settled and receipts arrive', { timeout: 60_000 }, async () => {
  const { db } = context
  const { provider, script, accept } = scriptedProvider()
  const rejected = { kind: 'rejected', reason: { code: 'chat_not_found', params: {} } } as const
  let sent = 0
  script.onSend = (send) => (++sent % 5 === 0 ? rejected : accept(send))
  const recipients = Array.from({ length: 400 }, (_, n) => `${84_900_000_000 + n}@s.whatsapp.net`)
  const job = await context.add.job({ recipients })
  context.worker(provider)
  await until('the job runs', () => sent > 20)

  let reported = 0
  const report = async () => {
    const rows = await db.many<{ id: string }>(sql`
      select provider_message_id as id from deliveries
      where job_id = ${job.id} and status = 'sent' and read_at is null limit 20`)
    const states = ['delivered', 'read'] as const
    const receipts = rows.flatMap(({ id }) =>
      states.map((state) => ({
        ...{ instanceId: job.instanceId, providerMessageId: id, state, viewer: null, at: null, detail: '' },
      })),
    )
    if (receipts.length > 0) await storeBatch(db, receipts)
    await applyStoredReceipts(db)
    reported += receipts.length
  }
  let repairs = 0
  const isRunning = async () =>
    (await db.run(sql`select from jobs where id = ${job.id} and status = 'Running'`)) === 1
  while (await isRunning()) {
    await db.script(`
      insert into count_changes values ('${job.instanceId}', 'Running', 2);
      insert into delivery_changes values (${job.instanceId}, null, 1, day_of(clock_now()), 1, 1, 1, 1);
      insert into job_counts values (${job.id}, 'epoch', 1, 1, 1, 1, 1, 1);
      select add_failures(${job.id}, 3)`)
    await Promise.all([repairCounts(db), report(), foldCounts(db), repairCounts(db)])
    repairs++
  }

  expect([repairs > 3, reported > 100]).toEqual([true, true])
  expect(await findCountDifferences(db)).toEqual([])
  expect(await recipientCounts(db, job.id)).toMatchObject({ sent: 320, failed: 80 })
})

test('a repair waits for another one for longer than a statement may take', async () => {
  const { db } = context
  const hurried: Pool = {
    ...db,
    begin: (work) =>
      db.begin(async (tx) => {
        await tx.script(`set local statement_timeout = '500ms'`)
        return work(tx)
      }),
  }
  let failure: unknown
  const { repairing } = await db.begin(async (tx) => {
    await lock(tx, LOCKS.counts)
    const repairing = repairCounts(hurried).catch((error) => {
      failure = error
    })
    const isLong = sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and clock_timestamp() - query_start > '600ms'`
    await until('the repair has waited', async () => failure || (await db.run(isLong)) === 1)
    return { repairing }
  })
  await repairing
  expect(failure).toBeUndefined()
})

test('a repair and a statement that fails recipients of the same jobs do not deadlock', async () => {
  const { db, add } = context
  // As texts, the second number comes first.
  await db.run(sql`select setval(pg_get_serial_sequence('jobs', 'id'), 99998)`)
  const [first, second] = [await add.job({ status: 'Running' }), await add.job({ status: 'Running' })]
  for (const { id } of [first, second]) await db.run(sql`select add_failures(${id}, 5)`)
  const fail = (tx: Db, { id }: { id: number }) =>
    tx.run(sql`update deliveries set status = 'failed' where job_id = ${id}`)

  const { repairing } = await db.begin(async (tx) => {
    await fail(tx, first)
    const repairing = Promise.allSettled([repairCounts(db)])
    await until('the repair waits', async () => (await countWaiting(db)) === 1)
    await fail(tx, second)
    return { repairing }
  })
  expect(await repairing).toMatchObject([{ status: 'fulfilled' }])
  expect(await findCountDifferences(db)).toEqual([])
})
