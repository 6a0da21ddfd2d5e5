import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import { planJob } from '../../src/engine/index.ts'
import {
  connect,
  type DatabaseAddress,
  isDatabaseDown,
  type Sql,
} from '../../src/platform/database/connection.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import type { Program } from '../process.ts'
import { type Account, addAccount } from './accounts.ts'
import type { Breakage } from './breakages.ts'
import { setClock } from './instruments.ts'
import type { JobPlan, Plan } from './plan.ts'
import { leapToNextMoment, whatIsOpen } from './rest.ts'
import { again, type Stage } from './stage.ts'

/** How long a round may take to come to rest, in seconds of ours. */
const SETTLE_S = 90
/** When nothing is sent for so long the clock is set on, and after so long the next thing of the plan is done. */
const IDLE_MS = 200
const STUCK_MS = 1_200

export type MadeJob = { id: number; plan: JobPlan; chats: string[] }
type Worker = { name: string; program: Program; isStopped: boolean }

/** One round on its own database: accounts, jobs and the workers that send for them. */
export class Round {
  readonly plan: Pick<Plan, 'workers' | 'isMarked' | 'accountWaitMs' | 'providerAheadMs' | 'latencyMs'>
  readonly stage: Stage
  readonly sql: Sql
  readonly accounts: Account[] = []
  /** By their place in the plan; those not created yet are missing. */
  readonly jobs = new Map<number, MadeJob>()
  /** What was seen to be wrong while it ran. */
  readonly violations: string[] = []
  readonly diary: string[] = []
  readonly #database: DatabaseAddress
  readonly #breakage: Breakage | undefined
  readonly #workers: Worker[] = []
  readonly #pending = new Set<Promise<unknown>>()
  #userId = 0
  readonly #began = performance.now()

  private constructor(stage: Stage, database: DatabaseAddress, plan: Round['plan'], breakage?: Breakage) {
    this.stage = stage
    this.plan = plan
    this.#database = database
    this.#breakage = breakage
    this.sql = connect(database, { max: 4, applicationName: 'office' })
  }

  static async open(stage: Stage, plan: Plan, breakage?: Breakage): Promise<Round> {
    const round = new Round(stage, await stage.createDatabase(), plan, breakage)
    round.#userId = (await factories(round.sql, secretsOf('chaos')).user()).id
    for (const [index, account] of plan.accounts.entries())
      round.accounts.push(await addAccount(round.sql, `${round.#database.database}_${index}`, account))
    await stage.simulator.setClockAhead(plan.providerAheadMs)
    await stage.simulator.setLatency(plan.latencyMs)
    for (let slot = 0; slot < plan.workers; slot++) round.#startWorker(slot, 1)
    return round
  }

  get database() {
    return this.#database
  }

  get tokens(): string[] {
    return this.accounts.map(({ token }) => token)
  }

  note(what: string) {
    this.diary.push(`${((performance.now() - this.#began) / 1000).toFixed(2)} s  ${what}`)
  }

  account(index: number): Account {
    const account = this.accounts[index]
    if (!account) throw new Error(`There is no account ${index}`)
    return account
  }

  async createJob(place: number, plan: JobPlan): Promise<void> {
    if (this.jobs.has(place)) return
    const account = this.account(plan.account)
    const chats = plan.recipients.map((at) => account.chats[plan.kind][at] ?? '')
    const id = await again(() =>
      this.sql.begin(async (tx) => {
        const groups = await tx<{ id: number; chatId: string }[]>`
          select id, chat_id from groups where instance_id = ${account.id}`
        const [{ dueAt }] = await tx<[{ dueAt: string }]>`
          select clock_now() + make_interval(secs => ${plan.dueInSeconds}) as due_at`
        return planJob(tx, {
          jobType: plan.kind === 'groups' ? 'SendToGroups' : 'SendToUsers',
          messageId: null,
          textContent: this.plan.isMarked ? `job ${place} run 1` : 'Hello',
          imageId: plan.withImage ? account.imageId : null,
          instanceId: account.id,
          scheduledAt: plan.dueInSeconds > 0 ? dueAt : null,
          createdBy: { id: this.#userId, name: 'Ann' },
          recipients: chats.map((chatId) => ({
            chatId,
            name: chatId,
            groupId: groups.find((group) => group.chatId === chatId)?.id ?? null,
          })),
        })
      }),
    )
    this.jobs.set(place, { id, plan, chats })
  }

  #startWorker(slot: number, generation: number) {
    const name = `worker ${slot}.${generation}`
    const breakage = this.#breakage ? { breakage: this.#breakage } : {}
    const options = { name, database: this.#database, accountWaitMs: this.plan.accountWaitMs, ...breakage }
    this.#workers[slot] = { name, program: this.stage.startWorker(options), isStopped: false }
  }

  /** Where the newest send was begun: most likely it is still under way there. */
  async slotOfSender(): Promise<number> {
    const [newest] = await again(
      () => this.sql<{ who: string }[]>`
        select who from chaos.story where became = 'sending' order by id desc limit 1`,
    )
    return Number(newest?.who.match(/worker (\d)/)?.[1] ?? 0)
  }

  worker(slot: number): Worker {
    const worker = this.#workers[slot % this.#workers.length]
    if (!worker) throw new Error(`There is no worker ${slot}`)
    return worker
  }

  async killWorker(slot: number): Promise<void> {
    const index = slot % this.#workers.length
    const worker = this.worker(index)
    this.#expectAlive(worker)
    await worker.program.end('SIGKILL')
    this.#hear(worker)
    this.#startWorker(index, Number(worker.name.split('.')[1]) + 1)
  }

  /** SIGSTOP, and after so many fast seconds SIGCONT, unless it was killed meanwhile. Does not wait for it. */
  stopWorker(slot: number, seconds: number) {
    const worker = this.worker(slot)
    this.#expectAlive(worker)
    process.kill(worker.program.pid, 'SIGSTOP')
    worker.isStopped = true
    this.later(seconds, async () => this.#continue(worker))
  }

  #continue(worker: Worker) {
    if (worker.isStopped && worker.program.isRunning) process.kill(worker.program.pid, 'SIGCONT')
    worker.isStopped = false
  }

  /** Does something after so many fast seconds, or when the round comes to its end before. */
  later(seconds: number, task: () => Promise<unknown>) {
    const done = delay(seconds * 100, undefined, { signal: this.#ending.signal })
      .catch(() => {})
      .then(task)
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
  }
  readonly #ending = new AbortController()

  #expectAlive({ name, program }: Worker) {
    if (!program.isRunning) this.violations.push(`${name} ended by itself: ${program.stderr}`)
  }

  /** An error that the engine did not expect is a violation, even if all came well. */
  #hear({ name, program }: Worker) {
    const errors = program.stderr.split('\n').filter((line) => line.startsWith('ERROR'))
    for (const error of new Set(errors)) this.violations.push(`${name} logged: ${error}`)
    if (program.stderr.includes('Error') && errors.length === 0 && !/(warn|info) /.test(program.stderr))
      this.violations.push(`${name} said: ${program.stderr}`)
  }

  /** Until so many sends have begun, or none begins for a while, or all jobs have ended. */
  async progress(sends: number): Promise<void> {
    for (let idleSince = performance.now(); ; await delay(20)) {
      const begun = await this.#countSends()
      if (begun >= sends || (await this.#isIdle())) return
      if (begun !== this.#begun) {
        this.#begun = begun
        this.#isStuck = false
        idleSince = performance.now()
      }
      const idleMs = performance.now() - idleSince
      if (idleMs > (this.#isStuck ? IDLE_MS : STUCK_MS)) {
        this.#isStuck = true
        return
      }
      if (idleMs > IDLE_MS) await again(() => leapToNextMoment(this.sql, (what) => this.note(what)))
    }
  }
  #begun = 0
  #isStuck = false

  async #countSends(): Promise<number> {
    const [{ begun }] = await again(
      () => this.sql<[{ begun: number }]>`
        select count(*) as begun from chaos.story where became = 'sending'`,
    )
    return begun
  }

  async #isIdle(): Promise<boolean> {
    const live = await again(
      () => this.sql`select from jobs where status in ('Pending', 'Running') or settling limit 1`,
    )
    return live.count === 0
  }

  /** Ends all faults, lets everything go on, and waits until nothing is open any more. */
  async comeToRest(withinS = SETTLE_S): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#pending)
    await this.stage.simulator.clearFaults()
    for (const worker of this.#workers) this.#expectAlive(worker)
    const giveUpAt = performance.now() + withinS * 1000
    for (;;) {
      const open = await again(() => whatIsOpen(this.sql))
      if (open === null) break
      await again(() => leapToNextMoment(this.sql, (what) => this.note(what)))
      if (performance.now() > giveUpAt) {
        this.violations.push(`It did not come to rest: ${open}`)
        break
      }
      await delay(50)
    }
    await Promise.all(this.#workers.map((worker) => this.#end(worker)))
  }

  async #end(worker: Worker) {
    // Before it has said so it can't be asked.
    await worker.program.says(/The worker runs/)
    const code = await worker.program.end('SIGTERM')
    if (code !== 0) this.violations.push(`${worker.name} ended with ${code}: ${worker.program.stderr}`)
    this.#hear(worker)
  }

  async ledger(): Promise<LedgerEntry[]> {
    return (await Promise.all(this.tokens.map((token) => this.stage.simulator.ledger(token)))).flat()
  }

  setClock = (seconds: number) => again(() => setClock(this.sql, seconds))

  /** Never throws for a database that is away: the person would see 503 and try again. */
  async ask<T>(task: () => Promise<T>): Promise<T | 'away'> {
    try {
      return await task()
    } catch (error) {
      if (isDatabaseDown(error)) return 'away'
      throw error
    }
  }

  async [Symbol.asyncDispose]() {
    this.#ending.abort()
    await Promise.all(this.#pending)
    await Promise.all(this.#workers.map(({ program }) => program.end('SIGKILL')))
    await this.sql.end({ timeout: 1 })
  }
}
