import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NoticeKind } from '@sendroom/contract/notice-kinds'
import { expect, test } from 'vitest'
import { claimLookUps, lookUp } from '../src/engine/in-doubt/look-up.ts'
import { markInstanceHealthy, markInstanceTrouble, openIncomingReader } from '../src/engine/index.ts'
import { finishJobs } from '../src/engine/jobs/lifecycle.ts'
import { claimInstances } from '../src/engine/sending/claim.ts'
import type { IntendedMessage } from '../src/engine/sending/intent.ts'
import { bellTexts } from '../src/features/notices/email-words.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { sql } from '../src/platform/database/sql.ts'
import { ProviderFailure, type SendOutcome } from '../src/providers/provider.ts'
import { LOOK_EVERY_MS } from '../src/recurring-work.ts'
import { people, useEngineContext } from './engine-context.ts'
import { scriptedProvider } from './scripted-provider.ts'

const context = useEngineContext()

/** The notices' own interval. */
const STEP_S = LOOK_EVERY_MS / 1000
const HOUR_S = 3600
/** Long enough for the calm that a trouble demands after many relapses. Nothing happens then, so steps are long. */
const END_S = HOUR_S + 75 * 60
const CALM_STEP_S = 60

const why = (code: 'provider_busy' | 'provider_unreachable' | 'provider_error', params = {}) => ({
  code,
  params,
})
const busy: SendOutcome = { kind: 'busy', reason: why('provider_busy'), retryAfterMs: null }
const isBadHalf = (second: number) => second < HOUR_S && second % 60 < 30

/** A course says what an instance goes through for an hour. Without an outcome a message is sent. */
type Course = {
  name: string
  outcome?: (second: number) => SendOutcome | null
  /** How long an attempt without success takes. */
  takesS?: number
  /** The instance is logged out at these seconds. */
  isLoggedOut?: (second: number) => boolean
}

const courses: Course[] = [
  { name: 'outage, refused at once', outcome: (second) => (second < HOUR_S ? busy : null) },
  { name: 'outage, refused after 15 s', outcome: (second) => (second < HOUR_S ? busy : null), takesS: 15 },
  {
    name: 'outage, no answer',
    outcome: (second) => (second < HOUR_S ? { kind: 'unknown', reason: why('provider_unreachable') } : null),
    takesS: 15,
  },
  { name: 'provider away 30 s of each minute', outcome: (second) => (isBadHalf(second) ? busy : null) },
  { name: 'account logged out', isLoggedOut: (second) => second < HOUR_S },
  { name: 'account logged out 30 s of each minute', isLoggedOut: isBadHalf },
]

type Case = { course: Course; instanceId: number; userId: number; isLoggedOut: boolean }
type Running = { message: IntendedMessage; outcome: SendOutcome; endsAt: number }

async function addCase(course: Course, recipients: number, jobs = 1): Promise<Case> {
  const instance = await context.add.instance({
    name: course.name,
    status: 'Connected',
    lastSyncAt: '2026-01-01T00:00:00.000Z',
    privatePauseFromMs: 20_000,
    privatePauseToMs: 20_000,
  })
  const user = await context.add.user({ instances: [instance] })
  // Each job has its own people: nothing is sent to a chat in doubt, so jobs to the same ones would pass each other by.
  const everybody = people(recipients * jobs)
  for (let n = 0; n < jobs; n++) {
    const job = await context.add.job({
      instanceId: instance.id,
      status: 'Running',
      recipients: everybody.slice(n * recipients, (n + 1) * recipients),
    })
    await context.db.run(sql`update jobs set started_at = clock_now() where id = ${job.id}`)
  }
  return { course, instanceId: instance.id, userId: user.id, isLoggedOut: false }
}

/** Runs the steps of a worker and the watch for troubles, on a clock that jumps. */
async function runHour(cases: Case[]) {
  const { provider, script } = scriptedProvider()
  const deps = context.deps(provider)
  const readIncoming = openIncomingReader(deps)
  let second = 0
  script.onList = () => {
    if (second < HOUR_S) throw new ProviderFailure('unreachable', why('provider_unreachable'))
    return []
  }
  const of = new Map(cases.map((one) => [one.instanceId, one]))
  let running: Running[] = []
  let lastId = 0
  while (second <= END_S) {
    for (const one of cases) await logInOrOut(one, second)
    await readIncoming(new AbortController().signal)
    for (const { message, outcome } of running.filter(({ endsAt }) => endsAt <= second)) {
      await context.settle(message, outcome)
      await finishJobs(context.db, [message.jobId])
    }
    running = running.filter(({ endsAt }) => endsAt > second)
    for (const claim of await claimInstances(context.db, 100)) {
      let message = await context.writeIntent(claim)
      while (message.kind === 'passed') message = await context.writeIntent(claim)
      if (message.kind !== 'send') continue
      const { course } = of.get(message.instanceId) ?? { course: { name: '' } as Course }
      const outcome = course.outcome?.(second)
      running.push({
        message,
        outcome: outcome ?? { kind: 'sent', providerMessageId: `m-${++lastId}` },
        endsAt: second + (outcome ? (course.takesS ?? 0) : 0),
      })
    }
    for (const due of await claimLookUps(context.db, 100, [])) await lookUp(deps, due)
    await lookForTroubles(context.db, { hasMail: true })
    const step = second < HOUR_S + 10 * 60 ? STEP_S : CALM_STEP_S
    await context.moveClock(`${step} seconds`)
    second += step
  }
}

async function logInOrOut(one: Case, second: number) {
  const isLoggedOut = one.course.isLoggedOut?.(second) ?? false
  if (isLoggedOut === one.isLoggedOut) return
  one.isLoggedOut = isLoggedOut
  const status = isLoggedOut ? 'NeedsLogin' : 'Connected'
  await context.db.run(sql`update instances set status = ${status} where id = ${one.instanceId}`)
  if (isLoggedOut) await markInstanceTrouble(context.db, one.instanceId, status)
  else await markInstanceHealthy(context.db, one.instanceId)
}

/** Returns what a user was told, and after how many minutes and seconds. */
async function toldTo({ userId }: Case, beganAt: string): Promise<string> {
  const told = await context.db.many<{ kind: NoticeKind; moment: string; second: number }>(sql`
    select t.kind, n.moment, round(extract(epoch from n.created_at - ${beganAt}::timestamptz))::int as second
    from notices n join troubles t on t.id = n.trouble_id where n.user_id = ${userId} order by n.id`)
  const words: Record<string, string> = { reminder: 'reminder', end: 'over' }
  const said = told.map(
    ({ kind, moment, second }) =>
      `${minuteOf(second)} ${words[moment] ?? `*${bellTexts('en').NOTICE.BEGIN[kind]}*`}`,
  )
  return said.join(', ') || 'nothing'
}

const minuteOf = (second: number) => `${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`

// R-700, R-701, R-727
test('an hour of outage and of flapping: each user is told once that it began, and once that it is over', async () => {
  await context.freezeClock()
  const { beganAt } = await context.db.one<{ beganAt: string }>(sql`select clock_now() as began_at`)
  const rows = await Promise.all(
    courses.map(async (course) => ({
      course,
      cases: [
        ...(await Promise.all([1, 50, 5000].map((recipients) => addCase(course, recipients)))),
        await addCase(course, 50, 40),
      ],
    })),
  )
  await runHour(rows.flatMap(({ cases }) => cases))
  const table = ['| an hour of | 1 recipient | 50 | 5,000 | 40 jobs of 50 |', '|---|---|---|---|---|']
  for (const { course, cases } of rows) {
    const told = await Promise.all(cases.map((one) => toldTo(one, beganAt)))
    table.push(`| ${[course.name, ...told].join(' | ')} |`)
  }
  const guide = readFileSync(join(import.meta.dirname, '../../docs/admins/guide.md'), 'utf8')
  const lines = guide.split('\n')
  const from = lines.indexOf(table[0] ?? '')
  expect(lines.slice(from, from + table.length)).toEqual(table)
}, 300_000)

// R-700
test('one lost answer at a slow pace is no outage, and an outage whose job was cancelled has no end to tell', async () => {
  await context.freezeClock()
  const [slow, cancelled] = [
    await addCase({ name: 'slow' }, 3),
    await addCase({ name: 'cancelled', outcome: () => busy }, 3),
  ]
  await context.db.run(sql`
    update instances set private_pause_from_ms = 7200000, private_pause_to_ms = 7200000
    where id = ${slow.instanceId}`)
  for (const one of [slow, cancelled]) {
    const claim = await context.claimOne()
    const message = await context.writeIntent(claim)
    if (message.kind !== 'send') throw new Error('No intent')
    const isSlow = message.instanceId === slow.instanceId
    await context.settle(message, isSlow ? { kind: 'unknown', reason: why('provider_error') } : busy)
    expect([slow, cancelled]).toContain(one)
  }
  const look = () => lookForTroubles(context.db, { hasMail: true })
  const momentsOf = async ({ userId }: Case) =>
    (await context.db.many(sql`select moment from notices where user_id = ${userId} order by id`)).map(
      ({ moment }) => moment,
    )
  await look()
  await context.moveClock('16 minutes')
  await look()
  await context.moveClock('1 minute')
  await look()
  expect(await momentsOf(slow)).toEqual([])
  expect(await momentsOf(cancelled)).toEqual(['begin'])
  await context.db.run(sql`update jobs set status = 'Cancelled' where instance_id = ${cancelled.instanceId}`)
  await look()
  await context.moveClock('1 hour')
  await look()
  expect(await momentsOf(cancelled)).toEqual(['begin'])
})

const momentsOf = ({ userId }: Case) =>
  context.db.many(sql`
    select t.kind, n.moment from notices n join troubles t on t.id = n.trouble_id
    where n.user_id = ${userId} order by n.id`)

/** Looks as often as the notices do. */
async function lookFor(minutes: number) {
  for (let second = 0; second <= minutes * 60; second += STEP_S) {
    await lookForTroubles(context.db, { hasMail: true })
    await context.moveClock(`${STEP_S} seconds`)
  }
}

async function attempt(outcome: SendOutcome) {
  const { message } = await context.beginSend()
  await context.settle(message, outcome)
}

// R-700
test('one refused attempt at a pace of half an hour is no outage, and a second one is', async () => {
  await context.freezeClock()
  const slow = await addCase({ name: 'slow' }, 3)
  await context.db.run(sql`
    update instances set private_pause_from_ms = 1800000, private_pause_to_ms = 1800000
    where id = ${slow.instanceId}`)
  await attempt(busy)
  await lookFor(30)
  expect(await momentsOf(slow)).toEqual([])
  await attempt(busy)
  await lookFor(1)
  expect(await momentsOf(slow)).toEqual([{ kind: 'account_down', moment: 'begin' }])
})

// R-700, R-701
test('an outage that goes on after the night with another error is not told to be over', async () => {
  await context.freezeClock()
  const night = await addCase({ name: 'night' }, 3)
  await attempt(busy)
  await lookFor(14)
  await attempt(busy)
  await lookFor(3)
  await context.db.run(sql`
    update instances set time_zone = 'UTC', quiet_from = (clock_now() at time zone 'UTC')::time,
      quiet_to = (clock_now() at time zone 'UTC' + interval '8 hours')::time
    where id = ${night.instanceId}`)
  await lookFor(1)
  await context.moveClock('7 hours 59 minutes')
  await attempt({ kind: 'busy', reason: why('provider_error', { status: 502 }), retryAfterMs: null })
  await lookFor(14)
  expect((await momentsOf(night)).filter(({ moment }) => moment !== 'reminder')).toEqual([
    { kind: 'account_down', moment: 'begin' },
  ])
})

// R-700, R-727
test('a job that stands still after its instance was down and up is told after a quarter of an hour', async () => {
  await context.freezeClock()
  const flapping = await addCase({ name: 'flapping' }, 3)
  for (let relapse = 0; relapse < 5; relapse++) {
    await logInOrOut({ ...flapping, course: { name: '', isLoggedOut: () => true } }, 0)
    await lookFor(1)
    await logInOrOut({ ...flapping, isLoggedOut: true }, 0)
    await lookFor(1)
  }
  // No worker runs.
  await lookFor(16)
  expect(await momentsOf(flapping)).toEqual([
    { kind: 'account_down', moment: 'begin' },
    { kind: 'job_stuck', moment: 'begin' },
  ])
})
