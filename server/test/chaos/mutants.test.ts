import type { LedgerEntry } from '@sendroom/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { skipRun } from '../../src/features/series/runs.service.ts'
import { lockAuthor } from '../../src/platform/access.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { until } from '../until.ts'
import { addBarrier, isWaiting } from './barriers.ts'
import type { CancellerOptions } from './canceller.ts'
import { ChaosRun } from './chaos-run.ts'
import { Environment } from './environment.ts'
import { collect, formatEvidence } from './evidence.ts'
import { readLog, shiftIdleClock } from './instruments.ts'
import { findViolations } from './invariants.ts'
import type { Mutant } from './mutants.ts'
import { store } from './opt-outs.ts'
import type { JobPlan, Plan } from './plan.ts'
import type { SeriesPlan } from './plan-series.ts'
import { repeatStalled } from './repeat-stalled.ts'

let environment: Environment
beforeAll(async () => {
  environment = await Environment.open()
}, 60_000)
afterAll(() => environment[Symbol.asyncDispose]())

const job: JobPlan = { instance: 0, kind: 'people', recipients: [1], withImage: false, dueInSeconds: 0 }

const planWithoutActions: Plan = {
  seed: 0,
  workers: 2,
  hasUniqueTexts: true,
  providerAheadMs: 0,
  latencyMs: 0,
  accountWaitMs: 24 * 3600_000,
  instances: [{ pauseMs: { group: 0, private: 0 }, cap: 0 }],
  jobs: [],
  actions: [],
}

/** The slot of the worker that waits for a lock. */
async function slotThatWaits({ db }: ChaosRun): Promise<number> {
  const { name } = await db.one<{ name: string }>(sql`
    select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'worker%' and wait_event_type = 'Lock' limit 1`)
  return name.startsWith('worker 0') ? 0 : 1
}

type Scenario = {
  mutant: Mutant
  plan?: Partial<Plan>
  /** Brings about the moment at which the mutant fails. */
  play: (run: ChaosRun, mutant?: Mutant) => Promise<unknown>
  violation: RegExp
  /** With the mutant, the run never reaches quiescence. */
  neverFinishes?: boolean
}

const scenarios: Scenario[] = [
  {
    mutant: 'run marked after its job',
    async play(run, mutant) {
      const marked = await addBarrier(
        run.db,
        'worker',
        `after update on series_runs for each row when (new.state = 'made')`,
      )
      await run.createSeries(0, daily)
      await shiftToRun(run)
      await marked.isReached()
      if (mutant) await until('the job sends', async () => (await run.ledger()).length > 0)
      await run.killWorker(await slotThatWaits(run))
      await marked.open()
    },
    violation: /Sent \d times/,
  },
  {
    mutant: 'run chosen before its locks',
    async play(run) {
      await run.createSeries(0, daily)
      await run.db.begin(async (tx) => {
        await tx.run(sql`select from users for update`)
        await shiftToRun(run)
        await until('the run waits for its author', () => isWaiting(run.db, 'worker'))
        const planned = await tx.one<{ id: number; seriesId: number }>(sql`
          select id, series_id from series_runs`)
        const author = await lockAuthor(tx, run.userId)
        if (author) await skipRun((work) => work(tx, author), planned.seriesId, planned.id)
      })
    },
    violation: /A run changed after its end: .* skipped → made/,
  },
  {
    mutant: 'intent written after the send',
    plan: { latencyMs: 15_000 },
    async play(run) {
      await run.createJob(0, job)
      await until('the provider has accepted the message', async () => (await run.ledger()).length > 0)
      const sender = (await readLog(run.db)).find(({ kind, became }) => kind === 'claim' && became)?.actor
      // The other worker still runs. Without one, a new era would find the message in the chat history.
      await run.killWorker(sender?.startsWith('worker 0') ? 0 : 1)
    },
    violation: /Sent 2 times/,
  },
  {
    mutant: 'claim token not checked',
    async play(run) {
      const { db, workerPool } = run
      const { simulator } = environment
      // A worker's writes lock the instance here. No lock is held during the uploads; the first one ends first.
      const rule = { path: '^/media$', kind: 'slow', times: 1, token: run.instance(0).token } as const
      for (const delayMs of [10_000, 28_000]) await simulator.addFault({ ...rule, delayMs })
      await simulator.takeFaultsMet()
      await run.createJob(0, { ...job, withImage: true })
      await until('an upload begins', async () => (await simulator.takeFaultsMet()).slow)
      const claimers = async () =>
        (await readLog(db)).filter(({ kind, became }) => kind === 'claim' && became).map(({ actor }) => actor)
      const hasBegun = async () => (await readLog(db)).some(({ became }) => became === 'sending')
      const [first = ''] = await claimers()
      // Stopped, the first worker can't claim the instance again when the lease has ended by the database's clock.
      const goOn = workerPool.stop(first.startsWith('worker 0') ? 0 : 1)
      await run.shiftClock(30)
      await until(
        'the other worker claims the instance, or a message is sent',
        async () => (await claimers()).some((actor) => actor !== first) || hasBegun(),
      )
      goOn()
      await until('a message is sent', hasBegun)
    },
    violation: /An intent by worker \d\.1 while worker \d\.1 held the instance/,
  },
  {
    mutant: 'look-up believed at once',
    async play(run) {
      const token = run.instance(0).token
      const rule = { path: '^/messages/text', kind: 'slow', delayMs: 28_000, times: 1 } as const
      await environment.simulator.addFault({ ...rule, token })
      await run.createJob(0, job)
      const intent = await until('an intent is written', async () =>
        (await readLog(run.db)).find(({ became }) => became === 'sending'),
      )
      // The client gives up after 20 s, and the provider accepts the message after 28 s.
      const isLate = ({ at }: LedgerEntry) => at >= Date.parse(intent.at) + 27_000
      await until('the provider accepts the late message', async () => (await run.ledger()).some(isLate))
    },
    violation: /Sent 2 times/,
  },
  {
    mutant: 'look-up of the text with variables',
    async play(run) {
      const rule = { path: '^/messages/text', kind: 'accept-then-drop', times: 1 } as const
      await environment.simulator.addFault({ ...rule, token: run.instance(0).token })
      await run.createJob(0, { ...job, isPersonal: true })
      await until('the message is in doubt', async () =>
        (await readLog(run.db)).some(({ became }) => became === 'doubt'),
      )
    },
    violation: /Sent 2 times/,
  },
  {
    mutant: 'cancel without the lock',
    async play(run, mutant) {
      const { db } = run
      const settled = await addBarrier(
        db,
        'worker',
        `after update on deliveries for each row when (old.status = 'sending' and new.status = 'queued')`,
      )
      const skipped = await addBarrier(db, 'canceller', 'after update on deliveries for each statement')
      // The era that begins with the run has to be checked first, which takes a linked channel.
      await run.createJob(1, { ...job, recipients: [2] })
      await until('the first job is sent', async () =>
        (await readLog(db)).some(({ became }) => became === 'sent'),
      )
      await environment.simulator.changeChannel(run.instance(0).token, { state: 'QR' })
      await run.createJob(0, job)
      await until('the second intent is written', async () => {
        const intents = (await readLog(db)).filter(({ became }) => became === 'sending')
        return intents.length === 2
      })
      await settled.isReached()
      const jobId = run.jobs.get(0)?.id ?? 0
      const options: CancellerOptions = { database: run.database, jobId, ...(mutant ? { mutant } : {}) }
      const canceller = environment.startProgram('canceller.ts', { CANCELLER: JSON.stringify(options) })
      await skipped.isReached()
      await settled.open()
      await until('the delivery is requeued', async () =>
        (await readLog(db)).some(({ was, became }) => was === 'sending' && became === 'queued'),
      )
      await skipped.open()
      expect(await canceller.ended, canceller.stderr).toBe(0)
      await environment.simulator.changeChannel(run.instance(0).token, { state: 'AUTH' })
    },
    violation: /is in no final state/,
    neverFinishes: true,
  },
  {
    mutant: 'opt-out tested before the lock',
    async play(run, mutant) {
      const { db } = run
      if (mutant) await db.run(sql`drop trigger deliveries_skip_opted_out on deliveries`)
      await run.createJob(0, { ...job, dueInSeconds: 10 })
      await db.begin(async (tx) => {
        await tx.run(sql`select from deliveries for update`)
        await until('the intent waits for the row of the delivery', () => isWaiting(db, 'worker'))
        await store(db, run.instance(0).id, run.jobs.get(0)?.chats[0] ?? '', 'stop')
      })
      await until('the delivery is settled', async () =>
        (await readLog(db)).some(({ became }) => became === 'sent' || became === 'skipped'),
      )
    },
    violation: /An intent for somebody who has opted out/,
  },
]

/** Its run comes one to two minutes later: within one, the minute could end before the series is saved. */
const daily: SeriesPlan = {
  ...{ instance: 0, kind: 'people', recipients: [1], withImage: false, isFrozen: false, messages: 1 },
  ...{ minutes: [2], runLimit: 1, timeZone: 'Asia/Ho_Chi_Minh', overlap: 'skip', quietPolicy: 'move' },
}

/** The run of a series that has just been made is due by then. */
const shiftToRun = ({ db }: ChaosRun) => until('the clock is shifted', () => shiftIdleClock(db, 120))

/** The moment lasts less than a second. A busy machine may miss it once, but hardly three times. */
const ATTEMPTS = 3

describe.each(scenarios)('$mutant', { timeout: 480_000 }, (scenario) => {
  async function play(mutant?: Mutant) {
    await using run = await ChaosRun.open(environment, { ...planWithoutActions, ...scenario.plan }, mutant)
    await scenario.play(run, mutant)
    await run.waitForQuiescence(mutant && scenario.neverFinishes ? 2 : undefined)
    const evidence = await collect(run)
    const violations = [...run.violations, ...(await findViolations(evidence))].join('\n')
    return { violations, log: formatEvidence(evidence).join('\n') }
  }

  test('the shipped engine has no violation', async () => {
    const { violations, log } = await repeatStalled(() => play())
    expect(violations, log).toBe('')
  })

  test('the suite detects the mutant', async () => {
    // A run that missed the moment may also wait in vain for what follows from it.
    const attempt = () => play(scenario.mutant).catch((error) => ({ violations: '', log: String(error) }))
    let result = await attempt()
    for (let n = 1; n < ATTEMPTS && !scenario.violation.test(result.violations); n++) result = await attempt()
    expect(result.violations, result.log).toMatch(scenario.violation)
  })
})
