/** Measures what others notice during an attack of `hostile.ts`, and how much memory and time all processes take. */

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../server/src/platform/database/sql.ts'
import type { Environment } from './engine-environment.ts'
import { type Answer, listed, timed } from './hostile-answers.ts'
import { treeMemory } from './processes.ts'

/** Everybody in this benchmark has this password. */
export const PASSWORD = 'of the bench 1'

/**
 * Those whom an attack may use: `take` returns the tokens of Members of the attacked instance, who are also their
 * names.
 */
export type Target = {
  environment: Environment
  sending: number[]
  attacked: number
  take: (count: number) => string[]
}

/** `run` returns what the attacker was answered. */
export type Attack = { what: string; seconds: number; run: () => Promise<string> }

type Observers = { environment: Environment; sending: number[]; admin: string; member: string }
type Times = { p50: number; p95: number }
export type Observation = {
  what: string
  answers: string
  times: { list: Times; signIn: Times }
  refused: number
  sentPerSecond: number
  /** The peak of all processes together. */
  megabytes: number
  shown: Record<string, string | number>
}

/** Signs in from an address, by default on a new device. */
export const signIn = (url: string, username: string, password: string, from: string, cookie = '') =>
  fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...(cookie && { cookie }) },
    body: JSON.stringify({ username, password }),
  })

/** Calls every so many ms, without waiting for the answers. */
async function every(ms: number, seconds: number, call: (nth: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  for (let nth = 0; nth < (seconds * 1000) / ms; nth++) {
    answers.push(call(nth))
    await delay(ms)
  }
  return Promise.all(answers)
}

export async function observe(observers: Observers, { what, seconds, run }: Attack): Promise<Observation> {
  const { environment, sending, admin, member } = observers
  const { db, sendroom } = environment
  const people = [admin, member]
  const list = (nth: number) => {
    const headers = { authorization: `Bearer ${people[nth % people.length]}` }
    return timed(fetch(`${sendroom.url}/api/jobs`, { headers }))
  }
  const enter = (nth: number) =>
    timed(signIn(sendroom.url, people[nth % people.length] ?? '', PASSWORD, `198.51.100.${nth % 250}`))
  const countSent = async () => {
    const { sent } = await db.one<{ sent: number }>(sql`
      select count(*) as sent from deliveries where status = 'sent' and instance_id = any(${sending}::bigint[])`)
    return sent
  }

  let isOver = false
  let memory = { all: 0, ofServer: 0, ofBuffers: 0 }
  const watching = (async () => {
    for (; !isOver; await delay(250)) {
      const now = treeMemory(sendroom.pid, environment.databasePid())
      if (now.all > memory.all) memory = now
    }
  })()
  const [before, began] = [await countSent(), performance.now()]
  const [lists, signIns, ready, answers] = await Promise.all([
    every(100, seconds, list),
    every(1000, seconds, enter),
    every(200, seconds, () => timed(fetch(`${sendroom.url}/api/ready`))),
    run(),
  ])
  const sentPerSecond = ((await countSent()) - before) / ((performance.now() - began) / 1000)
  isOver = true
  await watching
  const times = { list: timesOf(lists), signIn: timesOf(signIns) }
  const refused = [...lists, ...signIns, ...ready].filter(({ status }) => status !== 200).length
  return {
    ...{ what, answers, times, refused, sentPerSecond, megabytes: memory.all },
    shown: {
      what,
      ...{ 'list p50 ms': times.list.p50, 'p95 ms': times.list.p95, 'longest ms': longestOf(lists) },
      ...{ 'Admin p95 ms': timesOf(lists.filter((_, nth) => nth % 2 === 0)).p95 },
      ...{ 'Member p95 ms': timesOf(lists.filter((_, nth) => nth % 2 === 1)).p95 },
      ...{ 'sign-in p50 ms': times.signIn.p50, 'sign-in longest ms': longestOf(signIns) },
      ...{ 'not 200': refused, ready: listed(ready) },
      ...{ 'messages/s': sentPerSecond, 'all processes MB': memory.all },
      ...{
        'server MB': memory.ofServer,
        'buffers MB': memory.ofBuffers,
        'without them MB': memory.all - memory.ofBuffers,
      },
    },
  }
}

function timesOf(answers: Answer[]): Times {
  const times = answers.map(({ took }) => took).toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

const longestOf = (answers: Answer[]) => Math.max(...answers.map(({ took }) => took))

const MOST_MEGABYTES = 400
const TIMES_CALM = 2
const LEAST_PACE = 0.9

/** Where the rows between the first and the last one, which are calm, exceed the limits. */
export function excessesOf(rows: Observation[]): string[] {
  const calm = [rows[0], rows.at(-1)].filter((row) => row !== undefined)
  const most = (value: (row: Observation) => number) => TIMES_CALM * Math.max(...calm.map(value))
  const leastSent = LEAST_PACE * Math.min(...calm.map(({ sentPerSecond }) => sentPerSecond))
  return rows.flatMap((row) => {
    const excess: [string, boolean][] = [
      ['lists p50', row.times.list.p50 > most(({ times }) => times.list.p50)],
      ['lists p95', row.times.list.p95 > most(({ times }) => times.list.p95)],
      ['sign-ins p50', row.times.signIn.p50 > most(({ times }) => times.signIn.p50)],
      ['an answer that is not 200', row.refused > 0],
      ['the pace of the engine', row.sentPerSecond < leastSent],
      [`more than ${MOST_MEGABYTES} MB`, row.megabytes > MOST_MEGABYTES],
    ]
    return excess.filter(([, isBeyond]) => isBeyond).map(([limit]) => `${row.what}: ${limit}`)
  })
}
