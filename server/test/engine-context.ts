import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openHeartbeat } from '../src/engine/history/heartbeat.ts'
import { type EngineDeps, whyWaiting } from '../src/engine/index.ts'
import { writeAlone } from '../src/engine/sending/batch.ts'
import { type Claim, claimInstances } from '../src/engine/sending/claim.ts'
import type { IntendedMessage, NextStep } from '../src/engine/sending/intent.ts'
import { type AttemptOutcome, effectsOf } from '../src/engine/sending/outcome-effects.ts'
import { findCountDifferences } from '../src/platform/counts.ts'
import { connect } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { DatabaseContext } from './database-context.ts'
import { oneByteFile } from './one-byte-file.ts'
import { until } from './until.ts'
import { startWorker } from './worker.ts'

const silent = { info() {}, warn() {}, error() {} }

type Provider = EngineDeps['providers']['live']

type Delivery = {
  id: number
  chatId: string
  status: string
  attempt: number
  reason: { code: string } | null
  providerMessageId: string | null
  instanceId: number
}

/** The tests of the file share one database. Each test starts without jobs, and its workers are stopped at its end. */
export function useEngineContext() {
  const context = new EngineContext()
  beforeAll(() => context.open())
  afterEach(() => context.cleanUp())
  afterAll(() => context.close())
  return context
}

class EngineContext extends DatabaseContext {
  readonly #tasksAtEnd: (() => Promise<unknown>)[] = []

  /** With the heartbeat of a worker, so that instances may send. */
  override async open() {
    await super.open()
    await openHeartbeat({ db: this.db, log: silent, beatSeenBefore: 0 }).beat()
  }

  async cleanUp() {
    for (const task of this.#tasksAtEnd.splice(0).reverse()) await task()
    const miscounted = await findCountDifferences(this.db)
    // Otherwise the next test's workers would send what this test left behind.
    await this.db.run(sql`delete from jobs`)
    await this.shiftClock('0')
    expect(miscounted).toEqual([])
  }

  /** The dependencies of a worker that has beaten. Like a process, it has its own pool. Logged errors fail no test. */
  deps(provider: Provider, overrides: Partial<EngineDeps> = {}): EngineDeps {
    const db = connect(this.database.address, { applicationName: 'sendroom test worker' })
    this.#tasksAtEnd.push(() => db.end(1000))
    return {
      db,
      providers: { live: provider, test: provider },
      secrets: this.secrets,
      openMedia: oneByteFile,
      log: silent,
      beatSeenBefore: 0,
      ...overrides,
    }
  }

  worker(provider: Provider, overrides: Partial<EngineDeps> = {}) {
    return this.workerOf(this.deps(provider, overrides))
  }

  workerOf(deps: EngineDeps) {
    // Most tests wait for a job to end, which a recurring task does every two seconds.
    const worker = startWorker(deps, { timesAsOften: 10 })
    this.#tasksAtEnd.push(() => worker.stop())
    return worker
  }

  /** Claims an instance, as a worker does. */
  async claimOne(): Promise<Claim> {
    const [claim] = await claimInstances(this.db, 1)
    if (!claim) throw new Error('Nothing was claimed')
    return claim
  }

  /** Requests the next message of the claimed instance, as its sender does, and commits the intent. */
  async writeIntent(claim: Claim, lastBeatSeen = 0): Promise<NextStep> {
    return (await writeAlone(this.db, { claim, result: null, intent: randomUUID(), lastBeatSeen })).step
  }

  /** Does what a worker does up to the committed intent. */
  async beginSend(): Promise<{ claim: Claim; message: IntendedMessage }> {
    const claim = await this.claimOne()
    const message = await this.writeIntent(claim)
    if (message.kind !== 'send') throw new Error(`No intent: ${message.kind}`)
    return { claim, message }
  }

  /** Writes the result of an attempt as a worker that no longer holds the claim. */
  settle(message: IntendedMessage, outcome: AttemptOutcome) {
    const claim = { instanceId: message.instanceId, token: randomUUID(), leaseEndsAt: 0 }
    const result = { message, effects: effectsOf(message, outcome, 0) }
    return writeAlone(this.db, { claim, result, intent: null, lastBeatSeen: 0 })
  }

  deliveries(jobId: number) {
    return this.db.many<Delivery>(sql`
      select id, chat_id, status, attempt, reason, provider_message_id, instance_id
      from deliveries where job_id = ${jobId} order by id`)
  }

  async statuses(jobId: number) {
    return (await this.deliveries(jobId)).map(({ status }) => status)
  }

  async jobStatus(jobId: number) {
    const row = await this.db.maybeOne<{ status: string }>(sql`select status from jobs where id = ${jobId}`)
    return row?.status
  }

  async untilStatus(jobId: number, status: string) {
    await until(`job ${jobId} is ${status}`, async () => (await this.jobStatus(jobId)) === status)
  }

  async untilStatuses(jobId: number, ...statuses: string[]) {
    await until(
      `the deliveries of job ${jobId} are ${statuses.join(', ')}`,
      async () => (await this.statuses(jobId)).join() === statuses.join(),
    )
  }

  /** Waits until the job waits for this reason. */
  async untilWaiting(jobId: number, code: string) {
    await until(
      `job ${jobId} waits: ${code}`,
      async () => (await whyWaiting(this.db, jobId)).waiting?.code === code,
    )
  }

  /** Waits until the instance waits for whatever reason. */
  async untilInstanceWaits(instanceId: number) {
    await until(`instance ${instanceId} waits`, async () => (await this.instance(instanceId))?.waiting)
  }

  /** The codes of the job's log lines, oldest first. */
  async log(jobId: number) {
    const lines = await this.db.many<{ reason: { code: string } }>(sql`
      select reason from job_logs where job_id = ${jobId} order by id`)
    return lines.map(({ reason }) => reason.code)
  }

  instance(instanceId: number) {
    return this.db.maybeOne(sql`select * from instances where id = ${instanceId}`)
  }
}

/** The chat ids of this many people. */
export const people = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `849${n}@s.whatsapp.net`)
