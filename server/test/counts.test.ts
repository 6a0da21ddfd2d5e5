import { describe, expect, test } from 'vitest'
import { deleteJobs, planJob, restartJob, retryFailed } from '../src/engine/index.ts'
import { applyStoredReceipts } from '../src/engine/receipts/apply-stored.ts'
import { storeBatch } from '../src/engine/receipts/store.ts'
import { listDays } from '../src/features/dashboard/days.queries.ts'
import type { Caller } from '../src/platform/access.ts'
import { addUpWithoutRows, foldCounts, uncountSentWithoutRows } from '../src/platform/count-fold.ts'
import { findCountDifferences, readCounts } from '../src/platform/counts.ts'
import type { Db } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { type Provider, ProviderFailure, type ProviderGroup } from '../src/providers/provider.ts'
import { useEngineContext } from './engine-context.ts'
import { countWaiting } from './locks.ts'
import { scriptedProvider } from './scripted-provider.ts'
import { syncNow } from './sync-now.ts'
import { until } from './until.ts'

const context = useEngineContext()

/** Callers as the access rules make them. Only what decides about visibility is set. */
const callerOf = (role: Caller['role'], instanceIds: number[] = [], id = 1) =>
  ({ id, role, instanceIds }) as unknown as Caller // the queries read nothing else
const admin = callerOf('Admin')

const isExact = async () => expect(await findCountDifferences(context.db)).toEqual([])

const rejected = { kind: 'rejected', reason: { code: 'chat_not_found', params: {} } } as const

const today = async () => (await listDays(context.db, admin, 1))[0]

//
test('the numbers agree with the rows, whatever happens to them, and the days keep their history', async () => {
  const { db, add } = context
  const { provider, script, accept } = scriptedProvider()
  const [instance, ann] = [await add.instance(), await add.user()]
  await sync(instance.id, ['a', 'b', 'c'])
  const groups = await db.many<{ id: number; chatId: string; name: string }>(sql`
    select id, chat_id, name from groups order by id`)
  script.onSend = (send) => (send.to === 'b@g.us' ? rejected : accept(send))
  context.worker(provider)
  await isExact()

  const jobId = await db.begin((tx) =>
    planJob(tx, {
      ...{ jobType: 'SendToGroups', messageId: null, textContent: 'Hello', imageId: null, scheduledAt: null },
      ...{ instanceId: instance.id, createdBy: { id: ann.id, name: 'Ann' } },
      recipients: groups.map(({ id, chatId, name }) => ({ groupId: id, contactId: null, chatId, name })),
    }),
  )
  await context.untilStatus(jobId, 'Completed')
  await isExact()
  expect(await readCounts(db, admin)).toMatchObject({ Completed: 1, Running: 0, sent: 2, groups: 3 })
  expect(await today()).toMatchObject({ sent: 2, delivered: 0, read: 0, failed: 1 })

  await foldCounts(db)
  await report(instance.id, 'a@g.us', 'delivered')
  await report(instance.id, 'a@g.us', 'read')
  await report(instance.id, 'c@g.us', 'failed')
  await isExact()
  expect(await today()).toMatchObject({ sent: 1, delivered: 1, read: 1, failed: 2 })

  script.onSend = accept
  await db.begin((tx) => retryFailed(tx, jobId, 'Ann', { includeUnknown: false }))
  await context.untilStatus(jobId, 'Completed')
  await foldCounts(db)
  await isExact()
  expect(await today()).toMatchObject({ sent: 3, delivered: 1, read: 1, failed: 2 })

  await db.begin((tx) => restartJob(tx, jobId, 'Ann'))
  await isExact()
  await context.untilStatus(jobId, 'Completed')
  await sync(instance.id, ['a', 'b'])
  expect(await readCounts(db, admin)).toMatchObject({ sent: 3, groups: 2, 'left groups': 1 })
  await isExact()

  await deleteJobs(db, [jobId], 'Ann', async () => {})
  await db.run(sql`delete from groups where chat_id = 'c@g.us'`)
  await isExact()
  await db.run(sql`delete from instances where id = ${instance.id}`)
  await isExact()
  await foldCounts(db)
  await isExact()
  expect(await readCounts(db, admin)).toMatchObject({ Completed: 0, sent: 0, groups: 0, 'left groups': 0 })
  expect(await today()).toMatchObject({ sent: 6, delivered: 1, read: 1, failed: 2 })
  expect(await listDays(db, callerOf('Member', [instance.id + 1]), 30)).toHaveLength(30)

  async function sync(instanceId: number, names: string[]) {
    const rows = names.map(
      (name): ProviderGroup => ({
        ...{ chatId: `${name}@g.us`, name, participantCount: 1, isAdminsOnly: false },
        participants: [{ personId: name, rank: 'member' }],
      }),
    )
    const pages = {
      contacts: async () => ({ rows: [], next: 0, total: 0 }),
      groups: async (_: object, { offset }: { offset: number }) => ({
        ...{ rows: offset === 0 ? rows : [], next: rows.length, total: rows.length },
      }),
      channels: async () => ({ rows: [], next: 0, total: 0 }),
      group: async () => {
        throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
      },
    } as unknown as Provider // a sync calls nothing else
    const providers = { live: pages, test: pages }
    await syncNow({ db, secrets: context.secrets, providers }, instanceId)
  }

  async function report(instanceId: number, chatId: string, state: 'delivered' | 'read' | 'failed') {
    const { providerMessageId } = await db.one<{ providerMessageId: string }>(sql`
      select provider_message_id from deliveries where chat_id = ${chatId}`)
    await storeBatch(db, [{ instanceId, providerMessageId, state, viewer: null, at: null, detail: '' }])
    // A failure needs the instance's lock, which the worker may still hold. It is tried again later then.
    await until('the receipt is applied', async () => {
      await context.moveClock('2 seconds')
      await applyStoredReceipts(db)
      const isLeft = sql`select from receipt_batches union all select from receipt_events`
      return (await db.run(isLeft)) === 0
    })
  }
})

test('an update of templates moves them from one reader to another', async () => {
  const { db, add } = context
  const [ann, bob] = [await add.user(), await add.user()]
  const instance = await add.instance()
  const messages = async () => {
    const callers = [callerOf('Member', [instance.id], ann.id), callerOf('Member', [], bob.id), admin]
    return Promise.all(callers.map(async (caller) => (await readCounts(db, caller)).messages))
  }
  const { id } = await add.message({ createdByUserId: ann.id })
  await add.message({ createdByUserId: bob.id })
  await add.message({ createdByAdmin: true })
  expect(await messages()).toEqual([2, 2, 3])
  await db.run(sql`update messages set instance_id = ${instance.id} where id = ${id}`)
  expect(await messages()).toEqual([2, 2, 3])
  const inInstance = (caller: Caller) => readCounts(db, caller, [instance.id])
  expect(await inInstance(callerOf('Member', [instance.id]))).toMatchObject({ messages: 1 })
  expect(await inInstance(callerOf('Member', [instance.id + 1]))).toMatchObject({ messages: 0 })
  await foldCounts(db)
  await db.run(sql`delete from users where id = ${bob.id}`)
  expect(await messages()).toEqual([2, 1, 3])
  await isExact()
  await db.run(sql`delete from messages`)
  expect(await messages()).toEqual([0, 0, 0])
})

test('a message of late evening in London belongs to the next day in Vietnam', async () => {
  await context.setClock('2026-03-01T18:00:00Z')
  const job = await context.add.job({ recipients: ['1@g.us', '2@g.us'] })
  await context.db.run(sql`
    update deliveries set status = 'sent', sent_at = clock_now() - case chat_id when '1@g.us' then interval '2 hours'
      else interval '0' end
    where job_id = ${job.id}`)
  const days = async (caller: Caller) =>
    (await listDays(context.db, caller, 2)).map(({ day, sent }) => `${day} ${sent}`)
  const member = callerOf('Member', [job.instanceId])
  expect(await days(member)).toEqual(['2026-03-01 1', '2026-03-02 1'])
  await foldCounts(context.db)
  expect(await days(member)).toEqual(['2026-03-01 1', '2026-03-02 1'])
  expect(await days(admin)).toEqual(['2026-03-01 1', '2026-03-02 1'])
  expect(await days(callerOf('Member', []))).toEqual(['2026-03-01 0', '2026-03-02 0'])
})

test('a result that comes after the look-ups gave up corrects the day of the failure', async () => {
  await context.setClock('2026-03-01T16:55:00Z') // five minutes before midnight in Vietnam
  const job = await context.add.job({ recipients: ['1@g.us'], status: 'Running' })
  const { message } = await context.beginSend()
  await context.db.run(sql`update deliveries set status = 'failed' where job_id = ${job.id}`)
  await context.moveClock('15 minutes')
  await context.settle(message, { kind: 'sent', providerMessageId: 'late' })

  expect(await listDays(context.db, callerOf('Member', [job.instanceId]), 2)).toMatchObject([
    { day: '2026-03-01', sent: 1, failed: 0 },
    { day: '2026-03-02', sent: 0, failed: 0 },
  ])
})

test('a stop ends the adding up after a slice, and the numbers are exact before and after', async () => {
  const { db } = context
  const { id } = await context.add.instance()
  await foldCounts(db)
  const add = (rows: number, sent: number) =>
    db.run(sql`
      insert into delivery_changes (instance_id, group_id, sent_now, sent, delivered, read, failed)
      select ${id}::bigint, null, ${sent}::int, 0, 0, 0, 0 from generate_series(1, ${rows}::int)`)
  await add(25_000, 1)
  const left = () => db.run(sql`select from delivery_changes`)
  let asked = 0

  await foldCounts(db, () => ++asked > 1)

  expect(await left()).toBe(15_000)
  expect(await readCounts(db, admin)).toMatchObject({ sent: 25_000 })
  await foldCounts(db)
  expect(await left()).toBe(0)
  expect(await readCounts(db, admin)).toMatchObject({ sent: 25_000 })
  await add(1, -25_000)
})

test('the failures of each job are counted by every statement, and not again by a former program', async () => {
  const { db, add } = context
  const [one, two] = [await add.job({ deliveryStatus: 'failed' }), await add.job()]
  const failures = () => db.many(sql`select failed_count, has_failures from jobs order by id`)
  const three = { failedCount: 3, hasFailures: true }
  const none = { failedCount: 0, hasFailures: false }
  expect(await failures()).toEqual([three, none])

  // Programs of 0032 fail what is queued like this.
  await db.run(sql`
    with failed as (update deliveries set status = 'failed' where job_id = ${two.id} returning job_id)
    update jobs j set failed_count = j.failed_count + f.count, cursor = 1
    from (select job_id, count(*) from failed group by job_id) f where j.id = f.job_id`)
  expect(await failures()).toEqual([three, three])
  expect(await db.one(sql`select cursor from jobs where id = ${two.id}`)).toEqual({ cursor: 1 })

  await db.run(sql`
    update deliveries set status = case job_id when ${one.id} then 'queued' else 'sent' end, sent_at = clock_now()`)
  expect(await failures()).toEqual([none, none])
})

describe('what no row shows any more', () => {
  test('is one number for each account and group, and for each account and day', async () => {
    const { db, add } = context
    const [{ id: a }, { id: b }] = [await add.instance(), await add.instance()]
    await db.script(`
      insert into sent_without_rows values (${a}, 7, 1), (${a}, 7, 2), (${a}, null, 4), (${a}, null, 8), (${a}, 9, 16),
        (${b}, 7, 32), (${b}, null, 64);
      insert into days_without_rows values (${a}, '2026-01-01', 1, 2, 3, 4), (${a}, '2026-01-01', 10, 20, 30, 40),
        (${a}, '2026-01-02', 5, 6, 7, 8), (${b}, '2026-01-01', 9, 10, 11, 12), (${b}, '2026-01-01', -9, -10, -11, -12)`)
    const sent = () =>
      db.many(sql`select instance_id = ${a} as is_first, group_id, sent from sent_without_rows order by sent`)
    const days = () =>
      db.many(sql`
        select day::text, sent, delivered, read, failed from days_without_rows where instance_id in (${a}, ${b})
        order by day, sent`)

    for (const _ of ['once', 'again']) {
      await db.begin(addUpWithoutRows)

      expect(await sent()).toEqual([
        { isFirst: true, groupId: 7, sent: 3 },
        { isFirst: true, groupId: null, sent: 12 },
        { isFirst: true, groupId: 9, sent: 16 },
        { isFirst: false, groupId: 7, sent: 32 },
        { isFirst: false, groupId: null, sent: 64 },
      ])
      expect(await days()).toEqual([
        { day: '2026-01-01', sent: 0, delivered: 0, read: 0, failed: 0 },
        { day: '2026-01-01', sent: 11, delivered: 22, read: 33, failed: 44 },
        { day: '2026-01-02', sent: 5, delivered: 6, read: 7, failed: 8 },
      ])
    }
    await db.script(`
      delete from sent_without_rows;
      delete from days_without_rows where instance_id in (${a}, ${b})`)
  })

  test('is taken off the numbers of an account that is cleared while it is added up', async () => {
    const { db, add } = context
    const { id } = await add.instance()
    await db.script(`
      insert into sent_without_rows values (${id}, null, 1), (${id}, null, 2);
      insert into count_changes values ('${id}', 'sent', 3)`)
    let clearing: Promise<void> | undefined
    await db.begin(async (tx) => {
      await addUpWithoutRows(tx)
      clearing = db.begin((other) => uncountSentWithoutRows(other, id))
      await until('the clearing waits', async () => (await countWaiting(db)) === 1)
    })
    await clearing

    expect(await db.many(sql`select from sent_without_rows`)).toEqual([])
    expect(await readCounts(db, callerOf('Member', [id]))).toMatchObject({ sent: 0 })
  })
})

test.each([
  ['older', 0],
  ['newer', 1],
])('the outcomes of two jobs are added up while both are deleted, the %s one first', async (_, place) => {
  const { db, add } = context
  const jobs = [await add.job({ status: 'Running' }), await add.job({ status: 'Running' })]
  for (const { id } of jobs) await db.run(sql`update deliveries set status = 'skipped' where job_id = ${id}`)
  await context.moveClock('5 minutes')
  const remove = (tx: Db, nth: number) => tx.run(sql`delete from jobs where id = ${jobs[nth]?.id ?? 0}`)

  const { folding } = await db.begin(async (tx) => {
    await remove(tx, place)
    let hasEnded = false
    const folding = Promise.allSettled([foldCounts(db).finally(() => (hasEnded = true))])
    await until('the fold ends or waits', async () => hasEnded || (await countWaiting(db)) === 1)
    await remove(tx, 1 - place)
    return { folding }
  })
  expect(await folding).toMatchObject([{ status: 'fulfilled' }])
  await isExact()
})
