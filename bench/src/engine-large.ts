import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { numbersOf, type Stage } from './engine-stage.ts'
import { residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SIZES = [10_000, 100_000]
const SECONDS = 8
/** Accounts that send beside the large job: alone it is as slow as one account. */
const BESIDE = 99

/**
 * One large job over the API: how long it takes to freeze its recipients, how much memory, how fast it is at its
 * beginning and, after a restart, deep inside.
 */
export async function measureLarge(stage: Stage): Promise<void> {
  const rows = []
  for (const recipients of SIZES) {
    await stage.restart()
    rows.push(await measure(stage, recipients))
  }
  printTable(`One large job beside ${BESIDE} accounts at full speed, with receipts, ${SECONDS} s each`, rows)
}

async function measure(stage: Stage, recipients: number) {
  const { db } = stage
  const large = await freeze(stage, recipients)
  await stage.addJobs(BESIDE, 4000)
  await stage.startJobs()
  const atFirst = await watch(stage, large.id)
  await moveDeepInto(stage, large.id)
  const restarted = performance.now()
  await stage.restart()
  await db.run(sql`update jobs set paused_at = null`)
  const { at } = await db.one<{ at: string }>(sql`select now() as at`)
  await until('it goes on', async () => (await sentSince(stage, large.id, at)).ofIt > 0, 60_000)
  const restartMs = performance.now() - restarted
  const deep = await watch(stage, large.id)
  await stage.restart()
  await db.run(sql`delete from jobs`)
  return {
    recipients,
    'freeze ms': Math.round(large.ms),
    'Node MB then': large.megabytes,
    sending: Math.max(atFirst.megabytes, deep.megabytes),
    'msg/s of all': Math.round(atFirst.all),
    'of it': Math.round(atFirst.ofIt),
    'of it, deep inside': Math.round(deep.ofIt),
    'restart to next send ms': Math.round(restartMs),
  }
}

async function freeze({ home, sendroom, db, instanceIds }: Stage, recipients: number) {
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

/** Messages a second for a while, and the most memory. */
async function watch(stage: Stage, jobId: number) {
  const { at } = await stage.db.one<{ at: string }>(sql`select now() as at`)
  const begin = performance.now()
  let megabytes = 0
  while (performance.now() - begin < SECONDS * 1000) {
    megabytes = Math.max(megabytes, residentMegabytes(stage.sendroom.pid))
    await delay(100)
  }
  const seconds = (performance.now() - begin) / 1000
  const { all, ofIt } = await sentSince(stage, jobId, at)
  return { all: all / seconds, ofIt: ofIt / seconds, megabytes }
}

async function sentSince({ db }: Stage, jobId: number, at: string) {
  const sent = await db.one<{ all: number; ofIt: number }>(sql`
    select count(*) as all, count(*) filter (where job_id = ${jobId}) as of_it from deliveries where sent_at >= ${at}`)
  return sent
}

/** As if all but the last 5 % were sent already; nothing goes on before the jobs are resumed. */
async function moveDeepInto({ db }: Stage, jobId: number) {
  await db.run(sql`update jobs set paused_at = now()`)
  const isIdle = async () =>
    (await db.run(sql`select from instances where in_flight is not null limit 1`)) === 0
  await until('nothing is on its way', isIdle, 60_000)
  // Asked apart: while the statistics are older than the rows, PostgreSQL would ask for it again with each of them.
  const { last } = await db.one<{ last: number }>(sql`
    select percentile_disc(0.95) within group (order by id) as last from deliveries where job_id = ${jobId}`)
  await db.run(sql`
    with done as (
      update deliveries set status = 'sent', provider_message_id = 'bench-' || id, sent_at = intent_at
      where job_id = ${jobId} and status = 'queued' and id <= ${last}
      returning id
    )
    update jobs set fresh_from = coalesce((select max(id) + 1 from done), fresh_from) where id = ${jobId}`)
}
