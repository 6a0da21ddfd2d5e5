import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { type Environment, numbersOf } from './engine-environment.ts'
import { residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SIZES = [10_000, 100_000]
const SECONDS = 8
/** Other instances that send at the same time. Alone, the large job would be as slow as one instance. */
const OTHERS = 99

/**
 * Measures one large job, created over the API: time and memory to freeze its recipients, and its speed at the start
 * and, after a restart, near the end.
 */
export async function measureLarge(environment: Environment): Promise<void> {
  const rows = []
  for (const recipients of SIZES) {
    await environment.restart()
    rows.push(await measure(environment, recipients))
  }
  printTable(`One large job beside ${OTHERS} instances at full speed, with receipts, ${SECONDS} s each`, rows)
}

async function measure(environment: Environment, recipients: number) {
  const { db } = environment
  const large = await freeze(environment, recipients)
  await environment.addJobs(OTHERS, 4000)
  await environment.startJobs()
  const atStart = await watch(environment, large.id)
  await skipToEnd(environment, large.id)
  const restarted = performance.now()
  await environment.restart()
  await db.run(sql`update jobs set paused_at = null`)
  const { at } = await db.one<{ at: string }>(sql`select now() as at`)
  await until(
    'the large job sends',
    async () => (await sentSince(environment, large.id, at)).large > 0,
    60_000,
  )
  const restartMs = performance.now() - restarted
  const atEnd = await watch(environment, large.id)
  await environment.restart()
  await db.run(sql`delete from jobs`)
  return {
    recipients,
    'freeze ms': Math.round(large.ms),
    'Node MB after freezing': large.megabytes,
    'while sending': Math.max(atStart.megabytes, atEnd.megabytes),
    'msg/s, all jobs': Math.round(atStart.all),
    'large job': Math.round(atStart.large),
    'large job, near its end': Math.round(atEnd.large),
    'restart to next send ms': Math.round(restartMs),
  }
}

async function freeze({ home, sendroom, db, instanceIds }: Environment, recipients: number) {
  const client = await home.signIn(sendroom)
  const [instanceId = 0] = instanceIds.slice(-1)
  const message = await client.ask(contract.messages.create, { body: { textContent: 'Hello' } })
  const phoneNumbers = numbersOf(recipients).join('\n')
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const begin = performance.now()
  const { id } = await client.ask(contract.jobs.create, {
    body: { jobType: 'SendToUsers', messageId: message.id, instanceId, phoneNumbers, scheduledAt },
  })
  const ms = performance.now() - begin
  const { count } = await db.one<{ count: number }>(sql`select count(*) from deliveries where job_id = ${id}`)
  if (count !== recipients) throw new Error(`Only ${count} of ${recipients} recipients are there.`)
  return { id, ms, megabytes: residentMegabytes(sendroom.pid) }
}

/** Watches for SECONDS. Returns messages per second and the peak memory in MB. */
async function watch(environment: Environment, jobId: number) {
  const { at } = await environment.db.one<{ at: string }>(sql`select now() as at`)
  const begin = performance.now()
  let megabytes = 0
  while (performance.now() - begin < SECONDS * 1000) {
    megabytes = Math.max(megabytes, residentMegabytes(environment.sendroom.pid))
    await delay(100)
  }
  const seconds = (performance.now() - begin) / 1000
  const { all, large } = await sentSince(environment, jobId, at)
  return { all: all / seconds, large: large / seconds, megabytes }
}

async function sentSince({ db }: Environment, jobId: number, at: string) {
  const sent = await db.one<{ all: number; large: number }>(sql`
    select count(*) as all, count(*) filter (where job_id = ${jobId}) as large from deliveries where sent_at >= ${at}`)
  return sent
}

/** Marks all but the last 5 % of the recipients as sent. Leaves all jobs paused. */
async function skipToEnd({ db }: Environment, jobId: number) {
  await db.run(sql`update jobs set paused_at = now()`)
  const isIdle = async () =>
    (await db.run(sql`select from instances where in_flight is not null limit 1`)) === 0
  await until('no message is in flight', isIdle, 60_000)
  // A separate query: with old statistics PostgreSQL would evaluate the percentile again for every row.
  const { last } = await db.one<{ last: number }>(sql`
    select percentile_disc(0.95) within group (order by id) as last from deliveries where job_id = ${jobId}`)
  await db.run(sql`
    with done as (
      update deliveries set status = 'sent', provider_message_id = 'bench-' || id, sent_at = intent_at
      where job_id = ${jobId} and status = 'queued' and id <= ${last}
      returning id
    )
    update jobs set cursor = coalesce((select max(id) + 1 from done), cursor) where id = ${jobId}`)
}
