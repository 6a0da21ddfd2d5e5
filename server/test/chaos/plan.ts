import type { FaultRule } from '../../../simulator/src/faults.ts'
import { disorders, type ReceiptRules } from '../../../simulator/src/receipts.ts'
import { planFault, planTrouble, SENDS, type Trouble } from './plan-faults.ts'
import { type Random, randomOf } from './random.ts'

/** What is done in a round, all of it drawn from the seed. Seconds are those of the fast clock. */
export type Plan = {
  seed: number
  workers: number
  /** Texts carry job and run; else all of a round say the same. */
  isMarked: boolean
  providerAheadMs: number
  latencyMs: number
  accountWaitMs: number
  accounts: AccountPlan[]
  jobs: JobPlan[]
  actions: { afterSends: number; action: Action }[]
  /** How we hear what became of messages: the provider calls the server, or is asked. Else nobody hears of it. */
  receipts?: 'webhook' | 'polling'
}

export type AccountPlan = {
  pauseMs: { group: number; private: number }
  cap: number
  /** Begins so long after the round and lasts so long, by the clock on the wall of that zone. */
  quiet?: { inSeconds: number; forSeconds: number; timeZone: string }
}

export type JobPlan = {
  account: number
  kind: 'groups' | 'people'
  /** Places in the account's address book; 0 is one that will be refused. */
  recipients: number[]
  withImage: boolean
  dueInSeconds: number
}

/** The place of a worker, or whoever began the newest send. */
type Whom = number | 'sender'

export type Action =
  | { kind: 'kill worker'; worker: Whom }
  | { kind: 'stop worker'; worker: Whom; seconds: number }
  | { kind: 'kill database' }
  | { kind: 'cut connections' }
  | { kind: 'kill provider' }
  | { kind: 'kill server' }
  /** What becomes of the account's messages from now on, and how it is told. */
  | { kind: 'receipts'; account: number; rules: Partial<ReceiptRules> }
  /** Of all accounts, where none is named. */
  | { kind: 'fault'; account?: number; rule: FaultRule }
  | { kind: 'trouble'; account: number; trouble: Trouble; seconds: number }
  /** Messages are lost, and no look-up succeeds for ten minutes: nobody can know what became of them. */
  | { kind: 'blindness'; account: number }
  | { kind: 'set clock' | 'leap clock' | 'set provider clock' | 'leap provider clock'; seconds: number }
  | { kind: 'write on phone'; account: number; place: number }
  | { kind: 'resume account'; account: number }
  | { kind: 'create job'; job: number }
  | JobAction

export type JobAction = { kind: (typeof jobActions)[number]; job: number }

const jobActions = [
  'cancel job',
  'restart job',
  'retry job',
  'delete job',
  'pause job',
  'resume job',
] as const

export function planRound(seed: number): Plan {
  const random = randomOf(seed)
  const { int, chance, pick } = random
  const isCrowd = chance(0.15)
  const receipts =
    isCrowd || chance(0.4) ? undefined : pick<Plan['receipts']>(['webhook', 'webhook', 'polling'])
  const cast = isCrowd ? planCrowd(random) : planFew(random, receipts)
  const sends = cast.jobs.reduce((sum, job) => sum + job.recipients.length, 0)
  const acts = isCrowd ? planCrowdActions(random, cast.jobs) : planActions(random, cast.jobs, receipts)
  return {
    seed,
    workers: int(2, 4),
    isMarked: seed % 2 === 0,
    providerAheadMs: chance(0.5) ? int(-90_000, 90_000) : 0,
    latencyMs: isCrowd ? pick([0, 0, 300]) : pick([0, 300, 1000, 3000]),
    accountWaitMs: chance(0.2) ? 60_000 : 24 * 3600_000,
    ...cast,
    ...(receipts && { receipts }),
    actions: [
      ...cast.jobs.slice(1).map((_, n) => ({
        afterSends: isCrowd ? 0 : int(0, sends / 3),
        action: { kind: 'create job', job: n + 1 } as const,
      })),
      // Late enough that there is something to lose.
      ...acts.map((action) => ({
        afterSends: int(action.kind === 'delete job' ? sends * 0.4 : 0, sends * 0.8),
        action,
      })),
    ].sort((a, b) => a.afterSends - b.afterSends),
  }
}

type Cast = Pick<Plan, 'accounts' | 'jobs'>

/** A few accounts of all kinds, several jobs on one. */
function planFew(random: Random, receipts: Plan['receipts']): Cast {
  const { int, chance } = random
  const accounts = Array.from({ length: int(1, 3) }, () => ({
    pauseMs: chance(0.4) ? { group: int(500, 1500), private: int(1000, 2500) } : noPause,
    // Receipts of a message that is a week old count no more, and a cap makes rounds of days.
    cap: chance(0.3) && !receipts ? int(3, 6) : 0,
    ...(chance(0.2) && { quiet: planQuiet(random) }),
  }))
  // One message in ten seconds can be asked about.
  const most = receipts === 'polling' ? 5 : 16
  const jobs = Array.from({ length: int(2, 5) }, () => planJob(random, int(0, accounts.length - 1), most))
  return { accounts, jobs }
}

/** Many at full speed: what is done for many of them at once meets kills and losses. */
function planCrowd(random: Random): Cast {
  const accounts = Array.from({ length: random.int(55, 80) }, () => ({ pauseMs: noPause, cap: 0 }))
  const jobs = [
    ...accounts.map((_, account) => ({ ...planJob(random, account, 8), dueInSeconds: 0 })),
    ...Array.from({ length: 5 }, () => planJob(random, random.int(0, accounts.length - 1))),
  ]
  return { accounts, jobs }
}

const noPause = { group: 0, private: 0 }

const planQuiet = ({ int, pick }: Random) => ({
  inSeconds: int(-60, 60),
  forSeconds: int(20, 8 * 3600),
  timeZone: pick(['Asia/Ho_Chi_Minh', 'America/New_York', 'Asia/Kathmandu']),
})

function planJob({ int, chance, pick, some }: Random, account: number, most = 16): JobPlan {
  const places = Array.from({ length: 20 }, (_, place) => place)
  return {
    account,
    kind: pick(['groups', 'people']),
    recipients: some(places, int(2, most)),
    withImage: chance(0.3),
    dueInSeconds: chance(0.3) ? int(1, 20) : 0,
  }
}

function planActions(random: Random, jobs: JobPlan[], receipts: Plan['receipts']): Action[] {
  const { int, chance, pick } = random
  // A stopped worker never hangs up, so what is 'late' would come arbitrarily late: no provider does that.
  const withStops = chance(0.5)
  const acts = Array.from({ length: int(6, 18) }, () => planAction(random, withStops, jobs))
  const account = jobs[0]?.account ?? 0
  // Seldom, for it takes a minute of ours.
  if (chance(0.05)) acts.push({ kind: 'blindness', account })
  if (chance(0.1)) acts.push(...planGuard(account, int(10, 12)))
  // One step of one clock: two in one direction would add up to more than the look-ups allow for.
  if (chance(0.4))
    acts.push({ kind: pick(['set clock', 'set provider clock']), seconds: pick([-2, -1, 1, 2]) })
  if (receipts) acts.push(...planReceipts(random, account))
  if (receipts === 'webhook' && chance(0.7)) acts.push({ kind: 'kill server' })
  return acts
}

const planReceipts = ({ int, chance, pick, some }: Random, account: number): Action[] =>
  Array.from({ length: int(1, 4) }, () => ({
    kind: 'receipts',
    account,
    rules: {
      fate: pick(['normal', 'normal', 'failed', 'stuck']),
      disorders: some(disorders, int(0, 3)),
      lateMs: chance(0.3) ? int(0, 15_000) : 0,
      readPercent: pick([0, 50, 100]),
    },
  }))

function planCrowdActions(random: Random, jobs: JobPlan[]): Action[] {
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
  return [...losses, ...faults, ...others]
}

function planAction(random: Random, withStops: boolean, jobs: JobPlan[]): Action {
  const { int, chance, pick } = random
  const job = int(0, jobs.length - 1)
  const account = jobs[job]?.account ?? 0
  switch (
    pick([
      ...(['loss', 'loss', 'loss', 'fault', 'fault', 'fault', 'fault', 'fault'] as const),
      ...(['trouble', 'job', 'job', 'other'] as const),
    ])
  ) {
    case 'loss':
      return planLoss(random, withStops)
    case 'fault':
      return { kind: 'fault', account, rule: { ...planFault(random, withStops), skip: int(0, 2) } }
    case 'trouble':
      return { kind: 'trouble', account, trouble: planTrouble(random), seconds: int(1, 40) }
    case 'job':
      return { kind: pick(jobActions), job }
    case 'other':
      if (chance(0.3)) return { kind: 'write on phone', account, place: int(1, 19) }
      return chance(0.6)
        ? { kind: 'leap clock', seconds: int(5, 120) }
        : { kind: 'leap provider clock', seconds: int(-120, 120) }
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

/** So many refusals in a row that the account waits for a person, who comes. */
const planGuard = (account: number, times: number): Action[] => [
  { kind: 'fault', account, rule: { path: SENDS, kind: 'not-sent', times } },
  { kind: 'resume account', account },
]
