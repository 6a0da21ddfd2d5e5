import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { sql } from '../../platform/database/sql.ts'
import { countUnsettled, forgetDeliveries, recipientCounts, restartJob, skipForgotten } from '../index.ts'

const context = useEngineContext()
const [chat = '', other = ''] = people(2)

const requestToForget = () =>
  context.db.run(sql`
    insert into forget_requests (phone, identities, requested_by_user_name)
    values (${chat.split('@')[0]}, ${[`phone ${chat.split('@')[0]}`]}, 'An')
    on conflict do nothing`)

const forget = () => context.db.begin((tx) => forgetDeliveries(tx, [chat], 100))

// R-2103
test('a message without a result is waited for, and then keeps its count only', async () => {
  const job = await context.add.job({ recipients: [chat], status: 'Running' })
  const { message } = await context.beginSend()
  await requestToForget()
  await skipForgotten(context.db, [chat])
  expect(await context.db.begin((tx) => countUnsettled(tx, [chat]))).toBe(1)
  expect(await forget()).toBe(0)

  await context.settle(message, { kind: 'sent', providerMessageId: 'm' })
  expect(await context.db.begin((tx) => countUnsettled(tx, [chat]))).toBe(0)
  const counts = await recipientCounts(context.db, job.id)
  expect(await forget()).toBe(1)
  expect(await forget()).toBe(0)

  expect(await context.deliveries(job.id)).toMatchObject([
    {
      status: 'sent',
      chatId: expect.stringMatching(/^forgotten-\d+@s\.whatsapp\.net$/),
      providerMessageId: 'm',
    },
  ])
  expect(await recipientCounts(context.db, job.id)).toEqual(counts)
  await context.db.run(sql`delete from forget_requests`)
})

// R-2129
test('a message that was not sent and is queued again is waited for, until the next look skips it', async () => {
  const job = await context.add.job({ recipients: [chat], status: 'Running' })
  await context.beginSend()
  await requestToForget()
  await skipForgotten(context.db, [chat])
  await context.db.run(sql`update deliveries set status = 'queued' where job_id = ${job.id}`)
  expect(await context.db.begin((tx) => countUnsettled(tx, [chat]))).toBe(1)
  await skipForgotten(context.db, [chat])
  expect(await context.db.begin((tx) => countUnsettled(tx, [chat]))).toBe(0)
  expect(await context.statuses(job.id)).toEqual(['skipped'])
  await context.db.run(sql`delete from forget_requests`)
})

// R-2103
test('what is queued for a number that is being forgotten is skipped, whatever the job does', async () => {
  const { provider, ledger } = scriptedProvider()
  const [running, paused] = [
    await context.add.job({ recipients: [chat, other] }),
    await context.add.job({ recipients: [other, chat], pausedAt: '2026-01-01T00:00:00Z' }),
  ]
  await requestToForget()
  context.worker(provider)
  await context.untilStatus(running.id, 'Completed')
  await skipForgotten(context.db, [chat])

  expect(ledger.map(({ to }) => to)).toEqual([other])
  expect(await context.statuses(running.id)).toEqual(['skipped', 'sent'])
  expect(await context.deliveries(paused.id)).toMatchObject([
    { status: 'queued' },
    { status: 'skipped', reason: { code: 'forgotten' } },
  ])
  await context.db.run(sql`delete from forget_requests`)
})

// R-2103
test('a restarted job sends nothing to who was forgotten', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await context.add.job({
    recipients: [chat, other],
    status: 'Completed',
    deliveryStatus: 'sent',
  })
  await forget()
  expect(await context.db.begin((tx) => restartJob(tx, job.id, 'An'))).toBe('done')
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(ledger.map(({ to }) => to)).toEqual([other])
  expect(await context.statuses(job.id)).toEqual(['skipped', 'sent'])
})

// R-2130
test('of a job’s log only lines about the recipient lose a name, and what WhatsApp said of them', async () => {
  const job = await context.add.job({
    recipients: [chat, other],
    status: 'Completed',
    deliveryStatus: 'failed',
  })
  const said = JSON.stringify({ code: 'refused', params: { detail: '+84 912 345 678 is unknown' } })
  await context.db.script(`
    update deliveries set recipient_name = 'An', reason = '${said}' where chat_id = '${chat}';
    update deliveries set recipient_name = 'An Bình' where chat_id = '${other}';
    insert into job_logs (job_id, log_level, reason) values
      (${job.id}, 'Error', '{"code": "delivery_failed", "params": {"recipient": "An", "why": "refused", "detail": "+84 912 345 678"}}'),
      (${job.id}, 'Error', '{"code": "delivery_failed", "params": {"recipient": "An Bình", "why": "refused", "detail": "An unknown error"}}'),
      (${job.id}, 'Info', '{"code": "job_retried", "params": {"user": "An", "count": 2}}');`)
  expect(await forget()).toBe(1)
  const logs = await context.db.many(
    sql`select reason->'params' as params from job_logs where job_id = ${job.id} order by id`,
  )
  expect(logs.map(({ params }) => params)).toEqual([
    { recipient: '–', why: 'refused', detail: '–' },
    { recipient: 'An Bình', why: 'refused', detail: 'An unknown error' },
    { user: 'An', count: 2 },
  ])
  expect((await context.deliveries(job.id))[0]).toMatchObject({
    reason: { code: 'refused', params: { detail: '–' } },
  })
})
