import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { sql } from '../platform/database/sql.ts'
import type { Receipt } from '../providers/provider.ts'
import { restartJob } from './life.ts'
import { applyReceipts, forgetReceipts, storeReceipts } from './receipts.ts'
import { recipientCounts } from './view.ts'

const world = useEngineWorld()
const person = '84901234567@s.whatsapp.net'
const group = '120363000000000001@g.us'

/** A job whose one message went out an hour ago, with the id `id`. */
async function sentJob(chatId = person, id: string | null = 'm1') {
  const job = await world.add.job({ recipients: [chatId], status: 'Completed' })
  await world.db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = '2026-01-01T00:00:00Z'
    where job_id = ${job.id}`)
  if (id !== null) await world.credit(job.id, id)
  return job
}

/** The time of each word, so many seconds after the message went out. */
const seconds = { sent: 1, delivered: 10, read: 20, failed: 5 }
const at = (word: keyof typeof seconds) => `2026-01-01T00:00:${String(seconds[word]).padStart(2, '0')}.000Z`

function receipt(word: 'delivered' | 'read' | 'failed', more: Partial<Receipt> = {}): Receipt {
  const detail = word === 'failed' ? 'forbidden' : ''
  return { providerMessageId: 'm1', state: word, viewer: null, at: at(word), detail, ...more }
}

type Row = Record<
  'status' | 'deliveredAt' | 'readAt' | 'deliveredMembers' | 'readMembers' | 'reason',
  unknown
>
const rowOf = async (jobId: number) =>
  (
    await world.db.many<Row>(sql`
      select status, delivered_at, read_at, delivered_members, read_members, reason
      from deliveries where job_id = ${jobId}`)
  )[0]

/** Each time apart, as they come over hours; what waits for its delivery has its turn again. */
async function tell(instanceId: number, receipts: Receipt[]) {
  for (const one of receipts) {
    await storeReceipts(world.db, instanceId, [one])
    await world.moveClock('3 seconds')
    await applyReceipts(world.db)
  }
}

const left = async () => await world.db.run(sql`select from receipt_events`)

function permutations<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  )
}

// The database's clock, moved to the day of the messages, so that nothing is too old.
const onTheDay = () =>
  world.db.run(sql`update test_clock set ahead = timestamptz '2026-01-01 01:00Z' - now()`)

const words = ['delivered', 'read', 'failed'] as const
const orders = words
  .flatMap((_, n) => permutations([...words]).map((order) => order.slice(0, n + 1)))
  .flatMap((order) => [order, [...order, ...order]])
const unique = [...new Map(orders.map((order) => [order.join(', '), order])).values()]

test.each(unique.map((order) => ({ order })))(
  'a person’s $order end the same in any order',
  async ({ order }) => {
    await onTheDay()
    const { id, instanceId } = await sentJob()
    await tell(
      instanceId,
      order.map((word) => receipt(word)),
    )
    const isSeen = order.includes('delivered') || order.includes('read')
    const first = order.includes('delivered') ? at('delivered') : at('read')
    expect(await rowOf(id)).toMatchObject({
      status: isSeen ? 'sent' : 'failed',
      deliveredAt: isSeen ? first : null,
      readAt: order.includes('read') ? at('read') : null,
      reason: isSeen ? null : { code: 'receipt_failed', params: { detail: 'forbidden' } },
    })
    // A failure that came too late or was wrong waits in vain, and is forgotten.
    await world.moveClock('1 hour')
    await forgetReceipts(world.db)
    expect(await left()).toBe(0)
  },
)

const memberTells = [
  receipt('delivered', { viewer: 'a' }),
  receipt('read', { viewer: 'a' }),
  receipt('read', { viewer: 'b' }),
  receipt('failed', { viewer: 'c' }),
]
test.each(permutations(memberTells).map((order, n) => ({ order, n })))(
  'a group’s members are each counted once, whatever the order ($n)',
  async ({ order }) => {
    await onTheDay()
    const { id, instanceId } = await sentJob(group)
    await tell(instanceId, [...order, ...order])
    expect(await rowOf(id)).toEqual({
      status: 'sent',
      deliveredAt: at('delivered'),
      readAt: at('read'),
      deliveredMembers: 2,
      readMembers: 2,
      reason: null,
    })
    expect(await left()).toBe(0)
  },
)

test('all at once is as one after another', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(group)
  const members = Array.from({ length: 1500 }, (_, n) => `member ${n}`)
  await storeReceipts(
    world.db,
    instanceId,
    members.flatMap((viewer, n) => [
      receipt('delivered', { viewer }),
      receipt('delivered', { viewer }),
      ...(n < 100 ? [receipt('read', { viewer })] : []),
    ]),
  )
  const jobs = await applyReceipts(world.db)
  expect(new Set(jobs.map(({ jobId }) => jobId))).toEqual(new Set([id]))
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1500, readMembers: 100 })
})

test('two workers at once count nobody twice', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(group)
  for (let n = 0; n < 40; n++)
    await storeReceipts(world.db, instanceId, [receipt('delivered', { viewer: `member ${n % 20}` })])
  await world.until(async () => {
    await Promise.all([1, 2, 3].map(() => applyReceipts(world.db)))
    await world.moveClock('2 seconds')
    return (await left()) === 0
  })
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 20, readMembers: 0 })
})

test('one that comes before the answer to the send finds its message later', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(person, null)
  await tell(instanceId, [receipt('read'), receipt('delivered')])
  expect(await left()).toBe(2)
  await world.credit(id, 'm1')
  await world.moveClock('1 minute')
  await applyReceipts(world.db)
  expect(await rowOf(id)).toMatchObject({ deliveredAt: at('delivered'), readAt: at('read') })
})

test('what came while no worker ran is not forgotten before its message is found', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(person, null)
  await storeReceipts(world.db, instanceId, [receipt('delivered')])
  await world.moveClock('20 minutes')
  world.worker(world.scripted().provider)
  await world.until(
    async () => (await world.db.run(sql`select from receipt_events where try_at <= received_at`)) === 0,
  )
  await world.credit(id, 'm1')
  await world.moveClock('1 minute')
  await world.until(async () => (await rowOf(id))?.deliveredAt === at('delivered'))
})

test('ids of others, of another account, and of a former run change nothing and are forgotten', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob()
  const other = await sentJob(person, 'm2')
  await tell(instanceId, [receipt('read', { providerMessageId: 'm2' })])
  expect(await rowOf(other.id)).toMatchObject({ readAt: null })
  expect(await restartJob(world.db, id, 'somebody')).toBe('done')
  await tell(instanceId, [receipt('delivered'), receipt('failed')])
  expect(await rowOf(id)).toMatchObject({ status: 'queued', deliveredAt: null })
  await world.moveClock('20 minutes')
  await forgetReceipts(world.db)
  expect(await left()).toBe(0)
})

test('a new run begins without receipts, and counts its members anew', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(group)
  await tell(instanceId, [receipt('read', { viewer: 'a' })])
  await restartJob(world.db, id, 'somebody')
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 0, readMembers: 0, deliveredAt: null })
  await world.db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = '2026-01-01T00:00:00Z'
    where job_id = ${id}`)
  await world.credit(id, 'm9')
  await tell(instanceId, [receipt('delivered', { providerMessageId: 'm9', viewer: 'a' })])
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1, readMembers: 0 })
})

test('one that failed is counted so, with its reason in the log; the job stays Completed', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob()
  const sentCount = async () =>
    (await world.db.many(sql`select sum(sent) from sent_counts where instance_id = ${instanceId}`))[0]?.sum
  expect(await sentCount()).toBe(1)
  await tell(instanceId, [receipt('failed'), receipt('failed')])
  expect(await recipientCounts(world.db, id)).toMatchObject({ total: 1, sent: 0, failed: 1, delivered: 0 })
  expect(await sentCount()).toBe(0)
  expect(await world.jobStatus(id)).toBe('Completed')
  expect(await world.log(id)).toEqual(['delivery_failed'])
})

test('times the provider can’t mean are put right: not before the message, not in the future', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob()
  await tell(instanceId, [receipt('delivered', { at: '2020-01-01T00:00:00.000Z' })])
  await tell(instanceId, [receipt('read', { at: '2030-01-01T00:00:00.000Z' })])
  const row = await rowOf(id)
  expect(row?.deliveredAt).toBe('2026-01-01T00:00:00.000Z')
  expect(String(row?.readAt) < '2026-01-01T02').toBe(true)
})

test('who got what is forgotten after a week, and the counts stay', async () => {
  await onTheDay()
  const { id, instanceId } = await sentJob(group)
  await tell(instanceId, [receipt('delivered', { viewer: 'a' })])
  await world.moveClock('9 days')
  await forgetReceipts(world.db)
  expect(await world.db.run(sql`select from delivery_viewers`)).toBe(0)
  await tell(instanceId, [receipt('delivered', { viewer: 'a' }), receipt('delivered', { viewer: 'b' })])
  expect(await rowOf(id)).toMatchObject({ deliveredMembers: 1 })
})
