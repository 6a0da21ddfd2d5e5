import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Order, planJob } from '../../server/src/engine/jobs/create.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, startSimulatorProcess } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'

const SECRET_KEY = 'a key of 32 characters for the benchmark'
const INSTANCES = 1000

/** Tokens of the benchmark's instances. The simulator links them from the start. */
export const tokens = Array.from({ length: INSTANCES }, (_, index) => `test_linked_bench_${index}`)
export const numbersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `849${String(10_000_001 + index)}`)
export const chatsOf = (count: number) => numbersOf(count).map((number) => `${number}@s.whatsapp.net`)

export type Environment = Awaited<ReturnType<typeof openEnvironment>>

/** Starts an installation with 1,000 instances without pauses, and a simulator in a separate process. */
export async function openEnvironment() {
  const home = await Installation.create({ SECRET_KEY })
  const simulator = await startSimulatorProcess(home.dataDir)
  const env = { TEST_PROVIDER_URL: simulator.url }
  let sendroom = await home.start([], env)
  const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
  const secrets = secretsOf(SECRET_KEY)
  const instanceIds = await insertInstances(tokens)

  /**
   * Inserts instances whose status, groups and webhook were checked just now, so that no recurring task runs during a
   * measurement. Returns their ids.
   */
  async function insertInstances(instanceTokens: string[]): Promise<number[]> {
    const hex = (bytes: Buffer) => bytes.toString('hex')
    const instances = await db.many<{ id: number }>(sql`
      insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, last_sync_at, syncing_until,
        private_pause_from_ms, private_pause_to_ms, private_cap, private_slow_after, private_per_quarter, private_hours, private_days, person_cap,
        new_people_cap, incoming_until, webhook_tried_at, created_at)
      select token, decode(cipher, 'hex'), decode(hash, 'hex'), true, 'Connected', now() + interval '1 hour', now(), now(),
        0, 0, 0, 0, 0, 0, 0, 0, 0, 'infinity', now(), now() - place * interval '1 second'
      from unnest(${instanceTokens}::text[], ${instanceTokens.map((token) => hex(secrets.encrypt(token)))}::text[],
        ${instanceTokens.map((token) => hex(secrets.hash(token)))}::text[])
        with ordinality as instance (token, cipher, hash, place)
      order by place
      returning id`)
    return instances.map(({ id }) => id)
  }

  /** Adds one job to each of the first `instances` instances. Jobs are due in an hour, or at `dueAt`. */
  async function addJobs(
    instances: number,
    recipients: number,
    dueAt = (_place: number) => inMs(3_600_000),
    text: Pick<Order, 'textContent' | 'writeTexts'> = { textContent: 'Hello' },
  ) {
    const order: Omit<Order, 'instanceId' | 'scheduledAt'> = {
      jobType: 'SendToUsers',
      messageId: null,
      ...text,
      imageId: null,
      createdBy: { id: 1, name: 'admin' },
      recipients: chatsOf(recipients).map((chatId) => ({
        chatId,
        name: chatId,
        groupId: null,
        contactId: null,
      })),
    }
    for (const [place, instanceId] of instanceIds.slice(0, instances).entries())
      await db.begin((tx) => planJob(tx, { ...order, instanceId, scheduledAt: dueAt(place) }))
  }

  return {
    ...{ home, simulator, env, db, secrets, instanceIds, insertInstances, addJobs },
    get sendroom() {
      return sendroom
    },
    /** Restarts the server and its database. */
    async restart() {
      await sendroom.end('SIGTERM')
      sendroom = await home.start([], env)
    },
    /** Lets the server set its webhooks, so that the provider notifies it of the status of every message. */
    async sendReceipts() {
      await db.run(sql`update instances set webhook_tried_at = 'epoch'`)
      await this.restart()
      const areWebhooksSet = async () =>
        (await db.run(sql`select from instances where webhook_base is null limit 1`)) === 0
      await until('all webhooks are set', areWebhooksSet, 60_000)
    },
    /** Returns the id of PostgreSQL's main process, the parent of all others. */
    databasePid: () =>
      Number(readFileSync(join(home.database.host, 'postmaster.pid'), 'utf8').split('\n')[0]),
    /** Makes all pending jobs due at once. */
    startJobs: () => db.run(sql`update jobs set scheduled_at = null where status = 'Pending'`),
    untilDone: () =>
      until(
        'all jobs are finished',
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

/** Returns a time `ms` from now, as the API writes times. */
export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
