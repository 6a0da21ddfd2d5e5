import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import { sql } from '../../platform/database/sql.ts'
import { type Exchange, openBatches } from './batch.ts'
import { type Claim, claimInstances } from './claim.ts'
import type { IntendedMessage } from './intent.ts'
import { type AttemptOutcome, effectsOf } from './outcome-effects.ts'

const context = useEngineContext()

/** Instances with a message in flight each, the exchanges that settle these messages, and a worker's batches. */
async function beginSends(count: number) {
  for (let nth = 0; nth < count; nth++)
    await context.add.job({ status: 'Running', recipients: ['1@g.us', '2@g.us'] })
  const claims = await claimInstances(context.db, count)
  const messages: IntendedMessage[] = []
  for (const claim of claims) {
    const message = await context.writeIntent(claim)
    if (message.kind !== 'send') throw new Error(`No intent: ${message.kind}`)
    messages.push(message)
  }
  const batches = openBatches(context.db)
  onTestFinished(batches.close)
  const exchanges = messages.map((message, nth) =>
    exchange(claims[nth] as Claim, message, sent(`M${message.id}`)),
  )
  return { claims, messages, exchanges, submit: batches.submit }
}

const sent = (providerMessageId: string): AttemptOutcome => ({ kind: 'sent', providerMessageId })

const exchange = (claim: Claim, message: IntendedMessage, outcome: AttemptOutcome): Exchange => ({
  claim,
  result: { message, effects: effectsOf(message, outcome, 0) },
  intent: randomUUID(),
  lastBeatSeen: 0,
})

const statusesOf = async (messages: IntendedMessage[]) =>
  (
    await context.db.many<{ status: string }>(sql`
      select status from deliveries where id = any(${messages.map(({ id }) => id)}::bigint[]) order by id`)
  ).map(({ status }) => status)

test('exchanges that are submitted together share one transaction', async () => {
  const { exchanges, messages, submit } = await beginSends(5)

  const answers = await Promise.all(exchanges.map(submit))

  expect(answers.map(({ isHeld, step }) => [isHeld, step.kind])).toEqual(Array(5).fill([true, 'send']))
  const { transactions } = await context.db.one<{ transactions: number }>(sql`
    select count(distinct xmin::text) as transactions from deliveries where status in ('sent', 'sending')`)
  expect(transactions).toBe(1)
  expect(await statusesOf(messages)).toEqual(Array(5).fill('sent'))
})

test('an instance whose lock is held waits alone, and the others continue', async () => {
  const { exchanges, messages, submit } = await beginSends(3)
  const [first, ...others] = exchanges as [Exchange, ...Exchange[]]
  let isFirstDone = false

  await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${first.claim.instanceId} for no key update`)
    const waiting = submit(first).then((answer) => {
      isFirstDone = true
      return answer
    })
    await Promise.all(others.map(submit))
    expect(isFirstDone).toBe(false)
    expect(await statusesOf(messages)).toEqual(['sending', 'sent', 'sent'])
    return { waiting }
  })

  await until('the first exchange is written', () => isFirstDone)
  expect(await statusesOf(messages)).toEqual(['sent', 'sent', 'sent'])
})

test('exchanges that are submitted during a batch are written together in the next one', async () => {
  const { exchanges, messages, submit } = await beginSends(4)
  const [first, ...others] = exchanges as [Exchange, ...Exchange[]]
  let answers: Promise<unknown[]> = Promise.resolve([])
  await context.db.begin(async (tx) => {
    // This lock stops the batch inside its transaction.
    await tx.run(sql`lock table matched_messages in exclusive mode`)
    const isBatchWaiting = async () => (await countWaiting(context.db)) === 1
    const submitted = [submit(first)]
    await until('the batch waits for the lock', isBatchWaiting)
    for (const one of others) {
      submitted.push(submit(one))
      await new Promise(setImmediate)
    }
    answers = Promise.all(submitted)
  })

  expect(await answers).toHaveLength(4)
  const rows = await context.db.many<{ xmin: string }>(sql`
    select xmin::text from deliveries where id = any(${messages.map(({ id }) => id)}::bigint[]) order by id`)
  const [one, ...rest] = rows.map(({ xmin }) => xmin)
  expect(new Set(rest).size).toBe(1)
  expect(rest).not.toContain(one)
})

test('a message id that another delivery is matched with is reported, and the rest of the batch is written', async () => {
  const { claims, messages, exchanges, submit } = await beginSends(3)
  const [first, ...others] = exchanges as [Exchange, ...Exchange[]]
  const [claim, message] = [claims[0] as Claim, messages[0] as IntendedMessage]
  await context.db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    values (${message.instanceId}, ${`M${message.id}`}, null)`)

  const [duplicate, ...rest] = await Promise.all([first, ...others].map(submit))

  expect(duplicate).toMatchObject({ isMatchedAlready: true, isHeld: false })
  expect(rest).toMatchObject(Array(2).fill({ isMatchedAlready: false, isHeld: true, step: { kind: 'send' } }))
  expect(await statusesOf(messages)).toEqual(['sending', 'sent', 'sent'])
  // The id proves nothing about this message, so it is in doubt. The instance continues.
  await submit(
    exchange(claim, message, { kind: 'unknown', reason: { code: 'provider_unreadable', params: {} } }),
  )
  expect(await statusesOf(messages)).toEqual(['doubt', 'sent', 'sent'])
})

test('a result that the database refuses fails alone', async () => {
  const { claims, messages, exchanges, submit } = await beginSends(3)
  const bad = exchange(claims[0] as Claim, messages[0] as IntendedMessage, sent('an id with \0 in it'))

  const [refused, ...rest] = await Promise.allSettled([bad, ...exchanges.slice(1)].map(submit))

  expect(refused).toMatchObject({ status: 'rejected', reason: { code: '22021' } })
  expect(rest.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(await statusesOf(messages)).toEqual(['sending', 'sent', 'sent'])
})

test('a batch that loses its connection is rejected as a whole, and the next one gets a new connection', async () => {
  const { exchanges, messages, submit } = await beginSends(3)
  const [first, ...others] = exchanges as [Exchange, ...Exchange[]]
  await submit(first)
  await context.db.begin(async (tx) => {
    // This lock stops the batch inside its transaction.
    await tx.run(sql`lock table matched_messages in exclusive mode`)
    const lost = Promise.allSettled(others.map(submit))
    await until(
      'the connection of the batch is cut',
      async () =>
        (await context.db.run(sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`)) > 0,
    )
    for (const outcome of await lost)
      expect(outcome.status === 'rejected' && isDatabaseDown(outcome.reason)).toBe(true)
  })
  expect(await statusesOf(messages)).toEqual(['sent', 'sending', 'sending'])

  const again = others.map((other) => submit({ ...other, intent: null }))

  expect(await Promise.all(again)).toMatchObject(Array(2).fill({ isHeld: true }))
  expect(await statusesOf(messages)).toEqual(['sent', 'sent', 'sent'])
})
