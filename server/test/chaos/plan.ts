import { disorders, type EncodingRules, type FaultRule, type ReceiptRules } from '@sendroom/simulator'
import { type ContentKind, contentKinds } from './contents.ts'
import { planFault, planTrouble, SENDS, type Trouble } from './plan-faults.ts'
import {
  jobActions,
  planSeries,
  planSeriesActions,
  type SeriesAction,
  type SeriesPlan,
} from './plan-series.ts'
import { createRandom, type Random } from './random.ts'

/** Everything that is done in a chaos run, drawn from the seed. Seconds are those of the fast clock. */
export type Plan = {
  seed: number
  workers: number
  /** Each text contains its job and job run. Otherwise all messages of the chaos run have the same text. */
  hasUniqueTexts: boolean
  providerAheadMs: number
  latencyMs: number
  accountWaitMs: number
  /** How many files the provider encodes again all the same, and how many names it drops. None by default. */
  encoding?: EncodingRules
  instances: InstancePlan[]
  jobs: JobPlan[]
  series?: SeriesPlan[]
  actions: { afterSends: number; action: Action }[]
  /** How Sendroom learns of receipts: the provider calls a webhook, or the workers poll. Undefined: not at all. */
  receipts?: 'webhook' | 'polling'
}

export type InstancePlan = {
  /** The shortest pauses. */
  pauseMs: { group: number; private: number }
  /** The longest pause is so many times the shortest. 2 if it is not given. */
  pauseSpread?: number
  cap: number
  /** No more messages to people in 15 minutes. Unlimited if it is not given. */
  perQuarter?: number
  /** When the quiet hours start, counted from the start of the run, and how long they last. */
  quiet?: { inSeconds: number; forSeconds: number; timeZone: string }
}

export type JobPlan = {
  instance: number
  kind: 'groups' | 'people'
  /** Indexes into the instance's address book. WhatsApp refuses the recipient at index 0. */
  recipients: number[]
  withImage: boolean
  /** Another kind of message than a text or an image. */
  content?: ContentKind
  /** Each recipient, who is a person then, has a text of their own. */
  isPersonal?: boolean
  dueInSeconds: number
}

/** The number of a worker, or the worker that began the newest send, or that made the newest run of a series. */
export type WorkerChoice = number | 'sender' | 'maker'

export type Action =
  | { kind: 'kill worker'; worker: WorkerChoice }
  | { kind: 'stop worker'; worker: WorkerChoice; seconds: number }
  | { kind: 'kill database' }
  | { kind: 'cut connections' }
  | { kind: 'kill provider' }
  | { kind: 'kill server' }
  /** Changes what becomes of the instance's messages and how the provider reports it. */
  | { kind: 'receipts'; instance: number; rules: Partial<ReceiptRules> }
  /** Without an instance, the fault hits all of them. */
  | { kind: 'fault'; instance?: number; rule: FaultRule }
  | { kind: 'trouble'; instance: number; trouble: Trouble; seconds: number }
  /** Messages are lost, and all look-ups fail for ten minutes, so their outcome must become unknown. */
  | { kind: 'unknown outcome'; instance: number }
  /** Our clock or the provider's. Small steps happen at any time; large ones only while nothing is being sent. */
  | { kind: 'shift clock' | 'shift idle clock'; seconds: number }
  | { kind: 'shift provider clock' | 'shift idle provider clock'; seconds: number }
  | { kind: 'write on phone'; instance: number; recipient: number }
  /** A person wants no more messages, or messages again. */
  | { kind: 'say stop' | 'say start'; instance: number; recipient: number }
  | { kind: 'resume instance'; instance: number }
  /** Somebody holds the instance's row, as a cancel of many deliveries does. */
  | { kind: 'lock instance'; instance: number; seconds: number }
  | { kind: 'create job'; job: number }
  | JobAction
  | SeriesAction

export type JobAction = { kind: (typeof jobActions)[number]; job: number }

/** The same seed always gives the same plan. */
export function planRun(seed: number): Plan {
  const random = createRandom(seed)
  const { int, chance, pick } = random
  const isLarge = chance(0.15)
  const receipts =
    isLarge || chance(0.4) ? undefined : pick<Plan['receipts']>(['webhook', 'webhook', 'polling'])
  const { instances, jobs } = isLarge ? planManyInstances(random) : planFewInstances(random, receipts)
  const actions = isLarge ? planLargeRun(random, jobs) : planActions(random, jobs, receipts)
  // The workers poll for one message of an instance in ten seconds.
  const mostRecipients = receipts === 'polling' ? 1 : 3
  const series = planSeries(random, { instances: instances.length, mostRecipients })
  const sends =
    sum(jobs.map(({ recipients }) => recipients.length)) +
    sum(series.map(({ recipients, runLimit }) => recipients.length * runLimit))
  return {
    seed,
    workers: int(2, 4),
    hasUniqueTexts: seed % 2 === 0,
    providerAheadMs: chance(0.5) ? int(-90_000, 90_000) : 0,
    latencyMs: isLarge ? pick([0, 0, 300]) : pick([0, 300, 1000, 3000]),
    accountWaitMs: chance(0.2) ? 60_000 : 24 * 3600_000,
    ...(seed % 3 > 0 && { encoding: { encodesAgainPercent: 50, dropsNamesPercent: 50 } }),
    instances,
    jobs,
    series,
    ...(receipts && { receipts }),
    actions: [
      ...jobs.slice(1).map((_, n) => ({
        afterSends: isLarge ? 0 : int(0, sends / 3),
        action: { kind: 'create job', job: n + 1 } as const,
      })),
      // A deletion before the first sends would leave the run little to check.
      ...[...actions, ...planSeriesActions(random, series)].map((action) => ({
        afterSends: int(action.kind === 'delete job' ? sends * 0.4 : 0, sends * 0.8),
        action,
      })),
    ].sort((a, b) => a.afterSends - b.afterSends),
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0)

type InstancesAndJobs = Pick<Plan, 'instances' | 'jobs'>

/** A few instances of all kinds, with several jobs on one. */
function planFewInstances(random: Random, receipts: Plan['receipts']): InstancesAndJobs {
  const { int, chance } = random
  const instances = Array.from({ length: int(1, 3) }, () => ({
    pauseMs: chance(0.4) ? { group: int(500, 1500), private: int(1000, 2500) } : noPause,
    // A run with a cap lasts for days, and receipts of messages that are a week old no longer count.
    cap: chance(0.3) && !receipts ? int(3, 6) : 0,
    ...(chance(0.3) && { perQuarter: int(2, 5) }),
    ...(chance(0.2) && { quiet: planQuietHours(random) }),
  }))
  // The workers poll for one message of an instance in ten seconds.
  const most = receipts === 'polling' ? 5 : 16
  const jobs = Array.from({ length: int(2, 5) }, () => planJob(random, int(0, instances.length - 1), most))
  return { instances, jobs }
}

/** Many instances at full speed, so that kills and losses hit statements that cover many of them at once. */
function planManyInstances(random: Random): InstancesAndJobs {
  const instances = Array.from({ length: random.int(55, 80) }, () => ({ pauseMs: noPause, cap: 0 }))
  const jobs = [
    ...instances.map((_, instance) => ({ ...planJob(random, instance, 8), dueInSeconds: 0 })),
    ...Array.from({ length: 5 }, () => planJob(random, random.int(0, instances.length - 1))),
  ]
  return { instances, jobs }
}

const noPause = { group: 0, private: 0 }

const planQuietHours = ({ int, pick }: Random) => ({
  inSeconds: int(-60, 60),
  forSeconds: int(20, 8 * 3600),
  timeZone: pick(['Asia/Ho_Chi_Minh', 'America/New_York', 'Asia/Kathmandu']),
})

function planJob({ int, chance, pick, sample }: Random, instance: number, most = 16): JobPlan {
  const addressBook = Array.from({ length: 20 }, (_, index) => index)
  const job = {
    instance,
    kind: pick(['groups', 'people'] as const),
    recipients: sample(addressBook, int(2, most)),
    withImage: chance(0.3),
    dueInSeconds: chance(0.3) ? int(1, 20) : 0,
  }
  const content = !job.withImage && chance(0.5) ? { content: pick(contentKinds) } : {}
  return { ...job, ...content, isPersonal: job.kind === 'people' && chance(0.5) }
}

function planActions(random: Random, jobs: JobPlan[], receipts: Plan['receipts']): Action[] {
  const { int, chance, pick } = random
  // A stopped worker never closes its connection, so a message that comes late could come as late as it likes. No
  // provider does that.
  const withStops = chance(0.5)
  const actions = Array.from({ length: int(6, 18) }, () => planAction(random, withStops, jobs))
  const instance = jobs[0]?.instance ?? 0
  // Rare, because it takes a minute of real time.
  if (chance(0.05)) actions.push({ kind: 'unknown outcome', instance })
  if (chance(0.1)) actions.push(...planFailureGuard(instance, int(10, 12)))
  // Only one step of one clock: two steps in one direction would exceed what the look-ups allow for.
  if (chance(0.4))
    actions.push({ kind: pick(['shift clock', 'shift provider clock']), seconds: pick([-2, -1, 1, 2]) })
  if (receipts) actions.push(...planReceipts(random, instance))
  if (receipts === 'webhook' && chance(0.7)) actions.push({ kind: 'kill server' })
  for (const { instance } of jobs)
    if (chance(0.3)) actions.push({ kind: 'lock instance', instance, seconds: int(1, 8) })
  return [...actions, ...planOptOuts(random, jobs)]
}

/** Most of them are recipients, at a moment when some of the job has been sent. */
function planOptOuts({ int, chance }: Random, jobs: JobPlan[]): Action[] {
  const toPeople = jobs.filter(({ kind }) => kind === 'people')
  return toPeople.flatMap(({ instance, recipients }) =>
    Array.from({ length: int(0, 3) }, () => ({
      kind: chance(0.8) ? ('say stop' as const) : ('say start' as const),
      instance,
      recipient: recipients[int(0, recipients.length - 1)] ?? 0,
    })),
  )
}

const planReceipts = ({ int, chance, pick, sample }: Random, instance: number): Action[] =>
  Array.from({ length: int(1, 4) }, () => ({
    kind: 'receipts',
    instance,
    rules: {
      fate: pick(['normal', 'normal', 'failed', 'stuck']),
      disorders: sample(disorders, int(0, 3)),
      lateMs: chance(0.3) ? int(0, 15_000) : 0,
      readPercent: pick([0, 50, 100]),
    },
  }))

function planLargeRun(random: Random, jobs: JobPlan[]): Action[] {
  const { int, chance, pick } = random
  const withStops = chance(0.3)
  const losses = Array.from({ length: int(4, 7) }, () => planLoss(random, withStops))
  const faults = Array.from({ length: int(2, 4) }, () => ({
    kind: 'fault' as const,
    rule: { ...planFault(random, withStops), times: int(5, 30), skip: int(0, 20) },
  }))
  const others = Array.from({ length: int(4, 12) }, () => ({
    kind: pick(jobActions),
    job: int(0, jobs.length - 1),
  }))
  return [...losses, ...faults, ...others, ...planOptOuts(random, jobs)]
}

function planAction(random: Random, withStops: boolean, jobs: JobPlan[]): Action {
  const { int, chance, pick } = random
  const job = int(0, jobs.length - 1)
  const instance = jobs[job]?.instance ?? 0
  switch (
    pick([
      ...(['loss', 'loss', 'loss', 'fault', 'fault', 'fault', 'fault', 'fault'] as const),
      ...(['trouble', 'job', 'job', 'other'] as const),
    ])
  ) {
    case 'loss':
      return planLoss(random, withStops)
    case 'fault':
      return { kind: 'fault', instance, rule: { ...planFault(random, withStops), skip: int(0, 2) } }
    case 'trouble':
      return { kind: 'trouble', instance, trouble: planTrouble(random), seconds: int(1, 40) }
    case 'job':
      return { kind: pick(jobActions), job }
    case 'other':
      if (chance(0.3)) return { kind: 'write on phone', instance, recipient: int(1, 19) }
      return chance(0.6)
        ? { kind: 'shift idle clock', seconds: int(5, 120) }
        : { kind: 'shift idle provider clock', seconds: int(-120, 120) }
  }
}

function planLoss({ int, chance, pick }: Random, withStops: boolean): Action {
  const worker = chance(0.7) ? 'sender' : int(0, 3)
  const kind = pick(['worker', 'worker', 'worker', 'worker', 'database', 'connections', 'provider'])
  if (kind === 'database') return { kind: 'kill database' }
  if (kind === 'connections') return { kind: 'cut connections' }
  if (kind === 'provider') return { kind: 'kill provider' }
  return withStops && chance(0.6)
    ? { kind: 'stop worker', worker, seconds: int(21, 35) }
    : { kind: 'kill worker', worker }
}

/** Enough refusals in a row to stop the instance, and a user who resumes it. */
const planFailureGuard = (instance: number, times: number): Action[] => [
  { kind: 'fault', instance, rule: { path: SENDS, kind: 'not-sent', times } },
  { kind: 'resume instance', instance },
]
