import { afterEach, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'
import { applyStoredReceipts } from './apply-stored.ts'
import { hasSlot } from './bitmap.ts'
import { openReceiptIntake, type ReceiptIntake } from './intake.ts'

const context = useEngineContext()
const group = '120363000000000001@g.us'

let intake: ReceiptIntake | undefined
afterEach(async () => {
  await intake?.close()
  intake = undefined
})

function open() {
  intake = openReceiptIntake(context.db)
  return intake
}

/** A job to one group whose message was sent with the id `m1`. */
async function sentJob(chatId = group, messageId: string | null = 'm1') {
  const job = await context.add.job({ recipients: [chatId], status: 'Completed' })
  const { id: groupId } = await context.add.group({ instanceId: job.instanceId, chatId })
  await context.db.run(sql`
    update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(), group_id = ${groupId}
    where job_id = ${job.id}`)
  if (messageId !== null) await context.match(job.id, messageId)
  return { ...job, groupId }
}

const seen = (viewer: string | null, state: Receipt['state'] = 'delivered'): Receipt => ({
  ...{ providerMessageId: 'm1', state, viewer, at: null, detail: '' },
})

const counts = async (jobId: number) =>
  (
    await context.db.many(sql`
      select delivered_members as delivered, read_members as read from deliveries where job_id = ${jobId}`)
  )[0]

const countStored = () => context.db.run(sql`select from receipt_events`)
const countBatches = () => context.db.run(sql`select from receipt_batches`)
const apply = () => applyStoredReceipts(context.db)

test('calls that come together share a row, and each member counts once', async () => {
  const { id, instanceId } = await sentJob()
  const { accept } = open()

  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      accept(instanceId, [seen(`member ${n % 100}`, n % 3 ? 'delivered' : 'read')]),
    ),
  )
  expect(await countBatches()).toBeLessThan(10)
  await apply()

  expect(await counts(id)).toEqual({ delivered: 100, read: 100 })
  expect((await countBatches()) + (await countStored())).toBe(0)
})

test('two servers and two workers at once count no member twice', async () => {
  const { id, instanceId } = await sentJob()
  const [one, two] = [open(), openReceiptIntake(context.db)]

  const calls = Array.from({ length: 60 }, (_, n) =>
    (n % 2 ? one : two).accept(instanceId, [
      seen(`member ${n % 20}`, 'read'),
      seen(`member ${(n + 7) % 20}`),
    ]),
  )
  await Promise.all([...calls, apply(), apply()])
  await two.close()
  await apply()

  expect(await counts(id)).toEqual({ delivered: 20, read: 20 })
})

test('the bits of a message say who received and who read it', async () => {
  const { id, instanceId, groupId } = await sentJob()
  await context.db.run(sql`
    insert into participants (group_id, person_id, rank) values (${groupId}, 'anna', 'member'), (${groupId}, 'bob', 'member')`)

  await open().accept(instanceId, [seen('anna', 'read'), seen('bob'), seen('somebody else')])
  await apply()

  const slots = await context.db.many<{ personId: string; slot: number }>(sql`
    select person_id, slot from participants where group_id = ${groupId} order by person_id`)
  const view = await context.db.one<{ delivered: Buffer<ArrayBuffer>; read: Buffer<ArrayBuffer> }>(sql`
    select delivered, read from delivery_views v join deliveries d using (intent) where d.job_id = ${id}`)
  expect(slots.map(({ slot }) => hasSlot(view.delivered, slot))).toEqual([true, true])
  expect(slots.map(({ slot }) => hasSlot(view.read, slot))).toEqual([true, false])
  expect(await counts(id)).toEqual({ delivered: 3, read: 1 })
})

test('a NUL in a name, which PostgreSQL can’t store, is left out', async () => {
  const { id, instanceId } = await sentJob(group, null)

  await open().accept(instanceId, [seen('bob\0')])
  await apply()
  await context.match(id, 'm1')
  await context.moveClock('2 seconds')
  await apply()

  expect(await counts(id)).toEqual({ delivered: 1, read: 0 })
})

test('a stop stores the receipts that wait, in more than one batch too', async () => {
  const { instanceId } = await sentJob()
  const { accept, close } = open()
  const many = Array.from({ length: 5_000 }, (_, n) => seen(`member ${n}`))
  const calls = [many, many, [seen('anna')]].map((receipts) => accept(instanceId, receipts))
  await close()

  await Promise.all(calls)
  expect(await countBatches()).toBe(3)
})

test('while the database is slow, only so many receipts wait, and further calls are refused', async () => {
  const { instanceId } = await sentJob()
  const { accept } = open()
  const many = Array.from({ length: 5_000 }, (_, n) => seen(`member ${n}`))
  const other = connect(context.database.address, { max: 1, applicationName: 'sendroom test' })
  const { calls } = await other.begin(async (tx) => {
    await tx.run(sql`lock table receipt_batches in access exclusive mode`)
    const waiting = Array.from({ length: 10 }, () => accept(instanceId, many))
    await expect(accept(instanceId, [seen('one too many')])).rejects.toMatchObject({ code: 'unavailable' })
    return { calls: waiting }
  })
  await other.end()

  await Promise.all(calls)
  await accept(instanceId, [seen('later')])
})
