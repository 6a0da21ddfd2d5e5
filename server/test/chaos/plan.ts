import type { ChannelChange } from '../../../simulator/src/channels.ts'
import type { FaultRule } from '../../../simulator/src/faults.ts'
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
}

export type AccountPlan = { pauseMs: { group: number; private: number }; cap: number }

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
  | { kind: 'fault'; account: number; rule: FaultRule }
  | { kind: 'trouble'; account: number; change: ChannelChange; cure: ChannelChange; seconds: number }
  /** Messages are lost, and no look-up succeeds for ten minutes: nobody can know what became of them. */
  | { kind: 'blindness'; account: number }
  | { kind: 'set clock'; seconds: number }
  | { kind: 'leap clock'; seconds: number }
  | { kind: 'write on phone'; account: number; place: number }
  | { kind: 'create job'; job: number }
  | { kind: (typeof jobActions)[number]; job: number }

const jobActions = [
  'cancel job',
  'restart job',
  'retry job',
  'delete job',
  'pause job',
  'resume job',
] as const

const SENDS = '^/messages/(text|image)'

export function planRound(seed: number): Plan {
  const random = randomOf(seed)
  const { int, chance, pick } = random
  const accounts = Array.from({ length: int(1, 3) }, () => ({
    pauseMs: chance(0.4) ? { group: int(500, 1500), private: int(1000, 2500) } : { group: 0, private: 0 },
    cap: chance(0.2) ? int(3, 6) : 0,
  }))
  const jobs = Array.from({ length: int(2, 5) }, () => planJob(random, accounts.length))
  const sends = jobs.reduce((sum, job) => sum + job.recipients.length, 0)
  // A stopped worker never hangs up, so what is 'late' would come arbitrarily late: no provider does that.
  const withStops = chance(0.5)
  const acts: Action[] = [...Array.from({ length: int(6, 18) }, () => planAction(random, withStops, jobs))]
  // Seldom, for it takes a minute of ours.
  if (chance(0.05)) acts.push({ kind: 'blindness', account: jobs[0]?.account ?? 0 })
  // One step of the clock: two in one direction would add up to more than the look-ups allow for.
  if (chance(0.3)) acts.push({ kind: 'set clock', seconds: pick([-2, -1, 1, 2]) })
  return {
    seed,
    workers: int(2, 4),
    isMarked: seed % 2 === 0,
    providerAheadMs: chance(0.5) ? int(-90_000, 90_000) : 0,
    latencyMs: pick([0, 300, 1000, 3000]),
    accountWaitMs: chance(0.2) ? 60_000 : 24 * 3600_000,
    accounts,
    jobs,
    actions: [
      ...jobs.slice(1).map((_, n) => ({
        afterSends: int(0, sends / 3),
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

function planJob({ int, chance, pick, some }: Random, accounts: number): JobPlan {
  const places = Array.from({ length: 20 }, (_, place) => place)
  return {
    account: int(0, accounts - 1),
    kind: pick(['groups', 'people']),
    recipients: some(places, int(2, 16)),
    withImage: chance(0.3),
    dueInSeconds: chance(0.3) ? int(1, 20) : 0,
  }
}

function planAction(random: Random, withStops: boolean, jobs: JobPlan[]): Action {
  const { int, chance, pick } = random
  const job = int(0, jobs.length - 1)
  const account = jobs[job]?.account ?? 0
  const worker = chance(0.7) ? 'sender' : int(0, 3)
  switch (
    pick([
      ...(['worker', 'worker', 'database', 'fault', 'fault', 'fault', 'fault', 'fault'] as const),
      ...(['trouble', 'job', 'job', 'other'] as const),
    ])
  ) {
    case 'worker':
      return withStops && chance(0.6)
        ? { kind: 'stop worker', worker, seconds: int(21, 35) }
        : { kind: 'kill worker', worker }
    case 'database':
      return chance(0.5) ? { kind: 'kill database' } : { kind: 'cut connections' }
    case 'fault':
      return { kind: 'fault', account, rule: { ...planFault(random, withStops), skip: int(0, 2) } }
    case 'trouble':
      return { kind: 'trouble', account, ...planTrouble(random), seconds: int(1, 40) }
    case 'job':
      return { kind: pick(jobActions), job }
    case 'other':
      return chance(0.5)
        ? { kind: 'leap clock', seconds: int(5, 120) }
        : { kind: 'write on phone', account, place: int(1, 19) }
  }
}

function planFault({ int, chance, pick }: Random, withStops: boolean): FaultRule {
  const times = int(1, 3)
  const send = { path: SENDS, times }
  const status = (code: number): FaultRule => ({ ...send, kind: 'status', status: code })
  return pick<() => FaultRule>([
    () => ({ ...status(429), retryAfter: int(1, 8) }),
    () => status(429),
    () => status(pick([500, 502, 503])),
    () => ({ ...status(pick([502, 503])), body: '<html>Bad gateway</html>' }),
    () => ({ ...send, kind: 'drop-before' }),
    () => ({ ...send, kind: 'accept-then-drop' }),
    () =>
      withStops
        ? { ...send, kind: 'slow', delayMs: int(20_100, 23_000) }
        : { ...send, kind: 'accept-then-late', delayMs: int(0, 3000) },
    () => ({ ...send, kind: 'slow', delayMs: int(500, 23_000) }),
    () => ({ ...send, kind: pick(['malformed', 'no-id', 'empty']) }),
    () => ({ ...send, kind: 'not-sent', times: chance(0.2) ? 12 : times }),
    // An image that the provider has forgotten.
    () => ({ path: '^/messages/image', kind: 'status', status: 404, times }),
    () => ({ path: '^/media', kind: pick(['drop-before', 'malformed', 'accept-then-drop']), times }),
    () => ({ path: '^/media', kind: 'status', status: pick([429, 500, 413]), times }),
    () => ({ path: '^/messages/list', kind: 'status', status: pick([429, 500, 503]), times: int(1, 5) }),
    () => ({ path: '^/messages/list', kind: pick(['drop-before', 'malformed', 'empty']), times: int(1, 5) }),
    () => ({ path: '^/messages/list', kind: 'slow', delayMs: int(1000, 31_000), times }),
    () => ({ path: '^/health', kind: 'status', status: 503, times: int(1, 5) }),
  ])()
}

const planTrouble = ({ pick }: Random) =>
  pick<{ change: ChannelChange; cure: ChannelChange }>([
    { change: { state: 'QR' }, cure: { state: 'AUTH' } },
    { change: { unpaid: true }, cure: { unpaid: false } },
    { change: { removed: true }, cure: { removed: false } },
    { change: { state: 'SYNC_ERROR' }, cure: { state: 'AUTH' } },
  ])
