import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { json, sql } from '../platform/database/sql.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { claimAsks, openAsking } from './ask.ts'
import { applyReceipts } from './receipts.ts'

const world = useEngineWorld()
const people = ['84900000001@s.whatsapp.net', '84900000002@s.whatsapp.net']

/** A job that a worker has sent for a live account without a webhook (or with these columns). */
async function sentJob(columns: object = {}) {
  const scripted = world.scripted()
  const asked: string[] = []
  let isMetered = false
  let fails = false
  const provider = {
    ...scripted.provider,
    isMetered: async () => isMetered,
    messageStatus: async (_account: unknown, chatId: string, providerMessageId: string) => {
      asked.push(chatId)
      if (fails) throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
      return [{ providerMessageId, state: 'delivered' as const, viewer: null, at: null, detail: '' }]
    },
  }
  const account = await world.add.instance({ token: `live-${Math.random()}`, ...columns })
  const job = await world.add.job({ instanceId: account.id, recipients: people })
  const engine = world.worker(provider)
  await world.until(async () => (await world.jobStatus(job.id)) === 'Completed')
  await engine.stop()
  const parts = world.parts(provider)
  return {
    ...{ job, account, asked },
    metered: () => {
      isMetered = true
    },
    failing: (does: boolean) => {
      fails = does
    },
    /** Asks what is due; says how many were. */
    async ask() {
      const due = await claimAsks(world.db, 10)
      const askAbout = openAsking(parts)
      for (const one of due) await askAbout(one)
      await applyReceipts(world.db)
      return due.length
    },
  }
}

test('without a webhook an account is asked about one message at a time, ever more rarely, for a day', async () => {
  const { job, asked, ask } = await sentJob()
  expect(await ask()).toBe(0)
  await world.moveClock('20 seconds')
  expect(await ask()).toBe(1)
  expect(await ask()).toBe(0)
  await world.moveClock('11 seconds')
  expect(await ask()).toBe(1)
  expect([...asked].sort()).toEqual(people)
  const row = await world.db.maybeOne(sql`
    select count(*) filter (where delivered_at is not null) as delivered from deliveries where job_id = ${job.id}`)
  expect(row).toEqual({ delivered: 2 })
  for (let minutes = 0; minutes < 2 * 24 * 60; minutes += 5) {
    await world.moveClock('5 minutes')
    await ask()
  }
  expect(asked.length).toBeGreaterThan(8)
  expect(asked.length).toBeLessThanOrEqual(14)
})

test('an account with a webhook is not asked, nor is one in test mode', async () => {
  const told = await sentJob({ webhookBase: 'https://send.example' })
  await world.moveClock('1 minute')
  expect(await told.ask()).toBe(0)
  const simulated = await sentJob({ token: `test_linked_${Math.random()}` })
  await world.moveClock('1 minute')
  expect(await simulated.ask()).toBe(0)
})

test('a question without an answer is asked again, however old the message is by then', async () => {
  const { job, ask, failing } = await sentJob()
  await world.moveClock('7 hours')
  failing(true)
  expect(await ask()).toBe(1)
  failing(false)
  for (let tries = 0; tries < 4; tries++) {
    await world.moveClock('61 minutes')
    await ask()
  }
  const row = await world.db.maybeOne(sql`
    select count(*) filter (where delivered_at is not null) as delivered, count(ask_at) as open
    from deliveries where job_id = ${job.id}`)
  expect(row).toEqual({ delivered: 2, open: 0 })
})

test('an account in trouble is not asked; one that stopped after ten failures is', async () => {
  const { account, ask } = await sentJob()
  await world.moveClock('1 minute')
  const wait = (code: string) =>
    world.db.run(sql`
    update instances set waiting = ${json({ code, params: {} })} where id = ${account.id}`)
  await wait('account_not_linked')
  expect(await ask()).toBe(0)
  await wait('account_failures')
  expect(await ask()).toBe(1)
})

test('on a trial nothing is asked: each call counts', async () => {
  const { asked, ask, metered } = await sentJob()
  metered()
  await world.moveClock('1 minute')
  expect(await ask()).toBe(1)
  await world.moveClock('1 hour')
  expect(await ask()).toBe(0)
  expect(asked).toEqual([])
})
