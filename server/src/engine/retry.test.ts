import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { sql } from '../platform/database/sql.ts'
import { claimAccounts } from './claim.ts'
import { cancelJob, pauseJob, recipientCounts, retryFailed } from './index.ts'

const world = useEngineWorld()

const people = (count: number) => Array.from({ length: count }, (_, n) => `849${n}@s.whatsapp.net`)
const rest = { includeUnknown: false }

async function untilStatus(jobId: number, status: string) {
  await world.until(async () => (await world.jobStatus(jobId)) === status)
}

/** Those that are named get this answer, the others the message. */
function refusing(...names: string[]) {
  const scripted = world.scripted()
  const refused = new Set(names)
  scripted.script.onSend = (send) =>
    refused.has(send.to)
      ? { kind: 'rejected', reason: { code: 'not_on_whatsapp', params: {} } }
      : scripted.accept(send)
  return { ...scripted, accepting: () => refused.clear() }
}

test('the failed get it, the sent do not get it again, and the run goes on with its log', async () => {
  const { provider, ledger, accepting } = refusing('8491@s.whatsapp.net', '8493@s.whatsapp.net')
  const job = await world.add.job({ recipients: people(5) })
  world.worker(provider)
  await untilStatus(job.id, 'Completed')
  const before = await world.db.maybeOne(sql`select started_at, run from jobs where id = ${job.id}`)
  expect(await recipientCounts(world.db, job.id)).toMatchObject({ sent: 3, failed: 2, unknown: 0 })

  accepting()
  expect(await retryFailed(world.db, job.id, 'Ann', rest)).toBe('done')
  await untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to).sort()).toEqual(people(5).sort())
  expect(await recipientCounts(world.db, job.id)).toMatchObject({ total: 5, sent: 5, failed: 0, waiting: 0 })
  expect((await world.log(job.id)).filter((code) => code !== 'delivery_failed')).toEqual([
    'job_started',
    'job_completed',
    'job_retried',
    'job_started',
    'job_completed',
  ])
  expect((await world.db.many(sql`select started_at, run from jobs where id = ${job.id}`))[0]).toEqual(before)
})

test('after a cancel the skipped get it, in their order, without a walk over the others', async () => {
  const { provider, ledger } = refusing('8490@s.whatsapp.net')
  const job = await world.add.job({ recipients: people(10) })
  const { db } = world
  await db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
  // One failed, three sent; then cancelled.
  await db.run(sql`
    update deliveries d set status = case when n = 1 then 'failed' else 'sent' end, attempt = 1,
      reason = case when n = 1 then '{"code": "not_on_whatsapp", "params": {}}'::jsonb end
    from (select id, row_number() over (order by id) as n from deliveries where job_id = ${job.id}) o
    where d.id = o.id and n <= 4`)
  await cancelJob(db, job.id, 'Ann')

  expect(await retryFailed(db, job.id, 'Ann', rest)).toBe('done')

  const queued = await db.many<{ chatId: string; isGivenBack: boolean }>(sql`
    select d.chat_id, d.not_before > 'epoch' as is_given_back from deliveries d
      join jobs j on j.id = d.job_id and (d.not_before > 'epoch' or d.id >= j.fresh_from)
    where d.job_id = ${job.id} order by d.id`)
  expect(queued.map(({ isGivenBack }) => isGivenBack)).toEqual([true, ...Array(6).fill(false)])
  world.worker(provider)
  await untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual(people(10).slice(4))
  expect(await recipientCounts(db, job.id)).toMatchObject({ sent: 9, failed: 1, skipped: 0 })
})

test('those of whom nobody knows go back only when that is asked for', async () => {
  const { provider, ledger } = world.scripted()
  const job = await world.add.job({ status: 'Failed', deliveryStatus: 'failed' })
  await world.db.run(sql`
    update deliveries set reason = '{"code": "outcome_unknown", "params": {}}' where job_id = ${job.id}`)

  expect(await recipientCounts(world.db, job.id)).toMatchObject({ failed: 3, unknown: 3 })
  expect(await retryFailed(world.db, job.id, 'Ann', rest)).toBe('nothing')
  expect(await world.jobStatus(job.id)).toBe('Failed')
  expect(await retryFailed(world.db, job.id, 'Ann', { includeUnknown: true })).toBe('done')

  world.worker(provider)
  await untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(3)
})

test('nothing to send, not ended, or not settled: nothing changes', async () => {
  const { db } = world
  const done = await world.add.job({ status: 'Completed', deliveryStatus: 'sent' })
  expect(await retryFailed(db, done.id, 'Ann', rest)).toBe('nothing')

  const running = await world.add.job({ status: 'Running' })
  expect(await retryFailed(db, running.id, 'Ann', rest)).toBe('not_allowed')

  const [claim] = await claimAccounts(db, 10)
  if (!claim) throw new Error('Nothing was claimed')
  expect(await world.ask(claim)).toMatchObject({ kind: 'send' })
  await cancelJob(db, running.id, 'Ann')
  expect(await retryFailed(db, running.id, 'Ann', rest)).toBe('settling')
  expect(await world.statuses(running.id)).toEqual(['sending', 'skipped', 'skipped'])
})

test('a message that was accepted and then failed stays known, and its recipient gets a new one', async () => {
  const { provider } = world.scripted()
  const job = await world.add.job({ status: 'Completed', deliveryStatus: 'failed', recipients: ['1@g.us'] })
  await world.credit(job.id, 'failed-later')

  expect(await retryFailed(world.db, job.id, 'Ann', rest)).toBe('done')
  world.worker(provider)
  await untilStatus(job.id, 'Completed')

  expect(
    await world.db.many(
      sql`select provider_message_id from credited_messages where instance_id = ${job.instanceId} and freed_at is not null`,
    ),
  ).toEqual([{ providerMessageId: 'failed-later' }])
  expect((await world.deliveries(job.id))[0]?.providerMessageId).toBe('message-1')
})

test('while some wait again, a pause holds them back like any others', async () => {
  const { provider, ledger } = world.scripted()
  const job = await world.add.job({ status: 'Failed', deliveryStatus: 'failed' })
  await retryFailed(world.db, job.id, 'Ann', rest)
  await pauseJob(world.db, job.id, 'Ann')
  world.worker(provider)
  await untilStatus(job.id, 'Running')
  const other = await world.add.job({ instanceId: job.instanceId })
  await untilStatus(other.id, 'Completed')

  expect(ledger).toHaveLength(3)
  expect(await world.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
})
