import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerEntry } from '@sendroom/simulator'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { planJob } from '../../src/engine/index.ts'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { isDatabaseDown, isLockTimedOut } from '../../src/platform/database/errors.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import { until } from '../until.ts'
import { addContent, personal } from './contents.ts'
import { type Environment, SECRET_KEY } from './environment.ts'
import { addInstance, type ChaosInstance } from './instances.ts'
import { shiftClock } from './instruments.ts'
import { receiptsAgree } from './invariants-receipts.ts'
import type { Mutant } from './mutants.ts'
import type { SaidStop } from './opt-outs.ts'
import type { JobPlan, Plan } from './plan.ts'
import type { SeriesPlan } from './plan-series.ts'
import {
  listUnfinished,
  markInstancesHealthy,
  pollOnceMore,
  resumeAll,
  skipToNextReceipt,
  skipToNextSend,
} from './quiescence.ts'
import { collectReceipts } from './receipts.ts'
import { addSeries, type ChaosSeries } from './series.ts'
import { ServerProcess } from './server-process.ts'
import { WorkerPool } from './worker-pool.ts'

/** For so many real seconds a run that has not reached quiescence may log nothing. */
const STANDSTILL_S = 60
/** The real seconds within which a run must reach quiescence, also one that keeps logging. */
const QUIESCENCE_WITHIN_S = 600
/** When no send begins for this long, the clock is shifted to the next possible send. */
const IDLE_MS = 200
/** When no send begins for this long either, the plan goes on. */
const STUCK_MS = 1_200
/** In fast time. All receipts come within 5 s, except those that the plan delays. */
const QUICK_RECEIPTS = { sentMs: 200, deliveredMs: 1000, readMs: 3000, spreadMs: 1000, readPercent: 50 }
/** In fast time: 5 s for the receipts, and 15 s for the longest delay of a plan. */
const LAST_RECEIPT_MS = 20_000

export type ChaosJob = { id: number; plan: JobPlan; chats: string[] }

/** A chaos run on its own database: instances, jobs, and the workers that send for them. */
export class ChaosRun {
  readonly plan: Plan
  readonly environment: Environment
  readonly database: DatabaseAddress
  readonly db: Pool
  readonly instances: ChaosInstance[] = []
  /** The jobs created so far, by their index in the plan. */
  readonly jobs = new Map<number, ChaosJob>()
  /** The series of the plan, by their index. */
  readonly series = new Map<number, ChaosSeries>()
  /** The opt-outs that the provider has. */
  readonly saidStops: SaidStop[] = []
  /** Violations that showed during the run. */
  readonly violations: string[] = []
  /** The actions of the suite, with the time since the start of the run. */
  readonly logLines: string[] = []
  server: ServerProcess | null = null
  readonly workerPool: WorkerPool
  readonly #scheduled = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()
  /** The user who creates everything. */
  userId = 0
  readonly #began = performance.now()
  /** State of `progress`. */
  #begunSends = 0
  #isStuck = false

  private constructor(environment: Environment, database: DatabaseAddress, plan: Plan, mutant?: Mutant) {
    this.environment = environment
    this.plan = plan
    this.database = database
    const { accountWaitMs } = plan
    this.workerPool = new WorkerPool(
      environment,
      { database, accountWaitMs, ...(mutant && { mutant }) },
      this.violations,
    )
    this.db = connect(database, { max: 4, applicationName: 'chaos run' })
  }

  static async open(environment: Environment, plan: Plan, mutant?: Mutant): Promise<ChaosRun> {
    const run = new ChaosRun(environment, await environment.createDatabase(), plan, mutant)
    const user = await factories(run.db, secretsOf(SECRET_KEY)).admin()
    run.userId = user.id
    for (const [index, instance] of plan.instances.entries())
      run.instances.push(
        await addInstance(run.db, `${run.database.database}_${index}`, instance, plan.receipts),
      )
    await environment.simulator.setClockAhead(plan.providerAheadMs)
    await environment.simulator.setLatency(plan.latencyMs)
    await environment.simulator.setEncoding(plan.encoding)
    for (let slot = 0; slot < plan.workers; slot++) run.workerPool.start(slot, 1)
    if (plan.receipts)
      for (const token of run.tokens) await environment.simulator.setReceipts(token, QUICK_RECEIPTS)
    if (plan.receipts === 'webhook') await run.#startServer(plan.seed, user.token)
    return run
  }

  /** The same run in a restored database, with workers of its own. */
  static continueIn(database: DatabaseAddress, former: ChaosRun): ChaosRun {
    const run = new ChaosRun(former.environment, database, former.plan)
    run.userId = former.userId
    run.instances.push(...former.instances)
    for (const [index, job] of former.jobs) run.jobs.set(index, job)
    for (const [index, series] of former.series) run.series.set(index, series)
    for (let slot = 0; slot < run.plan.workers; slot++) run.workerPool.start(slot, 1)
    return run
  }

  /** Starts the server and waits until it has set the webhooks of all instances. */
  async #startServer(seed: number, token: string) {
    const launch = (port: number, publicUrl: string) =>
      this.environment.startServer(this.database, port, publicUrl)
    const includeUnknown = !this.plan.hasUniqueTexts
    this.server = await ServerProcess.open({ launch, token, seed, includeUnknown })
    await until('the webhooks are set', async () => {
      return (await this.db.run(sql`select from instances where webhook_base is null limit 1`)) === 0
    })
  }

  get tokens(): string[] {
    return this.instances.map(({ token }) => token)
  }

  log(line: string) {
    this.logLines.push(`${((performance.now() - this.#began) / 1000).toFixed(2)} s  ${line}`)
  }

  instance(index: number): ChaosInstance {
    const instance = this.instances[index]
    if (!instance) throw new Error(`There is no instance ${index}`)
    return instance
  }

  async createJob(index: number, plan: JobPlan): Promise<void> {
    if (this.jobs.has(index)) return
    const instance = this.instance(plan.instance)
    const chats = plan.recipients.map((recipient) => instance.addressBook[plan.kind][recipient] ?? '')
    const id = await retryWhileDown(() =>
      this.db.begin(async (tx) => {
        const groups = await tx.many<{ id: number; chatId: string }>(sql`
          select id, chat_id from groups where instance_id = ${instance.id}`)
        const { dueAt } = await tx.one<{ dueAt: string }>(sql`
          select clock_now() + make_interval(secs => ${plan.dueInSeconds}) as due_at`)
        const text = this.plan.hasUniqueTexts ? `job ${index} run 1` : 'Hello'
        return planJob(tx, {
          jobType: plan.kind === 'groups' ? 'SendToGroups' : 'SendToUsers',
          messageId: null,
          ...(plan.isPersonal ? personal(`{{name}}, ${text}`) : { textContent: text }),
          imageId: plan.withImage ? instance.imageId : null,
          ...(plan.content && (await addContent(tx, plan.content, index))),
          instanceId: instance.id,
          scheduledAt: plan.dueInSeconds > 0 ? dueAt : null,
          createdBy: { id: this.userId, name: 'Ann' },
          recipients: chats.map((chatId) => ({
            chatId,
            name: chatId,
            groupId: groups.find((group) => group.chatId === chatId)?.id ?? null,
            contactId: null,
          })),
        })
      }),
    )
    this.jobs.set(index, { id, plan, chats })
  }

  async createSeries(index: number, plan: SeriesPlan): Promise<void> {
    const instance = this.instance(plan.instance)
    const { hasUniqueTexts } = this.plan
    this.series.set(index, await addSeries(this.db, this.userId, { index, plan, instance, hasUniqueTexts }))
  }

  killWorker = (slot: number) => this.workerPool.kill(slot)

  /** Runs the task after this many fast seconds, or when the run ends. */
  schedule(seconds: number, task: () => unknown) {
    const delayMs = this.environment.toRealMs(seconds * 1000)
    const done = delay(delayMs, undefined, { signal: this.#ending.signal })
      .catch(() => {})
      .then(task)
      .finally(() => this.#scheduled.delete(done))
    this.#scheduled.add(done)
  }

  /** Waits until this many sends have begun, none begins for a while, or all jobs and series have ended. */
  async progress(sends: number): Promise<void> {
    for (let idleSince = performance.now(); ; await delay(20)) {
      const begun = await this.#countSends()
      if (begun >= sends || (await this.#hasNothingToDo())) return
      if (begun !== this.#begunSends) {
        this.#begunSends = begun
        this.#isStuck = false
        idleSince = performance.now()
      }
      const idleMs = performance.now() - idleSince
      if (idleMs > (this.#isStuck ? IDLE_MS : STUCK_MS)) {
        this.#isStuck = true
        return
      }
      if (idleMs > IDLE_MS) await retryWhileDown(() => skipToNextSend(this.db, (line) => this.log(line)))
    }
  }

  async #countSends(): Promise<number> {
    const { begun } = await retryWhileDown(() =>
      this.db.one<{ begun: number }>(sql`
        select count(*) as begun from chaos.log where became = 'sending'`),
    )
    return begun
  }

  async #hasNothingToDo(): Promise<boolean> {
    const unfinished = await retryWhileDown(() =>
      this.db.run(sql`
        (select from jobs where status in ('Pending', 'Running') or settling limit 1)
        union all
        (select from series_runs r join series s on s.id = r.series_id
         where r.state in ('planned', 'waiting') and s.state = 'active' limit 1)`),
    )
    return unfinished === 0
  }

  /** Ends all faults, resumes everything, waits until nothing is left to do, and shuts the processes down. */
  async waitForQuiescence(standstillS = STANDSTILL_S): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#scheduled)
    await this.environment.simulator.clearFaults()
    this.workerPool.expectAlive()
    const standsStill = this.#watchProgress(standstillS)
    for (;;) {
      const unfinished = await retryWhileDown(async () => {
        await resumeAll(this.db)
        return listUnfinished(this.db)
      })
      if (unfinished === null) break
      await retryWhileDown(() => skipToNextSend(this.db, (line) => this.log(line)))
      if (await standsStill()) {
        this.violations.push(`The run did not reach quiescence: ${unfinished}`)
        break
      }
      await delay(50)
    }
    if (this.plan.receipts) await this.#waitForReceipts(standsStill)
    this.violations.push(...((await this.server?.close()) ?? []))
    await this.workerPool.end()
  }

  /**
   * Tells whether nothing has been logged for so long, or quiescence is far too late. A busy machine is slow, but what
   * it does is logged.
   */
  #watchProgress(standstillS: number): () => Promise<boolean> {
    const beganAt = performance.now()
    let last = { id: 0, at: beganAt }
    return async () => {
      const { id } = await retryWhileDown(() =>
        this.db.one<{ id: number }>(sql`select coalesce(max(id), 0) as id from chaos.log`),
      )
      const now = performance.now()
      if (id !== last.id) last = { id, at: now }
      return now - last.at > standstillS * 1000 || now - beganAt > QUIESCENCE_WITHIN_S * 1000
    }
  }

  /** Waits until all receipts are reported and applied. Polling needs the clock to be shifted from one to the next. */
  async #waitForReceipts(standsStill: () => Promise<boolean>) {
    await delay(this.environment.toRealMs(LAST_RECEIPT_MS))
    await retryWhileDown(() => markInstancesHealthy(this.db))
    await retryWhileDown(() => pollOnceMore(this.db))
    for (; !(await standsStill()); await delay(50)) {
      const isAllReported = !this.server?.webhookProxy.expectsRetry
      if (isAllReported && receiptsAgree(await retryWhileDown(() => collectReceipts(this))).length === 0)
        return
      await retryWhileDown(() => skipToNextReceipt(this.db, (line) => this.log(line)))
    }
  }

  async ledger(): Promise<LedgerEntry[]> {
    return (await Promise.all(this.tokens.map((token) => this.environment.simulator.ledger(token)))).flat()
  }

  shiftClock = (seconds: number) => retryWhileDown(() => shiftClock(this.db, seconds))

  /** Runs a user's request. If the database is down or the instance locked, the user is told so and could try again. */
  async request<T>(task: () => Promise<T>): Promise<T | 'database is down'> {
    try {
      return await task()
    } catch (error) {
      if (isDatabaseDown(error) || isLockTimedOut(error)) return 'database is down'
      throw error
    }
  }

  async [Symbol.asyncDispose]() {
    this.#ending.abort()
    await Promise.all(this.#scheduled)
    await this.workerPool[Symbol.asyncDispose]()
    await this.server?.[Symbol.asyncDispose]()
    await this.db.end(1000)
  }
}
