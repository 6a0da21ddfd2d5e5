import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Order, planJob } from '../../server/src/engine/plan.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, startSimulatorProcess } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'

const SECRET_KEY = 'a key of 32 characters for the benchmark'
const ACCOUNTS = 1000

/** Linked at the simulator from their first call on. */
export const tokens = Array.from({ length: ACCOUNTS }, (_, index) => `test_linked_bench_${index}`)
export const numbersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `849${String(10_000_001 + index)}`)
export const chatsOf = (count: number) => numbersOf(count).map((number) => `${number}@s.whatsapp.net`)

export type Stage = Awaited<ReturnType<typeof openStage>>

/** An installation with 1,000 accounts without pauses, and a simulator in a process of its own. */
export async function openStage() {
  const home = await Installation.create({ SECRET_KEY })
  const simulator = await startSimulatorProcess(home.dataDir)
  const env = { TEST_PROVIDER_URL: simulator.url }
  let sendroom = await home.start([], env)
  const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
  const instanceIds = await insertAccounts(tokens)

  /** As if all was read a moment ago, and no webhook could be set: no chore comes in between while we measure. */
  async function insertAccounts(accountTokens: string[]): Promise<number[]> {
    const secrets = secretsOf(SECRET_KEY)
    const hex = (bytes: Buffer) => bytes.toString('hex')
    const accounts = await db.many<{ id: number }>(sql`
      insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, last_sync_at, syncing_until,
        private_pause_from_ms, private_pause_to_ms, private_cap, webhook_tried_at, created_at)
      select token, decode(cipher, 'hex'), decode(hash, 'hex'), true, 'Connected', now() + interval '1 hour', now(), now(),
        0, 0, 0, now(), now() - place * interval '1 second'
      from unnest(${accountTokens}::text[], ${accountTokens.map((token) => hex(secrets.encrypt(token)))}::text[],
        ${accountTokens.map((token) => hex(secrets.hash(token)))}::text[])
        with ordinality as account (token, cipher, hash, place)
      order by place
      returning id`)
    return accounts.map(({ id }) => id)
  }

  /** A job for each of so many accounts, due in an hour or at that time of its own. */
  async function addJobs(accounts: number, recipients: number, dueAt = (_place: number) => inMs(3_600_000)) {
    const order: Omit<Order, 'instanceId' | 'scheduledAt'> = {
      jobType: 'SendToUsers',
      messageId: null,
      textContent: 'Hello',
      imageId: null,
      createdBy: { id: 1, name: 'admin' },
      recipients: chatsOf(recipients).map((chatId) => ({ chatId, name: chatId, groupId: null })),
    }
    for (const [place, instanceId] of instanceIds.slice(0, accounts).entries())
      await db.begin((tx) => planJob(tx, { ...order, instanceId, scheduledAt: dueAt(place) }))
  }

  return {
    ...{ home, simulator, env, db, instanceIds, insertAccounts, addJobs },
    get sendroom() {
      return sendroom
    },
    /** With its database. */
    async restart() {
      await sendroom.end('SIGTERM')
      sendroom = await home.start([], env)
    },
    /** From now on the provider tells what became of each message, by webhook. */
    async tellReceipts() {
      await db.run(sql`update instances set webhook_tried_at = 'epoch'`)
      await this.restart()
      const isTold = async () =>
        (await db.run(sql`select from instances where webhook_base is null limit 1`)) === 0
      await until('all webhooks are set', isTold, 60_000)
    },
    /** Of the embedded PostgreSQL, with all its processes. */
    databasePid: () =>
      Number(readFileSync(join(home.database.host, 'postmaster.pid'), 'utf8').split('\n')[0]),
    /** All come due at once, however long it took to create them. */
    startJobs: () => db.run(sql`update jobs set scheduled_at = null where status = 'Pending'`),
    untilDone: () =>
      until(
        'all is sent',
        async () =>
          (await db.run(sql`select from jobs where status in ('Pending', 'Running') limit 1`)) === 0,
        300_000,
      ),
    async [Symbol.asyncDispose]() {
      await db.end()
      await home[Symbol.asyncDispose]()
      await simulator[Symbol.asyncDispose]()
    },
  }
}

export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
