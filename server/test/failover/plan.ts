import type { InstancePlan, JobPlan, Plan } from '../chaos/plan.ts'
import type { SeriesPlan } from '../chaos/plan-series.ts'
import { createRandom, type Random } from '../chaos/random.ts'
import { type Fault, faults } from './failover-cluster.ts'

export type FailoverPlan = {
  fault: Fault
  isSynchronous: boolean
  /** The standby receives nothing for so long, in real time. Without synchronous replication those commits are lost. */
  lagMs: number
  /** So many requests take so long until the provider accepts the message. */
  slowSendsMs: number[]
  /** When the fast instances have sent this many messages, the others begin a pause, and then the fault comes. */
  afterSends: number
  /** The run of each series is due so long after the last moment that the standby surely has. */
  runsInSeconds: number[]
  /** Somebody holds the series after the promotion, so that their runs are made after their accounts are checked. */
  isSeriesHeld: boolean
  /** The jobs of the instances with long pauses. */
  pausing: number[]
  /** These jobs are cancelled after the promotion, before their instances are checked, and sent to the rest later. */
  sentAgain: number[]
  run: Plan
}

const INSTANCES = 5
/** So many of them have long pauses, as in real life. The others are fast, so that a short lag loses many messages. */
const PAUSING = 2
/** Longer than most lags, so that the pause still lasts when the new era begins. Sending resumes within 30 s. */
const PAUSE_MS = 27_000
const isPausing = (instance: number) => instance < PAUSING
const RECIPIENTS = { fast: 13, pausing: 4 }

/** The same seed always gives the same plan. Consecutive seeds have all faults, each with both kinds of replication. */
export function planFailover(seed: number, speed: number): FailoverPlan {
  const random = createRandom(seed)
  const { int, chance, pick } = random
  const isSynchronous = seed % 2 === 0
  const instances = Array.from({ length: INSTANCES }, (_, index) =>
    planInstance(isPausing(index) ? PAUSE_MS : int(100, 150) * speed),
  )
  const jobs = instances.flatMap((_, instance) => {
    const recipients = isPausing(instance) ? RECIPIENTS.pausing : RECIPIENTS.fast
    return [planJob(random, instance, 'groups', recipients), planJob(random, instance, 'people', recipients)]
  })
  const quickSends = (INSTANCES - PAUSING) * 2 * RECIPIENTS.fast
  const series = [planSeries(random, 'groups'), planSeries(random, 'people')]
  return {
    fault: faults[seed % faults.length] ?? 'switchover',
    isSynchronous,
    lagMs: isSynchronous && chance(0.5) ? 0 : pick([300, 1000, 4000]),
    slowSendsMs: Array.from({ length: pick([0, 5]) }, () => int(1_000, 18_000)),
    afterSends: Math.round((quickSends * int(5, 30)) / 100),
    runsInSeconds: series.map(() => int(2, 20)),
    isSeriesHeld: chance(0.5),
    pausing: jobs.flatMap(({ instance }, index) => (isPausing(instance) ? [index] : [])),
    run: {
      seed,
      workers: 2,
      // A duplicate shows in the ledger, whatever the database says.
      hasUniqueTexts: true,
      providerAheadMs: 0,
      latencyMs: pick([0, 30, 100]) * speed,
      accountWaitMs: 24 * 3600_000,
      instances,
      jobs,
      series,
      actions: [],
    },
    // Only one of an instance's two jobs, so that it is checked for the other. In each round a fast instance
    // has one.
    sentAgain: instances.flatMap((_, instance) =>
      instance === PAUSING || chance(0.5) ? [2 * instance + int(0, 1)] : [],
    ),
  }
}

/** A series of one run, of one of the fast instances. */
const planSeries = ({ int, chance, sample }: Random, kind: SeriesPlan['kind']): SeriesPlan => ({
  instance: int(PAUSING, INSTANCES - 1),
  kind,
  recipients: sample(
    Array.from({ length: 19 }, (_, index) => index + 1),
    4,
  ),
  withImage: chance(0.3),
  ...{ minutes: [2], runLimit: 1, timeZone: 'Asia/Ho_Chi_Minh', overlap: 'skip', quietPolicy: 'move' },
  ...{ isFrozen: false, messages: 2 },
})

const planInstance = (pauseMs: number): InstancePlan => ({
  pauseMs: { group: pauseMs, private: pauseMs },
  pauseSpread: 1,
  cap: 0,
})

const planJob = (
  { chance, sample }: Random,
  instance: number,
  kind: JobPlan['kind'],
  recipients: number,
): JobPlan => ({
  instance,
  kind,
  // WhatsApp refuses the recipient at index 0.
  recipients: sample(
    Array.from({ length: 19 }, (_, index) => index + 1),
    recipients,
  ),
  withImage: chance(0.3),
  isPersonal: kind === 'people',
  dueInSeconds: 0,
})
