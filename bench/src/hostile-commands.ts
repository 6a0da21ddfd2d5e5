/**
 * An attack of `hostile.ts`: 45 callers, namely one Member with five sessions and five other Members, give commands on one
 * job of 100,000 recipients. What do an Admin and another Member notice who read lists, a load balancer that asks whether
 * the server is ready, and 20 other accounts that send? HOSTILE_SECONDS shortens it.
 */

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { openEnvironment } from './engine-environment.ts'
import { treeMegabytes } from './processes.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 60)
const RECIPIENTS = 100_000
const JOBS = 4
const CALLERS = 45
const SESSIONS = 5
const SENDING = 20
const PAUSE_MS = 200

await using environment = await openEnvironment()
const { db, sendroom, instanceIds } = environment
const attacked = instanceIds[SENDING] ?? 0
const [admin = ''] = await seedUsers(db, { role: 'Admin', count: 1, instanceIds: [] })
const [other = '', ...attackers] = await seedUsers(db, { role: 'Member', count: 7, instanceIds: [attacked] })
const jobIds = await prepare()

async function prepare() {
  await environment.simulator.setLatency(10)
  await db.run(sql`update users set can_create_jobs = true, can_send_messages = true where role = 'Member'`)
  await db.run(sql`
    insert into sessions (token_hash, user_id, expires_at)
    select sha256(convert_to(username || n, 'UTF8')), id, now() + interval '1 day'
    from users, generate_series(2, ${SESSIONS}::int) n where username = ${attackers[0]}`)
  await db.run(sql`
    update instances set private_pause_from_ms = ${PAUSE_MS}, private_pause_to_ms = ${PAUSE_MS}`)
  await environment.addJobs(SENDING, 3 * SECONDS * (1000 / PAUSE_MS))
  await environment.startJobs()
  const jobs = await db.many<{ id: number }>(sql`
    with added as (
      insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, started_at,
        cursor)
      select 'SendToUsers', 'Hello', ${attacked}, 'Running', ${RECIPIENTS}::int, 'bench', now(), 0
      from generate_series(1, ${JOBS}::int)
      returning id
    ), delivered as (
      insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
      select id, ${attacked}, n || '@s.whatsapp.net', n, 'queued'
      from added, generate_series(1, ${RECIPIENTS}::int) n
    )
    select id from added`)
  await db.run(sql`vacuum analyze deliveries`)
  await until('the accounts send', async () => (await countSent()) > SENDING)
  return jobs.map(({ id }) => id)
}

/** Of the accounts that nobody attacks. */
async function countSent() {
  const { sent } = await db.one<{ sent: number }>(sql`
    select count(*) as sent from deliveries
    where status = 'sent' and instance_id = any(${instanceIds.slice(0, SENDING)}::bigint[])`)
  return sent
}

/** Calls as often as this while the measurement lasts, and returns each answer's status and its time in ms. */
async function callEach(everyMs: number, path: string, tokens: string[]) {
  const calls: Promise<{ status: number; took: number }>[] = []
  for (let nth = 0; nth < (SECONDS * 1000) / everyMs; nth++) {
    const began = performance.now()
    const token = tokens[nth % tokens.length]
    const call = fetch(
      `${sendroom.url}${path}`,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    )
    calls.push(
      call.then(async (answer) => {
        await answer.text()
        return { status: answer.status, took: performance.now() - began }
      }),
    )
    await delay(everyMs)
  }
  return Promise.all(calls)
}

type Statuses = Map<number, number>

const countStatuses = (answers: { status: number }[]): Statuses =>
  answers.reduce((counts, { status }) => counts.set(status, (counts.get(status) ?? 0) + 1), new Map())

const listed = (statuses: Statuses) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')

async function measure(what: string, disturb: () => Promise<unknown>) {
  let [isOver, peak] = [false, 0]
  const watching = (async () => {
    for (; !isOver; await delay(500))
      peak = Math.max(peak, treeMegabytes(sendroom.pid, environment.databasePid()))
  })()
  const [before, began] = [await countSent(), performance.now()]
  const reading = Promise.all([callEach(50, '/api/jobs', [admin, other]), callEach(200, '/api/ready', [])])
  const [[lists, ready]] = await Promise.all([reading, disturb()])
  const sent = ((await countSent()) - before) / ((performance.now() - began) / 1000)
  isOver = true
  await watching
  const times = lists.map(({ took }) => took).toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return {
    what,
    ...{ 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'longest ms': times.at(-1) ?? 0 },
    ...{ lists: listed(countStatuses(lists)), ready: listed(countStatuses(ready)) },
    ...{ 'messages/s': sent, 'all processes MB': peak },
  }
}

async function attack(): Promise<Statuses> {
  const ofMember = (nth: number) => `${attackers[0]}${nth === 0 ? '' : nth + 1}`
  const tokens = Array.from({ length: CALLERS }, (_, nth) =>
    nth < CALLERS / 2 ? ofMember(nth % SESSIONS) : (attackers[1 + (nth % (attackers.length - 1))] ?? ''),
  )
  const workerData = { url: sendroom.url, tokens, jobIds, seconds: SECONDS }
  const attacker = new Worker(new URL('./hostile-commands-attacker.ts', import.meta.url), { workerData })
  const [statuses] = await once(attacker, 'message')
  return statuses
}

let answers: Statuses = new Map()
printTable(
  `Lists of an Admin and a Member while ${CALLERS} callers give commands on one job of ${RECIPIENTS}`,
  [
    await measure('calm', async () => {}),
    await measure('attacked', async () => {
      answers = await attack()
    }),
  ],
)
console.log(`  Answers to the attack: ${listed(answers)}`)
