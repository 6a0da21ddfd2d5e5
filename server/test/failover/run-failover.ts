import { setTimeout as delay } from 'node:timers/promises'
import { cancelJob, retryFailed } from '../../src/engine/index.ts'
import type { Tx } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { ChaosRun } from '../chaos/chaos-run.ts'
import type { Environment } from '../chaos/environment.ts'
import { collect, type Evidence, formatEvidence } from '../chaos/evidence.ts'
import { findViolations } from '../chaos/invariants.ts'
import type { Mutant } from '../chaos/mutants.ts'
import { write } from '../chaos/opt-outs.ts'
import { SENDS } from '../chaos/plan-faults.ts'
import { changeSeriesOf } from '../chaos/series.ts'
import { countDoubts, countResults, type Tally } from '../chaos/tally.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import { until } from '../until.ts'
import type { FailoverCluster } from './failover-cluster.ts'
import { type FailoverPlan, planFailover } from './plan.ts'
import { countLostIntents, countRunsMadeAgain, findResumptions, type Resumption } from './resumption.ts'

/** In the engine's time. An instance that has sent nothing by then counts as stuck. */
const STUCK_AFTER_MS = 120_000
/** In the engine's time. The accounts are checked 30 s after the promotion. */
const HELD_MS = 45_000

export type FailoverResult = {
  plan: FailoverPlan
  violations: string[]
  tallies: Record<'results' | 'doubts', Tally>
  resumptions: Resumption[]
  seconds: number
  /** Everything that happened, for the analysis of a violation. */
  report: () => string
}

/** Sends jobs, fails over in the middle of them, and judges by the provider's ledger when all is sent. */
export async function runFailover(
  environment: Environment,
  cluster: FailoverCluster,
  seed: number,
  mutant?: Mutant,
): Promise<FailoverResult> {
  const began = performance.now()
  const plan = planFailover(seed, cluster.speed)
  await cluster.prepare(plan)
  await using run = await ChaosRun.open(environment, plan.run, mutant)
  const createJobs = async (isPausing: boolean) => {
    for (const [index, job] of plan.run.jobs.entries())
      if (plan.pausing.includes(index) === isPausing) await run.createJob(index, job)
  }
  await createJobs(false)
  await until('enough is sent', async () => (await run.ledger()).length >= plan.afterSends)
  await createJobs(true)
  await until('the others are in their pause', async () => (await countUnsent(run, plan)) === 0)
  await planRuns(run, plan)
  await cluster.catchUp()
  if (plan.lagMs > 0) {
    run.log('the standby receives nothing more')
    cluster.stallReplication()
    await delay(plan.lagMs)
  }
  await sayStops(run)
  for (const delayMs of plan.slowSendsMs)
    await environment.simulator.addFault({ path: SENDS, kind: 'slow', delayMs, times: 1 })
  run.log(plan.fault)
  const promotedAt = await cluster.failOver(plan.fault)
  run.log(`promoted ${Date.now() - promotedAt} ms ago`)
  const promotion = {
    providerMs: environment.now() - (Date.now() - promotedAt) * cluster.speed,
    trueMs: promotedAt * cluster.speed,
  }
  const held = plan.isSeriesHeld && holdSeries(run)
  for (const job of plan.sentAgain) await changeJob(run, job, 'cancelled', cancelJob)
  const stuckAt = promotion.trueMs + STUCK_AFTER_MS
  while (Date.now() * cluster.speed < stuckAt && (await countSilent(run, promotion.trueMs)) > 0)
    await delay(50)
  await held
  for (const job of plan.sentAgain) await changeJob(run, job, 'sent again', sendToRemaining)
  await run.waitForQuiescence()
  const evidence = await collect(run)
  const messages = evidence.ledger.map(({ token, to, body, caption }) => `${token} ${to} ${body ?? caption}`)
  const results = {
    ...countResults(evidence),
    duplicates: messages.length - new Set(messages).size,
    'intents lost': countLostIntents(evidence, promotion),
    'opt-outs': evidence.stops.length,
    'runs made again': countRunsMadeAgain(evidence, promotion),
  }
  return {
    plan,
    violations: [
      ...run.violations,
      ...findUnreached(evidence),
      ...findUnheard(evidence, promotion.trueMs),
      ...(await findViolations(evidence)),
    ],
    tallies: { results, doubts: countDoubts(evidence) },
    resumptions: findResumptions(evidence, promotion),
    seconds: (performance.now() - began) / 1000,
    report: () => [JSON.stringify(plan), ...run.logLines, ...formatEvidence(evidence)].join('\n'),
  }
}

/** Makes the series, and moves their runs to the seconds around the fault. */
async function planRuns(run: ChaosRun, { run: { series = [] }, runsInSeconds }: FailoverPlan) {
  for (const [index, plan] of series.entries()) {
    await run.createSeries(index, plan)
    const toSeconds = runsInSeconds[index] ?? 0
    run.log(`run due at ${await changeSeriesOf(run, { kind: 'move next run', series: index, toSeconds })}`)
  }
}

const holdSeries = ({ db, environment }: ChaosRun) =>
  retryWhileDown(() =>
    db.begin(async (tx) => {
      await tx.run(sql`select from series order by id for update`)
      await delay(environment.toRealMs(HELD_MS))
    }),
  )

/**
 * Does what a user does with a job of the plan. A job that has ended before can't be cancelled, and has nobody left.
 */
async function changeJob(
  run: ChaosRun,
  index: number,
  what: string,
  change: (tx: Tx, jobId: number, byName: string) => Promise<string>,
) {
  const jobId = run.jobs.get(index)?.id ?? 0
  const answer = await until(`job ${jobId} is ${what}`, async () => {
    const said = await retryWhileDown(() => run.db.begin((tx) => change(tx, jobId, 'Ann')))
    return said !== 'settling' && said
  })
  run.log(`job ${jobId} is ${what}: ${answer}`)
}

const sendToRemaining = (tx: Tx, jobId: number, byName: string) =>
  retryFailed(tx, jobId, byName, { includeUnknown: false })

/** The last recipient of each job to people, if still waiting, opts out. No webhook tells the workers of it. */
async function sayStops(run: ChaosRun) {
  const last = await run.db.many<{ instanceId: number; chatId: string }>(sql`
    select distinct on (job_id) instance_id, chat_id from deliveries
    where status = 'queued' and group_id is null order by job_id, id desc`)
  for (const { instanceId, chatId } of last) {
    const instance = run.instances.find(({ id }) => id === instanceId)
    if (instance) await write(run, instance, chatId, 'stop')
  }
}

/** The new era reads what people have written before it writes to anybody. */
const findUnheard = ({ stops, log }: Evidence, promotedTrueMs: number) =>
  stops
    .filter(({ chatId, instanceId }) =>
      log.some(
        (entry) =>
          entry.became === 'sending' &&
          entry.trueMs > promotedTrueMs &&
          entry.chatId === chatId &&
          entry.instanceId === instanceId,
      ),
    )
    .map(({ chatId }) => `${chatId} has opted out before the promotion, and got an intent after it`)

/** The provider accepts every message of a plan, so only those who have opted out may be left out. */
const findUnreached = ({ deliveries }: Evidence) =>
  deliveries
    .filter(({ status, reason }) => status !== 'sent' && reason?.code !== 'opted_out')
    .map(({ id, status, reason }) => `Delivery ${id} ended as ${status} (${reason?.code})`)

/** The instances with long pauses that have not sent their first message yet. */
const countUnsent = ({ db, jobs }: ChaosRun, { pausing }: FailoverPlan) =>
  db.run(sql`
    select from jobs j
    where j.id = any(${pausing.map((index) => jobs.get(index)?.id ?? 0)})
      and not exists (select from deliveries where instance_id = j.instance_id and status = 'sent')`)

/** The instances that have something to send and have sent nothing since the promotion. */
const countSilent = ({ db }: ChaosRun, promotedTrueMs: number) =>
  retryWhileDown(() =>
    db.run(sql`
      select from instances i
      where exists (select from deliveries where instance_id = i.id and status = 'queued')
        and not exists (
          select from chaos.log
          where instance_id = i.id and became = 'sending' and true_ms > ${promotedTrueMs})`),
  )
