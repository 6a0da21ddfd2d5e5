import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { planJob } from '../../src/engine/index.ts'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { isDatabaseDown } from '../../src/platform/database/errors.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { factories } from '../factories.ts'
import { until } from '../until.ts'
import { type Account, addAccount } from './accounts.ts'
import type { Breakage } from './breakages.ts'
import { Crew } from './crew.ts'
import { setClock } from './instruments.ts'
import { Office } from './office.ts'
import { receiptsAgree } from './oracle-receipts.ts'
import type { JobPlan, Plan } from './plan.ts'
import { gatherReceipts } from './receipts.ts'
import { leapToNextMoment, leapToNextReceipt, seeAccountsWell, whatIsOpen } from './rest.ts'
import { SECRET_KEY } from './secret-key.ts'
import { again, type Stage } from './stage.ts'

/** How long a round may take to come to rest, in seconds of ours. */
const SETTLE_S = 90
/** When nothing is sent for so long the clock is set on, and after so long the next thing of the plan is done. */
const IDLE_MS = 200
const STUCK_MS = 1_200
/** Of the fast clock: all is told within 5 s, but for what is made late. */
const QUICK_RECEIPTS = { sentMs: 200, deliveredMs: 1000, readMs: 3000, spreadMs: 1000, readPercent: 50 }
const LAST_RECEIPT_MS = 20_000

export type MadeJob = { id: number; plan: JobPlan; chats: string[] }

/** One round on its own database: accounts, jobs and the workers that send for them. */
export class Round {
  readonly plan: Plan
  readonly stage: Stage
  readonly db: Pool
  readonly accounts: Account[] = []
  /** By their place in the plan; those not created yet are missing. */
  readonly jobs = new Map<number, MadeJob>()
  /** What was seen to be wrong while it ran. */
  readonly violations: string[] = []
  readonly diary: string[] = []
  office: Office | null = null
  readonly #database: DatabaseAddress
  readonly crew: Crew
  readonly #pending = new Set<Promise<unknown>>()
  #userId = 0
  readonly #began = performance.now()

  private constructor(stage: Stage, database: DatabaseAddress, plan: Plan, breakage?: Breakage) {
    this.stage = stage
    this.plan = plan
    this.#database = database
    const { accountWaitMs } = plan
    this.crew = new Crew(stage, { database, accountWaitMs, ...(breakage && { breakage }) }, this.violations)
    this.db = connect(database, { max: 4, applicationName: 'office' })
  }

  static async open(stage: Stage, plan: Plan, breakage?: Breakage): Promise<Round> {
    const round = new Round(stage, await stage.createDatabase(), plan, breakage)
    const user = await factories(round.db, secretsOf(SECRET_KEY)).admin()
    round.#userId = user.id
    for (const [index, account] of plan.accounts.entries())
      round.accounts.push(
        await addAccount(round.db, `${round.#database.database}_${index}`, account, plan.receipts),
      )
    await stage.simulator.setClockAhead(plan.providerAheadMs)
    await stage.simulator.setLatency(plan.latencyMs)
    for (let slot = 0; slot < plan.workers; slot++) round.crew.start(slot, 1)
    if (plan.receipts)
      for (const token of round.tokens) await stage.simulator.setReceipts(token, QUICK_RECEIPTS)
    if (plan.receipts === 'webhook') await round.#openOffice(plan.seed, user.token)
    return round
  }

  /** With the provider's calls to it set. */
  async #openOffice(seed: number, token: string) {
    const launch = (port: number, publicUrl: string) =>
      this.stage.startServer(this.#database, port, publicUrl)
    this.office = await Office.open({ launch, token, seed, includeUnknown: !this.plan.isMarked })
    await until('the webhooks are set', async () => {
      return (await this.db.run(sql`select from instances where webhook_base is null limit 1`)) === 0
    })
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
      this.db.begin(async (tx) => {
        const groups = await tx.many<{ id: number; chatId: string }>(sql`
          select id, chat_id from groups where instance_id = ${account.id}`)
        const { dueAt } = await tx.one<{ dueAt: string }>(sql`
          select clock_now() + make_interval(secs => ${plan.dueInSeconds}) as due_at`)
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

  /** Where the newest send was begun: most likely it is still under way there. */
  async slotOfSender(): Promise<number> {
    const [newest] = await again(() =>
      this.db.many<{ who: string }>(sql`
        select who from chaos.story where became = 'sending' order by id desc limit 1`),
    )
    return Number(newest?.who.match(/worker (\d)/)?.[1] ?? 0)
  }

  killWorker = (slot: number) => this.crew.kill(slot)

  /** Does something after so many fast seconds, or when the round comes to its end before. */
  later(seconds: number, task: () => unknown) {
    const done = delay(this.stage.real(seconds * 1000), undefined, { signal: this.#ending.signal })
      .catch(() => {})
      .then(task)
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
  }
  readonly #ending = new AbortController()

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
      if (idleMs > IDLE_MS) await again(() => leapToNextMoment(this.db, (what) => this.note(what)))
    }
  }
  #begun = 0
  #isStuck = false

  async #countSends(): Promise<number> {
    const { begun } = await again(() =>
      this.db.one<{ begun: number }>(sql`
        select count(*) as begun from chaos.story where became = 'sending'`),
    )
    return begun
  }

  async #isIdle(): Promise<boolean> {
    const live = await again(() =>
      this.db.run(sql`select from jobs where status in ('Pending', 'Running') or settling limit 1`),
    )
    return live === 0
  }

  /** Ends all faults, lets everything go on, and waits until nothing is open any more. */
  async comeToRest(withinS = SETTLE_S): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#pending)
    await this.stage.simulator.clearFaults()
    this.crew.expectAlive()
    const giveUpAt = performance.now() + withinS * 1000
    for (;;) {
      const open = await again(() => whatIsOpen(this.db))
      if (open === null) break
      await again(() => leapToNextMoment(this.db, (what) => this.note(what)))
      if (performance.now() > giveUpAt) {
        this.violations.push(`It did not come to rest: ${open}`)
        break
      }
      await delay(50)
    }
    if (this.plan.receipts) await this.#receiptsComeIn(giveUpAt)
    this.violations.push(...((await this.office?.close()) ?? []))
    await this.crew.end()
  }

  /** Until all is told, and what was told is applied; where it is asked for, time is leapt over. */
  async #receiptsComeIn(giveUpAt: number) {
    await delay(this.stage.real(LAST_RECEIPT_MS))
    await again(() => seeAccountsWell(this.db))
    for (; performance.now() < giveUpAt; await delay(50)) {
      const isAllTold = !this.office?.post.hasMore
      if (isAllTold && receiptsAgree(await again(() => gatherReceipts(this))).length === 0) return
      await again(() => leapToNextReceipt(this.db, (what) => this.note(what)))
    }
  }

  async ledger(): Promise<LedgerEntry[]> {
    return (await Promise.all(this.tokens.map((token) => this.stage.simulator.ledger(token)))).flat()
  }

  setClock = (seconds: number) => again(() => setClock(this.db, seconds))

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
    await this.crew[Symbol.asyncDispose]()
    await this.office?.[Symbol.asyncDispose]()
    await this.db.end(1000)
  }
}
