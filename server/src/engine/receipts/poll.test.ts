import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { applyStoredReceipts } from './apply-stored.ts'
import { openPolling } from './poll.ts'

const context = useEngineContext()
const people = ['84900000001@s.whatsapp.net', '84900000002@s.whatsapp.net']

/**
 * Adds an instance of the live provider without a webhook, or with these columns, and a job that a worker has sent for
 * it.
 */
async function sentJob(columns: object = {}) {
  const scripted = scriptedProvider()
  const polled: string[] = []
  let isMetered = false
  let fails = false
  const provider = {
    ...scripted.provider,
    isMetered: async () => isMetered,
    messageStatus: async (_instance: unknown, chatId: string, providerMessageId: string) => {
      polled.push(chatId)
      if (fails) throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
      return [{ providerMessageId, state: 'delivered' as const, viewer: null, at: null, detail: '' }]
    },
  }
  const instance = await context.add.instance({ token: `live-${Math.random()}`, ...columns })
  const job = await context.add.job({ instanceId: instance.id, recipients: people })
  const engine = context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  await engine.stop()
  const deps = context.deps(provider)
  return {
    ...{ job, instance, polled },
    setMetered: () => {
      isMetered = true
    },
    setFailing: (isFailing: boolean) => {
      fails = isFailing
    },
    /** Polls what is due. Returns the number of polls. */
    async poll() {
      const polls = await openPolling(deps)()
      await applyStoredReceipts(context.db)
      return polls
    },
  }
}

test('without a webhook, an instance is polled for one message at a time, less and less often, for a day', async () => {
  const { job, polled, poll } = await sentJob()
  expect(await poll()).toBe(0)
  await context.moveClock('20 seconds')
  expect(await poll()).toBe(1)
  expect(await poll()).toBe(0)
  await context.moveClock('11 seconds')
  expect(await poll()).toBe(1)
  expect([...polled].sort()).toEqual(people)
  const row = await context.db.maybeOne(sql`
    select count(*) filter (where delivered_at is not null) as delivered from deliveries where job_id = ${job.id}`)
  expect(row).toEqual({ delivered: 2 })
  for (let minutes = 0; minutes < 2 * 24 * 60; minutes += 5) {
    await context.moveClock('5 minutes')
    await poll()
  }
  expect(polled.length).toBeGreaterThan(8)
  expect(polled.length).toBeLessThanOrEqual(14)
})

test('an instance with a webhook or in test mode is not polled', async () => {
  const withWebhook = await sentJob({ webhookBase: 'https://send.example' })
  await context.moveClock('1 minute')
  expect(await withWebhook.poll()).toBe(0)
  const inTestMode = await sentJob({ token: `test_linked_${Math.random()}` })
  await context.moveClock('1 minute')
  expect(await inTestMode.poll()).toBe(0)
})

test('a poll without an answer is repeated, however old the message is', async () => {
  const { job, poll, setFailing } = await sentJob()
  await context.moveClock('7 hours')
  setFailing(true)
  expect(await poll()).toBe(1)
  setFailing(false)
  for (let tries = 0; tries < 4; tries++) {
    await context.moveClock('61 minutes')
    await poll()
  }
  const row = await context.db.maybeOne(sql`
    select count(*) filter (where delivered_at is not null) as delivered, count(ask_at) as open
    from deliveries where job_id = ${job.id}`)
  expect(row).toEqual({ delivered: 2, open: 0 })
})

test('an instance in trouble is not polled, but one that stopped after ten failures is', async () => {
  const { instance, poll } = await sentJob()
  await context.moveClock('1 minute')
  const setWaiting = (code: string) =>
    context.db.run(sql`
    update instances set waiting = ${json({ code, params: {} })} where id = ${instance.id}`)
  await setWaiting('account_not_linked')
  expect(await poll()).toBe(0)
  await setWaiting('account_failures')
  expect(await poll()).toBe(1)
})

test('a trial channel is not polled, because each call counts', async () => {
  const { polled, poll, setMetered } = await sentJob()
  setMetered()
  await context.moveClock('1 minute')
  expect(await poll()).toBe(1)
  await context.moveClock('1 hour')
  expect(await poll()).toBe(0)
  expect(polled).toEqual([])
})
