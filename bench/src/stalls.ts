/**
 * Does something long hold up the instances that send? Two workers and 100 instances with a pause of one second.
 * Meanwhile 10 overdue jobs of 100,000 recipients fail, and an Admin deletes 1,000 jobs.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { json, sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { openEnvironment } from './engine-environment.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SENDING = 100
const PAUSE_MS = 1_000
const OVERDUE = 10
const RECIPIENTS = Number(process.env.STALLS_RECIPIENTS ?? 100_000)
const DELETED = 1_000
const CALM_MS = 15_000

await using environment = await openEnvironment()
const { db, instanceIds, home, env } = environment
const overdueIds = instanceIds.slice(SENDING, SENDING + OVERDUE)
const deletedIds = instanceIds.slice(SENDING + OVERDUE, SENDING + OVERDUE + 20)
const worker = home.launch(['worker'], env)

const readNow = async () => (await db.one<{ now: string }>(sql`select now() as now`)).now
const readEra = () => db.one<{ era: string }>(sql`select era from heartbeat`)

/** Adds jobs with recipients to each of these instances. */
const addJobs = (ids: number[], status: string, count: number, recipients: number) =>
  db.run(sql`
    with added as (
      insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, started_at,
        cursor)
      select 'SendToUsers', 'Hello', id, ${status}, ${recipients}::int, 'bench', '2000-01-01', 0
      from unnest(${ids}::bigint[]) id, generate_series(1, ${count}::int)
      returning id, instance_id
    )
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select id, instance_id, 84910000000 + n || '@s.whatsapp.net', n, ${status === 'Running' ? 'queued' : 'skipped'}
    from added, generate_series(1, ${recipients}::int) n`)

/** Returns by how much the longest gap between two intents of an instance exceeded its pace, in ms. */
async function longestLate(from: string, to: string) {
  const { ms } = await db.one<{ ms: number }>(sql`
    select coalesce(max(extract(epoch from gap) * 1000), 0) - ${PAUSE_MS}::int as ms from (
      select intent_at - lag(intent_at) over (partition by instance_id order by intent_at) as gap
      from deliveries where intent_at between ${from} and ${to} and instance_id = any(${instanceIds.slice(0, SENDING)}::bigint[])
    ) pause`)
  return ms
}

/** Deletes jobs as a browser does: one call for all. Returns how long the answer took, in ms. */
async function deleteByApi(jobIds: number[]) {
  const began = performance.now()
  const answer = await fetch(`${environment.sendroom.url}/api/jobs/bulk-delete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jobIds }),
  })
  if (!answer.ok) throw new Error(`The delete was answered with ${answer.status}: ${await answer.text()}`)
  return performance.now() - began
}

const [admin] = await seedUsers(db, { role: 'Admin', count: 1, instanceIds: [] })
await addJobs(deletedIds, 'Cancelled', DELETED / deletedIds.length, 100)
await db.run(sql`
  update instances set waiting = ${json({ code: 'account_unpaid', params: {} })}, waiting_since = now(),
    try_again_at = '2999-01-01' where id = any(${overdueIds}::bigint[])`)
for (const id of overdueIds) await addJobs([id], 'Running', 1, RECIPIENTS)
await db.run(sql`vacuum analyze deliveries`)
await db.run(sql`update instances set private_pause_from_ms = ${PAUSE_MS}, private_pause_to_ms = ${PAUSE_MS}`)
await addJobs(instanceIds.slice(0, SENDING), 'Running', 1, 1_000)
await until(
  'all accounts send',
  async () =>
    (await db.run(sql`
  select from instances where last_intent_at is not null limit ${SENDING}`)) === SENDING,
  60_000,
)
const calmFrom = await readNow()
await delay(CALM_MS)
const before = await readEra()
const disturbedFrom = await readNow()
const jobs = await db.many<{ id: number }>(sql`
  select id from jobs where instance_id = any(${deletedIds}::bigint[])`)
const began = performance.now()
await db.run(sql`
  update instances set waiting_since = '2000-01-01' where id = any(${overdueIds}::bigint[])`)
const deleting = deleteByApi(jobs.map(({ id }) => id))
const areFailed = async () =>
  (await db.run(sql`
    select from jobs where instance_id = any(${overdueIds}::bigint[]) and status = 'Failed'`)) === OVERDUE
await until('all overdue jobs have failed', areFailed, 600_000)
const failedMs = performance.now() - began
const deletedMs = await deleting
await delay(2 * PAUSE_MS)
const stopped = await db.run(sql`
  select from instances where id = any(${instanceIds.slice(0, SENDING)}::bigint[]) and waiting is not null`)
if (stopped > 0) throw new Error(`The figures mean nothing: ${stopped} accounts stopped sending`)
const after = await readEra()
printTable(
  `${SENDING} accounts send while ${OVERDUE} jobs of ${RECIPIENTS} fail and ${DELETED} are deleted`,
  [
    { what: 'longest wait beyond the pace before, ms', figure: await longestLate(calmFrom, disturbedFrom) },
    {
      what: 'longest wait beyond the pace, ms; budget 2,000',
      figure: await longestLate(disturbedFrom, await readNow()),
    },
    { what: 'eras begun; budget 0', figure: before.era === after.era ? 0 : 1 },
    { what: 'the overdue jobs have failed after, ms', figure: failedMs },
    { what: 'the jobs are deleted after, ms', figure: deletedMs },
  ],
)
await worker.end('SIGTERM')
