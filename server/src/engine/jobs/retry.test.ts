import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { sql } from '../../platform/database/sql.ts'
import { cancelJob, pauseJob, recipientCounts, restartJob, retryFailed } from '../index.ts'

const context = useEngineContext()

const onlyKnown = { includeUnknown: false }

/** A provider that refuses these chats until `acceptAll` is called. */
function refusingProvider(...chats: string[]) {
  const scripted = scriptedProvider()
  const refused = new Set(chats)
  scripted.script.onSend = (send) =>
    refused.has(send.to)
      ? { kind: 'rejected', reason: { code: 'not_on_whatsapp', params: {} } }
      : scripted.accept(send)
  return { ...scripted, acceptAll: () => refused.clear() }
}

test('a retry sends to the failed recipients only, in the same job run and log', async () => {
  const { provider, ledger, acceptAll } = refusingProvider('8491@s.whatsapp.net', '8493@s.whatsapp.net')
  const job = await context.add.job({ recipients: people(5) })
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  const before = await context.db.maybeOne(sql`select started_at, run from jobs where id = ${job.id}`)
  expect(await recipientCounts(context.db, job.id)).toMatchObject({ sent: 3, failed: 2, unknown: 0 })

  acceptAll()
  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')
  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to }) => to).sort()).toEqual(people(5).sort())
  expect(await recipientCounts(context.db, job.id)).toMatchObject({
    total: 5,
    sent: 5,
    failed: 0,
    waiting: 0,
  })
  expect((await context.log(job.id)).filter((code) => code !== 'delivery_failed')).toEqual([
    'job_started',
    'job_completed',
    'job_retried',
    'job_started',
    'job_completed',
  ])
  expect((await context.db.many(sql`select started_at, run from jobs where id = ${job.id}`))[0]).toEqual(
    before,
  )
})

test('a retry after a cancel sends to the skipped recipients in order, and the cursor skips the sent ones', async () => {
  const { provider, ledger } = refusingProvider('8490@s.whatsapp.net')
  const job = await context.add.job({ recipients: people(10) })
  const { db } = context
  await db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
  // The first recipient fails, the next three are sent, and the cancel skips the others.
  await db.run(sql`
    update deliveries d set status = case when n = 1 then 'failed' else 'sent' end, attempt = 1,
      reason = case when n = 1 then '{"code": "not_on_whatsapp", "params": {}}'::jsonb end
    from (select id, row_number() over (order by id) as n from deliveries where job_id = ${job.id}) o
    where d.id = o.id and n <= 4`)
  await db.begin((tx) => cancelJob(tx, job.id, 'Ann'))

  expect(await db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')

  const queued = await db.many<{ chatId: string; isRequeued: boolean }>(sql`
    select d.chat_id, d.not_before > 'epoch' as is_requeued from deliveries d
      join jobs j on j.id = d.job_id and (d.not_before > 'epoch' or d.id >= j.cursor)
    where d.job_id = ${job.id} order by d.id`)
  expect(queued.map(({ isRequeued }) => isRequeued)).toEqual([true, ...Array(6).fill(false)])
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual(people(10).slice(4))
  expect(await recipientCounts(db, job.id)).toMatchObject({ sent: 9, failed: 1, skipped: 0 })
})

test('recipients with an unknown outcome are retried only on request', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await context.add.job({ status: 'Failed', deliveryStatus: 'failed' })
  await context.db.run(sql`
    update deliveries set reason = '{"code": "outcome_unknown", "params": {}}' where job_id = ${job.id}`)

  expect(await recipientCounts(context.db, job.id)).toMatchObject({ failed: 3, unknown: 3 })
  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('nothing')
  expect(await context.jobStatus(job.id)).toBe('Failed')
  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: true }))).toBe(
    'done',
  )

  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(3)
})

test('a retry is refused if there is nothing to send, the job has not ended, or a message is in flight', async () => {
  const { db } = context
  const done = await context.add.job({ status: 'Completed', deliveryStatus: 'sent' })
  expect(await db.begin((tx) => retryFailed(tx, done.id, 'Ann', onlyKnown))).toBe('nothing')

  const running = await context.add.job({ status: 'Running' })
  expect(await db.begin((tx) => retryFailed(tx, running.id, 'Ann', onlyKnown))).toBe('not_allowed')

  expect(await context.writeIntent(await context.claimOne())).toMatchObject({ kind: 'send' })
  await db.begin((tx) => cancelJob(tx, running.id, 'Ann'))
  expect(await db.begin((tx) => retryFailed(tx, running.id, 'Ann', onlyKnown))).toBe('settling')
  expect(await context.statuses(running.id)).toEqual(['sending', 'skipped', 'skipped'])
})

test('a job counts its failed recipients through a late failure, a retry and a restart', async () => {
  const { provider, acceptAll } = refusingProvider('8491@s.whatsapp.net', '8493@s.whatsapp.net')
  const { db } = context
  const job = await context.add.job({ recipients: people(5) })
  const failedCount = async () => {
    const { failedCount, hasFailures } = await db.one<{ failedCount: number; hasFailures: boolean }>(sql`
      select failed_count, has_failures from jobs where id = ${job.id}`)
    expect(hasFailures).toBe(failedCount > 0)
    return failedCount
  }
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(await failedCount()).toBe(2)

  // As a receipt does that reports a failure, and a result that comes after the look-ups gave up.
  await db.run(
    sql`update deliveries set status = 'failed' where job_id = ${job.id} and chat_id = '8492@s.whatsapp.net'`,
  )
  expect(await failedCount()).toBe(3)
  await db.run(
    sql`update deliveries set status = 'sent' where job_id = ${job.id} and chat_id = '8492@s.whatsapp.net'`,
  )
  expect(await failedCount()).toBe(2)

  acceptAll()
  await db.run(sql`
    update deliveries set reason = '{"code": "outcome_unknown", "params": {}}'
    where job_id = ${job.id} and chat_id = '8491@s.whatsapp.net'`)
  expect(await db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')
  await context.untilStatus(job.id, 'Completed')
  expect(await failedCount()).toBe(1)

  expect(await db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await failedCount()).toBe(0)
  await context.untilStatus(job.id, 'Completed')
  expect(await failedCount()).toBe(0)
})

test('a message that failed after it was accepted stays matched, and a retry sends a new one', async () => {
  const { provider } = scriptedProvider()
  const job = await context.add.job({ status: 'Completed', deliveryStatus: 'failed', recipients: ['1@g.us'] })
  await context.match(job.id, 'failed-later')

  expect(await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))).toBe('done')
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')

  expect(
    await context.db.many(
      sql`select provider_message_id from matched_messages where instance_id = ${job.instanceId} and released_at is not null`,
    ),
  ).toEqual([{ providerMessageId: 'failed-later' }])
  expect((await context.deliveries(job.id))[0]?.providerMessageId).toBe('message-1')
})

test('a pause holds back retried deliveries too', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await context.add.job({ status: 'Failed', deliveryStatus: 'failed' })
  await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', onlyKnown))
  await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))
  context.worker(provider)
  await context.untilStatus(job.id, 'Running')
  const other = await context.add.job({ instanceId: job.instanceId })
  await context.untilStatus(other.id, 'Completed')

  expect(ledger).toHaveLength(3)
  expect(await context.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
})
