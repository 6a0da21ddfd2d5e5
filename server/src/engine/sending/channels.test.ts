import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import type { Receipt } from '../../providers/provider.ts'
import { openHeartbeat } from '../history/heartbeat.ts'
import { claimLookUps } from '../in-doubt/look-up.ts'
import { markInDoubt } from '../in-doubt/mark-in-doubt.ts'
import { applyStoredReceipts } from '../receipts/apply-stored.ts'
import { storeBatch } from '../receipts/store.ts'

// Tests what is different in a channel: docs/decisions/0043-channels.md.

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const CHANNEL = '120363171743427809@newsletter'

/** Adds a job to these chats, each with its row of `groups`. */
async function jobTo(chatIds: string[], columns: Record<string, unknown> & { instanceId?: number } = {}) {
  const job = await context.add.job({ recipients: chatIds, jobType: 'SendToGroups', ...columns })
  for (const chatId of chatIds) {
    const { id } = await context.add.group({ instanceId: job.instanceId, chatId })
    await context.db.run(sql`
      update deliveries set group_id = ${id} where job_id = ${job.id} and chat_id = ${chatId}`)
  }
  return job
}

/** A post whose worker has died between intent and settle. */
async function afterDeath() {
  const scripted = scriptedProvider()
  const job = await jobTo([CHANNEL], { status: 'Running', textContent: 'Only today' })
  await context.beginSend()
  return { ...scripted, job }
}

// R-1805
test('a job posts to groups and channels alike, each once', async () => {
  const { provider, calls } = scriptedProvider()
  const job = await jobTo(['1@g.us', CHANNEL])
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends.map(({ to }) => to)).toEqual(['1@g.us', CHANNEL])
})

// R-1806
test('a post that is not found in its channel is never sent again: its outcome is unknown', async () => {
  const { provider, calls, job } = await afterDeath()
  context.worker(provider)

  await context.moveClock('31 seconds')
  await until('the first look-up has ended', async () => {
    const isLooked = sql`select from deliveries where job_id = ${job.id} and not_found_at is not null`
    return (await context.db.run(isLooked)) > 0
  })
  await context.moveClock('6 seconds')
  await context.untilStatuses(job.id, 'failed')

  expect((await context.deliveries(job.id))[0]?.reason?.code).toBe('outcome_unknown')
  await context.moveClock('1 day')
  await context.untilStatus(job.id, 'Failed')
  expect(calls.sends).toEqual([])
})

// R-1806
test('a post that is found in its channel was sent', async () => {
  const { provider, calls, accept, job } = await afterDeath()
  accept({ token: 'any', to: CHANNEL, text: 'Only today', mediaId: null })
  context.worker(provider)

  await context.moveClock('31 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends).toEqual([])
  expect(await context.statuses(job.id)).toEqual(['sent'])
})

// R-1807
test.each([
  ['a channel', CHANNEL, true],
  ['a group', '1@g.us', false],
])('in a new era an unfinished job to %s waits for a person: %s', async (_name, chatId, waits) => {
  const { provider, calls } = scriptedProvider()
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const job = await jobTo([chatId], { status: 'Running', instanceId })
  await context.db.run(sql`update jobs set created_at = clock_now() - interval '1 hour' where id = ${job.id}`)
  context.worker(provider)

  if (waits) await context.untilWaiting(job.id, 'paused')
  else await context.untilStatus(job.id, 'Completed')

  expect((await context.log(job.id)).includes('history_uncertain')).toBe(waits)
  expect(calls.sends).toHaveLength(waits ? 0 : 1)
})

// R-1808
test('a program that does not know channels gets no look-up in one, and no check of an account with one', async () => {
  const { job } = await afterDeath()
  await context.moveClock('21 seconds')
  await markInDoubt(context.db)
  const lookUp = sql`update deliveries set next_look_at = clock_now() + interval '2 minutes' where job_id = ${job.id}`
  expect(await context.db.run(lookUp)).toBe(0)
  expect(await claimLookUps(context.db, 10, [])).toHaveLength(1)

  const check = (id: number) => sql`update instances set checked_era = gen_random_uuid() where id = ${id}`
  expect(await context.db.run(check(job.instanceId))).toBe(0)
  expect(await context.db.run(check((await context.add.instance()).id))).toBe(1)
})

// R-1809
test('a job that mentions all members mentions nobody in a channel, and reads no members there', async () => {
  const { provider, calls } = scriptedProvider()
  const reads: string[] = []
  provider.group = async (_credentials, chatId) => {
    reads.push(chatId)
    const participants = [{ personId: '84912345678', rank: 'member' as const }]
    return { chatId, name: 'Shop', participants, participantCount: 1, isAdminsOnly: false }
  }
  const job = await jobTo(['1@g.us', CHANNEL], { mentionsAll: true })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(reads).toEqual(['1@g.us'])
  expect(calls.sends.map(({ mentions }) => mentions)).toEqual([['84912345678'], []])
})

/** A post that was sent, and a function that reports this about it. */
async function sentPost() {
  const { provider, ledger } = scriptedProvider()
  const job = await jobTo([CHANNEL])
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  const providerMessageId = ledger[0]?.message.id ?? ''
  const report = async (state: Receipt['state'], viewer: string | null) => {
    await storeBatch(context.db, [
      { instanceId: job.instanceId, providerMessageId, state, viewer, at: null, detail: '' },
    ])
    await until('the receipt is applied', async () => {
      await context.moveClock('2 seconds')
      await applyStoredReceipts(context.db)
      return (
        (await context.db.run(sql`select from receipt_batches union all select from receipt_events`)) === 0
      )
    })
  }
  return { job, report }
}

// R-1810
test('what is reported of somebody who saw a post changes nothing, and nobody is stored', async () => {
  const { job, report } = await sentPost()

  await report('delivered', null)
  await report('read', '84912345678')
  await report('failed', '84912345678')

  expect(
    await context.db.many(sql`
      select status, delivered_at, read_at, delivered_members, read_members from deliveries where job_id = ${job.id}`),
  ).toEqual([{ status: 'sent', deliveredAt: null, readAt: null, deliveredMembers: 0, readMembers: 0 }])
  expect(await context.db.run(sql`select from other_viewers union all select from delivery_views`)).toBe(0)
})

// R-1810
test('a post that WhatsApp reports as failed has failed', async () => {
  const { job, report } = await sentPost()
  await report('failed', null)
  expect(await context.statuses(job.id)).toEqual(['failed'])
})

// R-1810
test('without a webhook the provider is not asked what became of a post', async () => {
  const { provider } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ token: `live-${Math.random()}` })
  const job = await jobTo(['1@g.us', CHANNEL], { instanceId })
  const engine = context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  await engine.stop()

  const asked = await context.db.many(sql`
    select chat_id from deliveries where job_id = ${job.id} and ask_at is not null`)

  expect(asked).toEqual([{ chatId: '1@g.us' }])
})
