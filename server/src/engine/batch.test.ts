import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { countWaiting } from '../../test/locks.ts'
import { isDatabaseDown } from '../platform/database/errors.ts'
import { sql } from '../platform/database/sql.ts'
import { openBatches, type Turn } from './batch.ts'
import { type Claim, claimAccounts } from './claim.ts'
import { type Attempt, consequenceOf } from './consequence.ts'
import type { Work } from './intent.ts'

const world = useEngineWorld()

/** So many accounts with a message on its way each, and the batches of one worker. */
async function sending(count: number) {
  const jobs = []
  for (let nth = 0; nth < count; nth++)
    jobs.push(await world.add.job({ status: 'Running', recipients: ['1@g.us', '2@g.us'] }))
  const claims = await claimAccounts(world.db, count)
  const works: Work[] = []
  for (const claim of claims) {
    const work = await world.ask(claim)
    if (work.kind !== 'send') throw new Error(`No intent: ${work.kind}`)
    works.push(work)
  }
  const batches = openBatches(world.db)
  onTestFinished(batches.close)
  const turns = works.map((work, nth) => turn(claims[nth] as Claim, work, sent(`M${work.id}`)))
  return { jobs, claims, works, turns, hand: batches.hand }
}

const sent = (providerMessageId: string): Attempt => ({ kind: 'sent', providerMessageId })

const turn = (claim: Claim, work: Work, outcome: Attempt): Turn => ({
  claim,
  result: { work, after: consequenceOf(work, outcome, 0) },
  intent: randomUUID(),
})

const statusesOf = async (works: Work[]) =>
  (
    await world.db.many<{ status: string }>(sql`
      select status from deliveries where id = any(${works.map(({ id }) => id)}::bigint[]) order by id`)
  ).map(({ status }) => status)

test('results and the next intents of all accounts that came in together share one transaction', async () => {
  const { turns, works, hand } = await sending(5)

  const answers = await Promise.all(turns.map(hand))

  expect(answers.map(({ isHeld, step }) => [isHeld, step.kind])).toEqual(Array(5).fill([true, 'send']))
  const { transactions } = await world.db.one<{ transactions: number }>(sql`
    select count(distinct xmin::text) as transactions from deliveries where status in ('sent', 'sending')`)
  expect(transactions).toBe(1)
  expect(await statusesOf(works)).toEqual(Array(5).fill('sent'))
})

test('an account whose lock somebody holds waits alone: the others go on', async () => {
  const { turns, works, hand } = await sending(3)
  const [first, ...others] = turns as [Turn, ...Turn[]]
  let isFirstDone = false

  await world.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${first.claim.instanceId} for no key update`)
    const waiting = hand(first).then((answer) => {
      isFirstDone = true
      return answer
    })
    await Promise.all(others.map(hand))
    expect(isFirstDone).toBe(false)
    expect(await statusesOf(works)).toEqual(['sending', 'sent', 'sent'])
    return { waiting }
  })

  await world.until(() => isFirstDone)
  expect(await statusesOf(works)).toEqual(['sent', 'sent', 'sent'])
})

test('what comes in while a batch is under way is written together after it', async () => {
  const { turns, works, hand } = await sending(4)
  const [first, ...others] = turns as [Turn, ...Turn[]]
  let answers: Promise<unknown[]> = Promise.resolve([])
  await world.db.begin(async (tx) => {
    // So that the batch stands still in the database.
    await tx.run(sql`lock table credited_messages in exclusive mode`)
    const isUnderWay = async () => (await countWaiting(world.db)) === 1
    const handed = [hand(first)]
    await world.until(isUnderWay)
    for (const one of others) {
      handed.push(hand(one))
      await new Promise(setImmediate)
    }
    answers = Promise.all(handed)
  })

  expect(await answers).toHaveLength(4)
  const rows = await world.db.many<{ xmin: string }>(sql`
    select xmin::text from deliveries where id = any(${works.map(({ id }) => id)}::bigint[]) order by id`)
  const [one, ...rest] = rows.map(({ xmin }) => xmin)
  expect(new Set(rest).size).toBe(1)
  expect(rest).not.toContain(one)
})

test("a provider's id that belongs to another message is told as taken, and harms no other of the batch", async () => {
  const { claims, works, turns, hand } = await sending(3)
  const [first, ...others] = turns as [Turn, ...Turn[]]
  const [claim, work] = [claims[0] as Claim, works[0] as Work]
  await world.db.run(sql`
    insert into credited_messages (instance_id, provider_message_id, delivery_id)
    values (${work.instanceId}, ${`M${work.id}`}, null)`)

  const [taken, ...rest] = await Promise.all([first, ...others].map(hand))

  expect(taken).toMatchObject({ isTaken: true, isHeld: false })
  expect(rest).toMatchObject(Array(2).fill({ isTaken: false, isHeld: true, step: { kind: 'send' } }))
  expect(await statusesOf(works)).toEqual(['sending', 'sent', 'sent'])
  // Without proof the message is in doubt; the account goes on.
  await hand(turn(claim, work, { kind: 'unknown', reason: { code: 'provider_unreadable', params: {} } }))
  expect(await statusesOf(works)).toEqual(['doubt', 'sent', 'sent'])
})

test('a result that the database refuses is refused alone', async () => {
  const { claims, works, turns, hand } = await sending(3)
  const bad = turn(claims[0] as Claim, works[0] as Work, sent('an id with \0 in it'))

  const [refused, ...rest] = await Promise.allSettled([bad, ...turns.slice(1)].map(hand))

  expect(refused).toMatchObject({ status: 'rejected', reason: { code: '22021' } })
  expect(rest.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(await statusesOf(works)).toEqual(['sending', 'sent', 'sent'])
})

test('a batch whose connection is lost is told as such, written whole or not at all, and the next one finds another', async () => {
  const { turns, works, hand } = await sending(3)
  const [first, ...others] = turns as [Turn, ...Turn[]]
  await hand(first)
  await world.db.begin(async (tx) => {
    // So that the batch stands still in the database.
    await tx.run(sql`lock table credited_messages in exclusive mode`)
    const lost = Promise.allSettled(others.map(hand))
    await world.until(
      async () =>
        (await world.db.run(sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`)) > 0,
    )
    for (const outcome of await lost)
      expect(outcome.status === 'rejected' && isDatabaseDown(outcome.reason)).toBe(true)
  })
  expect(await statusesOf(works)).toEqual(['sent', 'sending', 'sending'])

  const again = others.map(({ claim, result }) => hand({ claim, result, intent: null }))

  expect(await Promise.all(again)).toMatchObject(Array(2).fill({ isHeld: true }))
  expect(await statusesOf(works)).toEqual(['sent', 'sent', 'sent'])
})
