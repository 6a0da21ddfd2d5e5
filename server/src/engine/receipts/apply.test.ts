import { expect, onTestFinished, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { restartJob } from '../jobs/lifecycle.ts'
import { deleteOldRows } from '../retention/delete-old.ts'
import { lockInstance } from '../shared/lock.ts'
import { recipientCounts } from '../status/counts.ts'
import { applyStoredReceipts, deleteUnmatchedReceipts } from './apply-stored.ts'
import { storeBatch } from './store.ts'

const context = useEngineContext()
const person = '84901234567@s.whatsapp.net'
const group = '120363000000000001@g.us'

/** Adds a job whose only message was sent an hour ago, with the message id `id`. */
async function sentJob(chatId = person, id: string | null = 'm1') {
  const job = await context.add.job({ recipients: [chatId], status: 'Completed' })
  if (chatId === group) {
    const { id: groupId } = await context.add.group({ instanceId: job.instanceId, chatId })
    await context.db.run(sql`update deliveries set group_id = ${groupId} where job_id = ${job.id}`)
  }
  await context.db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = '2026-01-01T00:00:00Z'
    where job_id = ${job.id}`)
  if (id !== null) await context.match(job.id, id)
  return job
}

/** When each receipt happened, in seconds after the message was sent. */
const seconds = { delivered: 10, read: 20, failed: 5 }
const at = (state: keyof typeof seconds) => `2026-01-01T00:00:${String(seconds[state]).padStart(2, '0')}.000Z`

function receipt(state: keyof typeof seconds, more: Partial<Receipt> = {}): Receipt {
  const detail = state === 'failed' ? 'forbidden' : ''
  return { providerMessageId: 'm1', state, viewer: null, at: at(state), detail, ...more }
}

type Row = Record<
  'status' | 'deliveredAt' | 'readAt' | 'deliveredMembers' | 'readMembers' | 'reason',
  unknown
>
const rowOf = async (jobId: number) =>
  (
    await context.db.many<Row>(sql`
      select status, delivered_at, read_at, delivered_members, read_members, reason
      from deliveries where job_id = ${jobId}`)
  )[0]

const store = (instanceId: number, receipts: Receipt[]) =>
  storeBatch(
    context.db,
    receipts.map((one) => ({ ...one, instanceId })),
  )

/** Stores and applies each receipt by itself. Receipts without a matching message are tried again each time. */
async function report(instanceId: number, receipts: Receipt[]) {
  for (const one of receipts) {
    await store(instanceId, [one])
    await context.moveClock('3 seconds')
    await applyStoredReceipts(context.db)
  }
}

const countStored = async () => await context.db.run(sql`select from receipt_events`)

function permutations<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  )
}

/** Sets the clock to an hour after the messages, so that none is too old. The era began long ago. */
async function setClock() {
  await context.setClock('2026-01-01T01:00:00Z')
  await context.db.run(sql`update heartbeat set history_complete_at = 'epoch'`)
  await context.db.run(sql`truncate receipts_set_aside, receipt_events, receipt_batches`)
}

const states = ['delivered', 'read', 'failed'] as const
const orders = states
  .flatMap((_, n) => permutations([...states]).map((order) => order.slice(0, n + 1)))
  .flatMap((order) => [order, [...order, ...order]])
const unique = [...new Map(orders.map((order) => [order.join(', '), order])).values()]

test.each(unique.map((order) => ({ order })))(
  'the receipts of a person have the same result in any order: $order',
  async ({ order }) => {
    await setClock()
    const { id, instanceId } = await sentJob()
    await report(
      instanceId,
      order.map((state) => receipt(state)),
    )
    const isSeen = order.includes('delivered') || order.includes('read')
    const first = order.includes('delivered') ? at('delivered') : at('read')
    expect(await rowOf(id)).toMatchObject({
      status: isSeen ? 'sent' : 'failed',
      deliveredAt: isSeen ? first : null,
      readAt: order.includes('read') ? at('read') : null,
      reason: isSeen ? null : { code: 'receipt_failed', params: { detail: 'forbidden' } },
    })
    // A failure after the delivery applies to nothing, and is deleted in the end.
    await context.moveClock('1 hour')
    await deleteUnmatchedReceipts(context.db)
    expect(await countStored()).toBe(0)
  },
)

const memberReceipts = [
  receipt('delivered', { viewer: 'a' }),
  receipt('read', { viewer: 'a' }),
  receipt('read', { viewer: 'b' }),
  receipt('failed', { viewer: 'c' }),
]
test.each(permutations(memberReceipts).map((order, n) => ({ order, n })))(
  'each member of a group is counted once, in any order of receipts ($n)',
  async ({ order }) => {
    await setClock()
    const { id, instanceId } = await sentJob(group)
    await report(instanceId, [...order, ...order])
    expect(await rowOf(id)).toEqual({
      status: 'sent',
      deliveredAt: at('delivered'),
      readAt: at('read'),
      deliveredMembers: 2,
      readMembers: 2,
      reason: null,
    })
    expect(await countStored()).toBe(0)
  },
)

test('thousands of receipts can be applied at once', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(group)
  const members = Array.from({ length: 1500 }, (_, n) => `member ${n}`)
  await store(
    instanceId,
    members.flatMap((viewer, n) => [
      receipt('delivered', { viewer }),
      receipt('delivered', { viewer }),
      ...(n < 100 ? [receipt('read', { viewer })] : []),
    ]),
  )
  const jobs = await applyStoredReceipts(context.db)
  expect(new Set(jobs.map(({ jobId }) => jobId))).toEqual(new Set([id]))
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1500, readMembers: 100 })
})

test('a receipt that comes before the answer to the send is applied later', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(person, null)
  await report(instanceId, [receipt('read'), receipt('delivered')])
  expect(await countStored()).toBe(2)
  await context.match(id, 'm1')
  await context.moveClock('1 minute')
  await applyStoredReceipts(context.db)
  expect(await rowOf(id)).toMatchObject({ deliveredAt: at('delivered'), readAt: at('read') })
})

test('a receipt that came while no worker ran is kept until a worker has looked for its message', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(person, null)
  await store(instanceId, [receipt('delivered')])
  await context.moveClock('20 minutes')
  context.worker(scriptedProvider().provider)
  await until(
    'the receipt is tried',
    async () => (await context.db.run(sql`select from receipt_events where try_at <= received_at`)) === 0,
  )
  await context.match(id, 'm1')
  await context.moveClock('1 minute')
  await until('the receipt is applied', async () => (await rowOf(id))?.deliveredAt === at('delivered'))
})

test('a receipt from before an outage waits for the answer to the send, which is saved after it', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(person, null)
  await report(instanceId, [receipt('delivered')])
  await context.moveClock('20 minutes')
  await context.db.run(sql`update heartbeat set beat_at = clock_now() - interval '20 minutes'`)
  await openHeartbeat(context.deps(scriptedProvider().provider)).beat()

  await applyStoredReceipts(context.db)
  await deleteUnmatchedReceipts(context.db)
  await context.match(id, 'm1')
  await context.moveClock('1 minute')
  await applyStoredReceipts(context.db)

  expect(await rowOf(id)).toMatchObject({ deliveredAt: at('delivered') })
})

test('receipts of another instance or of an earlier job run change nothing and are deleted', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  const other = await sentJob(person, 'm2')
  await report(instanceId, [receipt('read', { providerMessageId: 'm2' })])
  expect(await rowOf(other.id)).toMatchObject({ readAt: null })
  expect(await context.db.begin((tx) => restartJob(tx, id, 'somebody'))).toBe('done')
  await report(instanceId, [receipt('delivered'), receipt('failed')])
  expect(await rowOf(id)).toMatchObject({ status: 'queued', deliveredAt: null })
  for (let tries = 0; tries < 6; tries++) {
    await context.moveClock('11 minutes')
    await applyStoredReceipts(context.db)
  }
  await deleteUnmatchedReceipts(context.db)
  expect(await countStored()).toBe(0)
})

test('a new job run begins without receipts and counts its members again', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(group)
  await report(instanceId, [receipt('read', { viewer: 'a' })])
  await context.db.begin((tx) => restartJob(tx, id, 'somebody'))
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 0, readMembers: 0, deliveredAt: null })
  await context.db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = '2026-01-01T00:00:00Z'
    where job_id = ${id}`)
  await context.match(id, 'm9')
  await report(instanceId, [receipt('delivered', { providerMessageId: 'm9', viewer: 'a' })])
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1, readMembers: 0 })
})

test('a failure receipt makes a sent delivery failed, with the reason in the log; the job stays Completed', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  const sentCount = async () =>
    (
      await context.db.many(sql`select sum(sent_now) from delivery_changes where instance_id = ${instanceId}`)
    )[0]?.sum
  expect(await sentCount()).toBe(1)
  await report(instanceId, [receipt('failed'), receipt('failed')])
  expect(await recipientCounts(context.db, id)).toMatchObject({ total: 1, sent: 0, failed: 1, delivered: 0 })
  expect(await sentCount()).toBe(0)
  expect(await context.jobStatus(id)).toBe('Completed')
  expect(await context.log(id)).toEqual(['delivery_failed'])
})

test('a receipt that proves a failed delivery sent does not deadlock with a retry', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  await report(instanceId, [receipt('failed')])
  await store(instanceId, [receipt('delivered'), receipt('read')])
  await context.moveClock('3 seconds')
  // The locks of a retry, in its order.
  await context.db.begin(async (tx) => {
    await lockInstance(tx, instanceId)
    await tx.run(sql`select from jobs where id = ${id} for update`)
    await applyStoredReceipts(context.db)
    await tx.run(sql`update deliveries set reason = reason where job_id = ${id}`)
  })
  expect(await rowOf(id)).toMatchObject({ status: 'failed' })
  await context.moveClock('3 seconds')
  await applyStoredReceipts(context.db)
  expect(await rowOf(id)).toMatchObject({ status: 'sent', deliveredAt: at('delivered'), readAt: at('read') })
  expect(await context.db.many(sql`select failed_count from jobs where id = ${id}`)).toEqual([
    { failedCount: 0 },
  ])
  expect(await countStored()).toBe(0)
})

test('receipts of other instances do not wait for a locked instance', async () => {
  await setClock()
  const [locked, free] = [await sentJob(), await sentJob(person, 'm2')]
  await store(locked.instanceId, [receipt('failed')])
  await store(free.instanceId, [receipt('failed', { providerMessageId: 'm2' })])
  await context.db.begin(async (tx) => {
    await lockInstance(tx, locked.instanceId)
    await applyStoredReceipts(context.db)
    expect(await rowOf(free.id)).toMatchObject({ status: 'failed' })
    expect(await rowOf(locked.id)).toMatchObject({ status: 'sent' })
  })
  await context.moveClock('3 seconds')
  await applyStoredReceipts(context.db)
  expect(await rowOf(locked.id)).toMatchObject({ status: 'failed' })
})

test('a failure of one of our messages is never deleted before it is applied', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  await store(instanceId, [receipt('failed')])
  await context.db.begin(async (tx) => {
    await lockInstance(tx, instanceId)
    for (let tries = 0; tries < 10; tries++) {
      await applyStoredReceipts(context.db)
      await context.moveClock('11 minutes')
      await deleteUnmatchedReceipts(context.db)
    }
  })
  expect(await countStored()).toBe(1)
  await applyStoredReceipts(context.db)
  expect(await rowOf(id)).toMatchObject({ status: 'failed' })
})

test('a receipt that is not ours is tried six times in thirteen minutes, then deleted', async () => {
  await setClock()
  const { instanceId } = await sentJob()
  await store(instanceId, [receipt('read', { providerMessageId: 'not ours' })])
  const tries = new Set<unknown>()
  for (let seconds = 0; seconds < 14 * 60; seconds += 3) {
    await applyStoredReceipts(context.db)
    await deleteUnmatchedReceipts(context.db)
    const stored = await context.db.maybeOne<{ tryAt: string }>(sql`select try_at from receipt_events`)
    tries.add(stored?.tryAt)
    if (tries.size < 6) expect(stored).toBeDefined()
    await context.moveClock('3 seconds')
  }
  // The sixth try leaves no row.
  expect(tries.size).toBe(6)
  expect(tries).toContain(undefined)
})

test('a receipt of a former run is deleted in the same way, although the message was sent again', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(person, 'former')
  await context.db.begin((tx) => restartJob(tx, id, 'Ann'))
  await context.db.run(sql`update deliveries set status = 'sent', sent_at = clock_now() where job_id = ${id}`)
  await context.match(id, 'again')
  await store(instanceId, [receipt('read', { providerMessageId: 'former' })])
  for (let minutes = 0; minutes < 14; minutes++) {
    await applyStoredReceipts(context.db)
    await deleteUnmatchedReceipts(context.db)
    await context.moveClock('3 minutes')
  }
  expect(await countStored()).toBe(0)
})

const setAside = () => context.db.many(sql`select receipts, reason from receipts_set_aside order by id`)

//
test('a receipt that no statement takes is set aside, and holds up no other', async () => {
  await setClock()
  const jobs = [await sentJob(), await sentJob(person, 'm2')]
  const odd = receipt('read', { state: {} as 'read', providerMessageId: 'odd' })
  const [first, second] = jobs.map(({ instanceId }) => instanceId) as [number, number]
  await store(first, [receipt('read'), odd, receipt('delivered')])
  await store(second, [receipt('read', { providerMessageId: 'm2' })])
  await applyStoredReceipts(context.db)
  for (const { id } of jobs) expect(await rowOf(id)).toMatchObject({ readAt: at('read') })
  expect(await setAside()).toEqual([
    { receipts: JSON.stringify([{ ...odd, instanceId: first }]), reason: expect.stringContaining('state') },
  ])
  expect(await countStored()).toBe(0)
  expect(await context.db.run(sql`select from receipt_batches`)).toBe(0)
})

test('a stored receipt whose delivery refuses the change is set aside, and the others are applied', async () => {
  await setClock()
  const [bad, good] = [await sentJob(person, null), await sentJob(person, null)]
  await report(bad.instanceId, [receipt('read'), receipt('failed', { providerMessageId: 'm2' })])
  await report(good.instanceId, [receipt('read'), receipt('read', { providerMessageId: 'm3' })])
  for (const { id } of [bad, good]) await context.match(id, 'm1')
  await context.db.script(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '22003', message = 'refused'; end $$;
    create trigger refuse before update on deliveries for each row when (new.job_id = ${bad.id}) execute function refuse()`)
  onTestFinished(() => context.db.script('drop trigger refuse on deliveries; drop function refuse'))
  await context.db.run(sql`update receipt_events set try_at = clock_now()`)
  await applyStoredReceipts(context.db)
  expect(await rowOf(good.id)).toMatchObject({ readAt: at('read') })
  expect(await setAside()).toMatchObject([{ reason: 'refused' }])
  expect(await countStored()).toBe(2)
})

test('a failure whose delivery refuses the change is set aside', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  await context.db.script(
    `alter table deliveries add constraint refuse check (job_id <> ${id} or status <> 'failed')`,
  )
  onTestFinished(() => context.db.script('alter table deliveries drop constraint refuse'))
  await report(instanceId, [receipt('failed'), receipt('delivered')])
  expect(await rowOf(id)).toMatchObject({ status: 'sent', deliveredAt: at('delivered') })
  expect(await setAside()).toMatchObject([{ reason: expect.stringContaining('refuse') }])
  expect(await countStored()).toBe(0)
})

test('receipts that were set aside are deleted after a week', async () => {
  await setClock()
  const { instanceId } = await sentJob()
  await store(instanceId, [receipt('read', { state: {} as 'read', providerMessageId: 'odd' })])
  await applyStoredReceipts(context.db)
  await context.moveClock('6 days')
  await deleteOldRows(context.db, new AbortController().signal)
  expect(await setAside()).toHaveLength(1)
  await context.moveClock('2 days')
  await deleteOldRows(context.db, new AbortController().signal)
  expect(await setAside()).toEqual([])
})

test('a time before the message or in the future is corrected', async () => {
  await setClock()
  const { id, instanceId } = await sentJob()
  await report(instanceId, [receipt('delivered', { at: '2020-01-01T00:00:00.000Z' })])
  await report(instanceId, [receipt('read', { at: '2030-01-01T00:00:00.000Z' })])
  const row = await rowOf(id)
  expect(row?.deliveredAt).toBe('2026-01-01T00:00:00.000Z')
  expect(String(row?.readAt) < '2026-01-01T02').toBe(true)
})

test('the members who got a message are deleted after a week, and the counts stay', async () => {
  await setClock()
  const { id, instanceId } = await sentJob(group)
  await report(instanceId, [receipt('delivered', { viewer: 'a' })])
  await context.moveClock('9 days')
  await deleteOldRows(context.db, new AbortController().signal)
  expect(await context.db.run(sql`select from delivery_views`)).toBe(0)
  await report(instanceId, [receipt('delivered', { viewer: 'a' }), receipt('delivered', { viewer: 'b' })])
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1 })
})

/** Counts the rows of deliveries and their message ids that this transaction has read. */
async function rowsRead(tx: Db): Promise<number> {
  const { rows } = await tx.one<{ rows: number }>(sql`
    select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
    where relname in ('deliveries', 'matched_messages')`)
  return rows
}

test('with statistics from before the messages were sent, few rows are read', async () => {
  const [messages, receipts] = [10_000, 5000]
  const { db } = context
  const { id, instanceId } = await context.add.job({ recipients: [], status: 'Running' })
  await db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name)
    select ${id}, ${instanceId}, n || '@s.whatsapp.net', n from generate_series(1, ${messages}::int) n`)
  await db.run(sql`analyze deliveries, matched_messages`)
  await db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(),
      provider_message_id = 'm' || split_part(chat_id, '@', 1)`)
  await db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries`)
  await store(
    instanceId,
    Array.from({ length: receipts }, (_, n) => receipt('delivered', { providerMessageId: `m${n + 1}` })),
  )

  const read = await db.begin(async (tx) => {
    // In a table as small as this one, the planner would rightly read all rows.
    await tx.script(
      `set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off`,
    )
    const before = await rowsRead(tx)
    const { isTransaction: _, ...queries } = tx
    const pool = { ...queries, begin: (work) => work(tx) } as Pool // applying uses nothing else of a pool
    await applyStoredReceipts(pool)
    return (await rowsRead(tx)) - before
  })

  expect(await db.run(sql`select from deliveries where delivered_at is not null`)).toBe(receipts)
  // Its id, and its row to lock and to change. Beginning with all messages makes that four rows each.
  expect(read).toBeLessThan(3.5 * receipts)
})
