import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { writeAlone } from '../src/engine/batch.ts'
import type { Claim } from '../src/engine/claim.ts'
import { type Attempt, consequenceOf } from '../src/engine/consequence.ts'
import { type EngineParts, startEngine } from '../src/engine/index.ts'
import type { Step, Work } from '../src/engine/intent.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { secretsOf } from '../src/platform/secrets.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { factories } from './factories.ts'
import { scriptedProvider } from './scripted-provider.ts'

type Delivery = {
  id: number
  chatId: string
  status: string
  attempt: number
  reason: { code: string } | null
  providerMessageId: string | null
  instanceId: number
}

/** A database whose clock a test can move, and workers on it that are stopped after each test. */
export function useEngineWorld() {
  const secrets = secretsOf('test')
  let database: TestDatabase
  let add: ReturnType<typeof factories>
  const cleanUp: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    add = factories(database.db, secrets)
    await database.db.run(sql`create table test_clock (ahead interval not null)`)
    await database.db.run(sql`insert into test_clock values ('0')`)
    await database.db.run(sql`
      create or replace function clock_now() returns timestamptz language sql stable as
      'select now() + ahead from test_clock'`)
  })
  afterEach(async () => {
    for (const task of cleanUp.splice(0).reverse()) await task()
    // What a test leaves behind must not be work for the next one.
    await database.db.run(sql`delete from jobs`)
    await database.db.run(sql`update test_clock set ahead = '0'`)
  })
  afterAll(() => database.drop())

  const quiet = { info: () => {}, warn: () => {}, error: () => {} }

  /** Parts of a worker with a pool of its own, as a process has; logged errors fail nothing. */
  function parts(provider: EngineParts['providers']['live'], more: Partial<EngineParts> = {}): EngineParts {
    const db = connect(database.address, { applicationName: 'sendroom test worker' })
    cleanUp.push(() => db.end(1000))
    return {
      db,
      providers: { live: provider, test: provider },
      secrets,
      readImage: async () => ({ bytes: new Uint8Array([1]), mimeType: 'image/png' }),
      log: quiet,
      ...more,
    }
  }

  function worker(provider: EngineParts['providers']['live'], more: Partial<EngineParts> = {}) {
    const engine = startEngine(parts(provider, more))
    cleanUp.push(() => engine.stop())
    return engine
  }

  const deliveries = (jobId: number) =>
    database.db.many<Delivery>(sql`
    select id, chat_id, status, attempt, reason, provider_message_id, instance_id
    from deliveries where job_id = ${jobId} order by id`)

  /** Asks for the account's next message, as its sender does, and commits the intent. */
  async function ask(claim: Claim): Promise<Step> {
    return (await writeAlone(database.db, { claim, result: null, intent: randomUUID() })).step
  }

  /** Writes what became of an attempt, whoever holds the account by now. */
  function record(work: Work, outcome: Attempt) {
    const claim = { instanceId: work.instanceId, token: randomUUID(), leaseEndsAt: 0 }
    const result = { work, after: consequenceOf(work, outcome, 0) }
    return writeAlone(database.db, { claim, result, intent: null })
  }

  /** The provider's id that the job's only delivery is credited with. */
  const credit = (jobId: number, providerMessageId: string) =>
    database.db.many(sql`
    with credited as (
      update deliveries set provider_message_id = ${providerMessageId} where job_id = ${jobId}
      returning instance_id, provider_message_id, id
    )
    insert into credited_messages (instance_id, provider_message_id, delivery_id) select * from credited`)

  return {
    ask,
    record,
    credit,
    get db(): Pool {
      return database.db
    },
    get add() {
      return add
    },
    scripted: scriptedProvider,
    parts,
    worker,
    deliveries,
    statuses: async (jobId: number) => (await deliveries(jobId)).map(({ status }) => status),
    jobStatus: async (jobId: number) =>
      (await database.db.many<{ status: string }>(sql`select status from jobs where id = ${jobId}`))[0]
        ?.status,
    log: async (jobId: number) =>
      (
        await database.db.many<{ reason: { code: string } }>(sql`
          select reason from job_logs where job_id = ${jobId} order by id`)
      ).map(({ reason }) => reason.code),
    account: async (instanceId: number) =>
      (await database.db.many(sql`select * from instances where id = ${instanceId}`))[0],
    moveClock: (by: string) =>
      database.db.run(sql`update test_clock set ahead = ahead + ${by}::text::interval`),
    until,
  }
}

/** Waits until the condition holds; an error after 50 seconds says which did not. */
async function until(condition: () => Promise<unknown> | unknown): Promise<void> {
  const giveUpAt = performance.now() + 50_000
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`This did not come true: ${condition}`)
    await delay(10)
  }
}
