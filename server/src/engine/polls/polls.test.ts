import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import { sql } from '../../platform/database/sql.ts'
import type { PollResults } from '../../providers/provider.ts'
import { forgetDeliveries } from '../jobs/forget.ts'
import { deleteOldRows } from '../retention/delete-old.ts'
import { openPollReader } from './ask.ts'
import { openVoteIntake } from './intake.ts'
import { storeResults } from './store.ts'

const context = useEngineContext()

const results = (providerMessageId: string, ...voters: string[]): PollResults => ({
  providerMessageId,
  options: [{ name: 'Yes', count: voters.length, voters }],
})

const rows = (instanceId: number) =>
  context.db.many<{ providerMessageId: string; yes: number; deliveryId: number | null }>(sql`
    select provider_message_id, (counts->>'Yes')::int as yes, delivery_id from poll_results
    where instance_id = ${instanceId} order by provider_message_id`)

/** A sent message with this id. */
async function sent(messageId: string, options: Record<string, unknown> = {}, chatId = '1@g.us') {
  const { id: instanceId } = await context.add.instance(options)
  const job = await context.add.job({ instanceId, recipients: [chatId], status: 'Completed' })
  await context.db.run(sql`
    update deliveries set status = 'sent', sent_at = clock_now(), provider_message_id = ${messageId}
    where job_id = ${job.id}`)
  await match(job.id)
  return { ...job, instanceId }
}

const match = (jobId: number) =>
  context.db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries where job_id = ${jobId}`)

const cleanUp = () => deleteOldRows(context.db, new AbortController().signal)

// R-1630
test('a flood of votes in one poll is one row, with the last results', async () => {
  const { instanceId } = await sent('poll')
  const intake = openVoteIntake(context.db, () => {})
  const voters = Array.from({ length: 300 }, (_, n) => String(84900000000 + n))

  await Promise.all(
    voters.map((_, n) => intake.accept(instanceId, [results('poll', ...voters.slice(0, n + 1))])),
  )

  expect(await rows(instanceId)).toMatchObject([{ yes: 300, deliveryId: expect.any(Number) }])
  await intake.close()
})

// R-1630
test('two servers that store the same polls in other orders do not block each other', async () => {
  const { instanceId } = await sent('a')
  const polls = Array.from({ length: 50 }, (_, n) => results(`p${n}`, '1'))
  const intakes = [openVoteIntake(context.db, () => {}), openVoteIntake(context.db, () => {})]
  await Promise.all(
    [polls, polls.toReversed(), polls, polls.toReversed()].map((order, n) =>
      intakes[n % 2]?.accept(instanceId, order),
    ),
  )
  expect(await rows(instanceId)).toHaveLength(50)
  for (const { close } of intakes) await close()
})

test('results of any form are stored', async () => {
  const { instanceId } = await sent('poll')
  const odd = { name: '__proto__', count: 1e300, voters: ['1\0', '\ud800'] }
  await storeResults(context.db, [{ instanceId, providerMessageId: 'poll\0', options: [odd] }])
  expect(
    await context.db.one(
      sql`select counts->>'__proto__' as count from poll_results where instance_id = ${instanceId}`,
    ),
  ).toEqual({
    count: '1000000',
  })
})

// R-1631
test('votes that come before the message is settled are kept, and matched later', async () => {
  const { id, instanceId } = await sent('early')
  await context.db.run(sql`delete from matched_messages where instance_id = ${instanceId}`)
  await storeResults(context.db, [
    { instanceId, ...results('early', '1') },
    { instanceId, ...results('of the phone', '2') },
  ])
  expect(await rows(instanceId)).toMatchObject([{ deliveryId: null }, { deliveryId: null }])
  await match(id)
  await cleanUp()
  expect(await rows(instanceId)).toHaveLength(2)

  await context.moveClock('25 hours')
  await cleanUp()

  expect(await rows(instanceId)).toMatchObject([
    { providerMessageId: 'early', deliveryId: expect.any(Number) },
  ])
})

// R-1631
test('results go with their job', async () => {
  const { id, instanceId } = await sent('poll')
  await storeResults(context.db, [{ instanceId, ...results('poll', '1') }])
  await context.db.run(sql`delete from jobs where id = ${id}`)
  expect(await rows(instanceId)).toEqual([])
})

/** A provider that counts how often it is asked for results. */
function askedProvider() {
  const { provider } = scriptedProvider()
  const asked: string[] = []
  provider.pollResults = async (_, id) => {
    asked.push(id)
    return results(id, '1', '2')
  }
  provider.isMetered = async ({ token }) => token.includes('metered')
  const log = { info() {}, warn() {}, error() {} }
  const reader = openPollReader({
    ...{ db: context.db, providers: { live: provider, test: provider }, log },
    secrets: context.secrets,
  })
  const read = async (job: { id: number; instanceId: number }) => {
    reader.read(job)
    await reader.stop()
  }
  return { asked, read }
}

// R-1635
test('five messages of a job are asked for at a time, each again after a minute', async () => {
  const { id, instanceId } = await sent('m0', { isTest: false })
  const job = { id, instanceId }
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, sent_at, provider_message_id)
    select ${id}, ${instanceId}, n || '@g.us', 'x', 'sent', clock_now(), 'm' || n from generate_series(2, 8) n`)
  const { asked, read } = askedProvider()

  await read(job)
  expect(asked.toSorted()).toEqual(['m4', 'm5', 'm6', 'm7', 'm8'])
  await read(job)
  expect(asked).toHaveLength(5)
  await context.moveClock('11 seconds')
  await read(job)
  expect(asked.slice(5).toSorted()).toEqual(['m0', 'm2', 'm3'])
  await context.moveClock('55 seconds')
  await read(job)
  expect(asked.slice(8).toSorted()).toEqual(['m4', 'm5', 'm6', 'm7', 'm8'])
  expect(await rows(instanceId)).toHaveLength(8)
})

// R-1867
test('an account is asked for five messages in ten seconds, however many of its polls are looked at', async () => {
  const first = await sent('first', { isTest: false })
  const second = await context.add.job({
    instanceId: first.instanceId,
    recipients: ['2@g.us'],
    status: 'Completed',
  })
  await context.db.run(sql`
    update deliveries set status = 'sent', sent_at = clock_now(), provider_message_id = 'second'
    where job_id = ${second.id}`)
  const other = await sent('other', { isTest: false })
  const { asked, read } = askedProvider()

  await read(first)
  await read(second)
  await read(other)
  expect(asked).toEqual(['first', 'other'])
  await context.moveClock('11 seconds')
  await read(second)
  expect(asked).toEqual(['first', 'other', 'second'])
})

// R-1867
test('two servers do not ask for polls of one account at once', async () => {
  const first = await sent('x', { isTest: false })
  const { asked, read } = askedProvider()
  await context.db.begin(async (tx) => {
    await lock(tx, LOCKS.pollsOf(first.instanceId))
    await read(first)
  })
  expect(asked).toEqual([])
})

// R-1866
test('people who chose several answers count once, and are unknown if the provider does not name all', async () => {
  const { instanceId } = await sent('poll')
  const several = (count: number) => ({
    ...{ instanceId, providerMessageId: 'poll' },
    options: [
      { name: 'Yes', count, voters: ['1', '2'] },
      { name: 'No', count: 1, voters: ['2'] },
    ],
  })
  const people = async () =>
    (await context.db.one<{ people: number | null }>(sql`select people from poll_results`)).people

  await storeResults(context.db, [several(2)])
  expect(await people()).toBe(2)
  await storeResults(context.db, [several(3)])
  expect(await people()).toBeNull()
})

// R-1635
test('an account on a trial, or one that is off, is not asked', async () => {
  const { asked, read } = askedProvider()
  const metered = await sent('a', { token: 'metered', isTest: false })
  await read(metered)
  const off = await sent('b', { isActive: false })
  await read(off)
  expect(asked).toEqual([])
})

// R-1635
test('an answer does not replace votes that came after the question', async () => {
  const { instanceId } = await sent('poll')
  const before = new Date(Date.now() - 60_000).toISOString()
  await storeResults(context.db, [{ instanceId, ...results('poll', '1', '2', '3') }])
  await storeResults(context.db, [{ instanceId, ...results('poll', '1') }], before)
  expect(await rows(instanceId)).toMatchObject([{ yes: 3 }])
})

// R-2212
test('the votes of a recipient who was forgotten count, and do not say who it was', async () => {
  const chat = '84912345678@s.whatsapp.net'
  const { id: jobId, instanceId } = await sent('poll', {}, chat)
  await context.db.begin((tx) => forgetDeliveries(tx, [chat], 100))
  await storeResults(context.db, [{ ...results('poll', '84912345678'), instanceId }])
  expect(
    await context.db.one(sql`select counts, voters from poll_results where instance_id = ${instanceId}`),
  ).toEqual({ counts: { Yes: 1 }, voters: {} })
  expect(await context.db.run(sql`select from deliveries where job_id = ${jobId}`)).toBe(1)
})
