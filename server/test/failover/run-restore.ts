import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/platform/database/sql.ts'
import { ChaosRun } from '../chaos/chaos-run.ts'
import type { Environment } from '../chaos/environment.ts'
import { collect, type Evidence, formatEvidence } from '../chaos/evidence.ts'
import { nobodyGotTwoMessages, rowInvariants } from '../chaos/invariants.ts'
import type { JobPlan, Plan } from '../chaos/plan.ts'
import type { SeriesPlan } from '../chaos/plan-series.ts'
import { createRandom, type Random } from '../chaos/random.ts'
import { changeSeriesOf } from '../chaos/series.ts'
import { countResults, type Tally } from '../chaos/tally.ts'

const INSTANCES = 2
/** In fast time: a message of a worker that was killed has reached the provider by then. */
const SENDS_END_MS = 25_000
/** In fast time. Whatever is not paused would send meanwhile. */
const WATCH_MS = 15_000

/**
 * Backs up jobs and series while they send, loses what they do afterwards, and restores the backup. Then somebody
 * resumes everything. The provider's ledger judges: the restored database knows nothing of what was lost.
 */
export async function runRestore(environment: Environment, seed: number) {
  const began = performance.now()
  const { backUpAfter, loseAfter, run: plan } = planRestore(seed)
  await using former = await ChaosRun.open(environment, plan)
  for (const [index, series] of (plan.series ?? []).entries()) await former.createSeries(index, series)
  for (const [index, job] of plan.jobs.entries()) await former.createJob(index, job)
  await former.progress(backUpAfter)
  const restore = await environment.backUp(former.database)
  await former.progress(loseAfter)
  await former.workerPool[Symbol.asyncDispose]()
  await delay(environment.toRealMs(SENDS_END_MS))
  const lost = await former.ledger()

  await using run = ChaosRun.continueIn(await restore(), former)
  await delay(environment.toRealMs(WATCH_MS))
  const sentBySelf = (await run.ledger()).length - lost.length
  const notPaused = await run.db.run(sql`select from series where state = 'active'`)
  const resumedAt = (await run.db.one<{ at: string }>(sql`select clock_now() as at`)).at
  for (const series of run.series.keys()) await changeSeriesOf(run, { kind: 'resume series', series })
  await run.waitForQuiescence()
  const evidence = await collect(run)
  const tally: Tally = {
    ...countResults(evidence),
    'messages lost': lost.filter(({ id }) => !isKnown(evidence, id)).length,
  }
  return {
    violations: [
      ...run.violations,
      ...(sentBySelf > 0 ? [`${sentBySelf} messages were sent before anybody resumed anything`] : []),
      ...(notPaused > 0 ? [`${notPaused} series were not paused by the restore`] : []),
      ...findLateRuns(evidence, resumedAt),
      ...rowInvariants.flatMap((invariant) => invariant(evidence)),
      ...nobodyGotTwoMessages(evidence),
    ],
    tally,
    seconds: (performance.now() - began) / 1000,
    report: () =>
      [JSON.stringify(plan), ...former.logLines, ...run.logLines, ...formatEvidence(evidence)].join('\n'),
  }
}

const isKnown = ({ deliveries }: Evidence, id: string) =>
  deliveries.some(({ providerMessageId }) => providerMessageId === id)

/** A resume never makes a run that has passed. */
const findLateRuns = ({ log }: Evidence, resumedAt: string) =>
  log
    .filter(({ kind, became, dueAt }) => kind === 'run' && became === 'made' && (dueAt ?? '') < resumedAt)
    .map(
      ({ localTime, dueAt }) =>
        `The run ${localTime}, due at ${dueAt}, was made after the resume at ${resumedAt}`,
    )

/** The same seed always gives the same plan. */
function planRestore(seed: number): { backUpAfter: number; loseAfter: number; run: Plan } {
  const random = createRandom(seed)
  const { int, pick } = random
  const series = Array.from({ length: 3 }, (_, n) => planSeries(random, n % INSTANCES))
  const jobs = Array.from({ length: INSTANCES }, (_, instance) => planJob(random, instance))
  const backUpAfter = int(1, 20)
  return {
    backUpAfter,
    loseAfter: backUpAfter + int(0, 20),
    run: {
      ...{ seed, workers: 2, hasUniqueTexts: true, providerAheadMs: 0, accountWaitMs: 24 * 3600_000 },
      latencyMs: pick([0, 300, 1000]),
      instances: jobs.map(() => {
        const pauseMs = int(500, 1500)
        return { pauseMs: { group: pauseMs, private: pauseMs }, cap: 0 }
      }),
      jobs,
      series,
      actions: [],
    },
  }
}

/** WhatsApp refuses the recipient at index 0. */
const somebody = ({ sample }: Random, count: number) =>
  sample(
    Array.from({ length: 19 }, (_, index) => index + 1),
    count,
  )

const planJob = (random: Random, instance: number): JobPlan => ({
  ...{ instance, recipients: somebody(random, 8), withImage: false, dueInSeconds: 0 },
  kind: random.pick(['groups', 'people']),
})

const planSeries = (random: Random, instance: number): SeriesPlan => {
  const first = random.int(1, 3)
  return {
    ...{
      instance,
      recipients: somebody(random, 3),
      withImage: false,
      messages: 2,
      isFrozen: random.chance(0.3),
    },
    kind: random.pick(['groups', 'people']),
    ...{ minutes: [first, first + random.int(1, 3)], runLimit: 4, timeZone: 'Asia/Ho_Chi_Minh' },
    ...{ overlap: random.pick(['skip', 'wait']), quietPolicy: 'move' },
  }
}
