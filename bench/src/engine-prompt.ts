import { claimAccounts } from '../../server/src/engine/claim.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { inMs, type Stage } from './engine-stage.ts'
import { printTable } from './table.ts'

const IDLE = 10_000
const LOOKS = 50
const DUE = 200
const WITHIN_MS = 10_000

/** How soon a due job starts, what idle accounts cost, and how long it takes until others send for a killed worker. */
export async function measurePromptness(stage: Stage): Promise<void> {
  const before = await lookMs(stage)
  await stage.insertAccounts(Array.from({ length: IDLE }, (_, index) => `test_idle_${index}`))
  await stage.db.run(sql`vacuum analyze instances`)
  const rows = [
    { what: `a look for work, median of ${LOOKS}`, ms: before },
    { what: `the same beside ${IDLE.toLocaleString('en')} idle accounts`, ms: await lookMs(stage) },
    ...(await startDelays(stage)),
    {
      what: 'kill -9 of a worker to the next message of the last of 50 accounts',
      ms: await takeOverMs(stage),
    },
  ]
  printTable('How soon, ms', rows)
}

/** 50 accounts have work, but not yet. */
async function lookMs({ db, addJobs }: Stage): Promise<number> {
  await addJobs(50, 10)
  await db.run(sql`update instances set next_due_at = now() + interval '1 hour'`)
  await db.run(sql`update jobs set status = 'Running'`)
  const times = []
  for (let look = 0; look < LOOKS; look++) {
    const begin = performance.now()
    await claimAccounts(db, 200)
    times.push(performance.now() - begin)
  }
  await db.run(sql`delete from jobs`)
  await db.run(sql`update instances set next_due_at = 'epoch'`)
  return percentile(times, 0.5)
}

/** Jobs of as many accounts come due one by one, while 100 others send. */
async function startDelays({ db, addJobs, untilDone }: Stage) {
  await addJobs(DUE, 1, (place) => inMs(15_000 + (place / DUE) * WITHIN_MS))
  const late = Date.now()
  await untilDone()
  const delays = await db.many<{ ms: number }>(sql`
    select extract(epoch from d.intent_at - j.scheduled_at) * 1000 as ms
    from deliveries d join jobs j on j.id = d.job_id where j.created_at >= ${new Date(late - 60_000).toISOString()}`)
  await db.run(sql`delete from jobs`)
  const times = delays.map(({ ms }) => ms)
  return [
    { what: `a due job to its first intent, p50 of ${times.length}`, ms: percentile(times, 0.5) },
    { what: 'p99, budget 1,000', ms: percentile(times, 0.99) },
  ]
}

/** Budget 30,000: the lease of the dead one is over after 20 s. */
async function takeOverMs({
  db,
  home,
  env,
  sendroom,
  simulator,
  addJobs,
  startJobs,
}: Stage): Promise<number> {
  await simulator.setLatency(100)
  await addJobs(50, 1000)
  await startJobs()
  const accounts = async (after: string) =>
    (
      await db.one<{ count: number }>(sql`
      select count(distinct instance_id) from deliveries where intent_at > ${after}`)
    ).count
  const { began } = await db.one<{ began: string }>(sql`select now() - interval '1 minute' as began`)
  await until('all send', async () => (await accounts(began)) === 50)
  const other = home.launch(['worker'], env)
  const countListeners = () =>
    db.run(sql`
      select from pg_stat_activity
      where query like 'listen "sendroom_engine"%' or query like '%pg_listening_channels()'`)
  await until('the other looks for work', async () => (await countListeners()) === 2)
  await sendroom.end('SIGKILL')
  const { killed } = await db.one<{ killed: string }>(sql`select now() as killed`)
  const begin = performance.now()
  await until('all send again', async () => (await accounts(killed)) === 50, 60_000)
  const ms = performance.now() - begin
  await other.end('SIGTERM')
  return ms
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
