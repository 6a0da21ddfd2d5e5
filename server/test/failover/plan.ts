import type { InstancePlan, JobPlan, Plan } from '../chaos/plan.ts'
import { createRandom, type Random } from '../chaos/random.ts'
import { type Fault, faults } from './failover-cluster.ts'

export type FailoverPlan = {
  fault: Fault
  isSynchronous: boolean
  /** The standby receives nothing for so long, in real time. Without synchronous replication those commits are lost. */
  lagMs: number
  /** So many requests take so long until the provider accepts the message. */
  slowSendsMs: number[]
  /** The fault comes when this many messages have been sent. */
  afterSends: number
  /** These jobs are cancelled after the promotion, before their accounts are checked, and sent to the rest later. */
  sentAgain: number[]
  run: Plan
}

const INSTANCES = 5
/**
 * So many of them have long pauses, as in real life, of 27 s at most: sending resumes within 30 s. The others are fast, so
 * that a short lag loses many messages.
 */
const PAUSING = 2
const RECIPIENTS_PER_JOB = 13

/** The same seed always gives the same plan. Consecutive seeds have all faults, each with both kinds of replication. */
export function planFailover(seed: number, speed: number): FailoverPlan {
  const random = createRandom(seed)
  const { int, chance, pick } = random
  const isSynchronous = seed % 2 === 0
  const instances = Array.from({ length: INSTANCES }, (_, index) =>
    planInstance(random, index < PAUSING ? 9_000 : 100 * speed),
  )
  const jobs = instances.flatMap((_, instance) => [
    planJob(random, instance, 'groups'),
    planJob(random, instance, 'people'),
  ])
  const quickSends = (INSTANCES - PAUSING) * 2 * RECIPIENTS_PER_JOB
  return {
    fault: faults[seed % faults.length] ?? 'switchover',
    isSynchronous,
    lagMs: isSynchronous && chance(0.5) ? 0 : pick([300, 1000, 4000]),
    slowSendsMs: Array.from({ length: pick([0, 5]) }, () => int(1_000, 18_000)),
    afterSends: Math.round((quickSends * int(5, 30)) / 100),
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
      actions: [],
    },
    // One job of an account, so that the other one is what the account is checked for.
    sentAgain: instances.flatMap((_, instance) => (chance(0.5) ? [2 * instance + int(0, 1)] : [])),
  }
}

function planInstance({ int }: Random, pauseMs: number): InstancePlan {
  const from = int(pauseMs, pauseMs * 1.5)
  return { pauseMs: { group: from, private: from }, cap: 0 }
}

const planJob = ({ chance, sample }: Random, instance: number, kind: JobPlan['kind']): JobPlan => ({
  instance,
  kind,
  // WhatsApp refuses the recipient at index 0.
  recipients: sample(
    Array.from({ length: 19 }, (_, index) => index + 1),
    RECIPIENTS_PER_JOB,
  ),
  withImage: chance(0.3),
  dueInSeconds: 0,
})
