import { claimInstances } from '../../server/src/engine/sending/claim.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { type Environment, inMs } from './engine-environment.ts'
import { printTable } from './table.ts'

const IDLE = 10_000
const CLAIMS = 50
const DUE = 200
const WITHIN_MS = 10_000

/** Measures the delay of due jobs, the cost of idle instances, and the time to take over from a killed worker. */
export async function measurePromptness(environment: Environment): Promise<void> {
  const before = await claimMs(environment)
  await environment.insertInstances(Array.from({ length: IDLE }, (_, index) => `test_idle_${index}`))
  await environment.db.run(sql`vacuum analyze instances`)
  const rows = [
    { what: `a claim query, median of ${CLAIMS}`, ms: before },
    { what: `the same beside ${IDLE.toLocaleString('en')} idle instances`, ms: await claimMs(environment) },
    ...(await startDelays(environment)),
    {
      what: 'kill -9 of a worker to the next message of the last of 50 instances',
      ms: await takeOverMs(environment),
    },
  ]
  printTable('How soon, ms', rows)
}

/** Returns the median time of a claim query while 50 instances have work that is not due yet. */
async function claimMs({ db, addJobs }: Environment): Promise<number> {
  await addJobs(50, 10)
  await db.run(sql`update instances set next_due_at = now() + interval '1 hour'`)
  await db.run(sql`update jobs set status = 'Running'`)
  const times = []
  for (let claim = 0; claim < CLAIMS; claim++) {
    const begin = performance.now()
    await claimInstances(db, 200)
    times.push(performance.now() - begin)
  }
  await db.run(sql`delete from jobs`)
  await db.run(sql`update instances set next_due_at = 'epoch'`)
  return percentile(times, 0.5)
}

/** Measures from due time to first intent: DUE jobs of as many instances come due one after another in WITHIN_MS. */
async function startDelays({ db, addJobs, untilDone }: Environment) {
  await addJobs(DUE, 1, (place) => inMs(15_000 + (place / DUE) * WITHIN_MS))
  const lastCreatedAt = Date.now()
  await untilDone()
  const delays = await db.many<{ ms: number }>(sql`
    select extract(epoch from d.intent_at - j.scheduled_at) * 1000 as ms
    from deliveries d join jobs j on j.id = d.job_id where j.created_at >= ${new Date(lastCreatedAt - 60_000).toISOString()}`)
  await db.run(sql`delete from jobs`)
  const times = delays.map(({ ms }) => ms)
  return [
    { what: `a due job to its first intent, p50 of ${times.length}`, ms: percentile(times, 0.5) },
    { what: 'p99, budget 1,000', ms: percentile(times, 0.99) },
  ]
}

/**
 * Returns the time until another worker sends for all 50 instances of a killed one. The budget is 30,000 ms, as the
 * lease of the killed worker lasts 20 s.
 */
async function takeOverMs({
  db,
  home,
  env,
  sendroom,
  simulator,
  addJobs,
  startJobs,
}: Environment): Promise<number> {
  await simulator.setLatency(100)
  await addJobs(50, 1000)
  await startJobs()
  const countSending = async (after: string) =>
    (
      await db.one<{ count: number }>(sql`
      select count(distinct instance_id) from deliveries where intent_at > ${after}`)
    ).count
  const { began } = await db.one<{ began: string }>(sql`select now() - interval '1 minute' as began`)
  await until('all instances send', async () => (await countSending(began)) === 50)
  const other = home.launch(['worker'], env)
  const countListeners = () =>
    db.run(sql`
      select from pg_stat_activity
      where query like 'listen "sendroom_engine"%' or query like '%pg_listening_channels()'`)
  await until('the other worker listens', async () => (await countListeners()) === 2)
  await sendroom.end('SIGKILL')
  const { killed } = await db.one<{ killed: string }>(sql`select now() as killed`)
  const begin = performance.now()
  await until('all instances send again', async () => (await countSending(killed)) === 50, 60_000)
  const ms = performance.now() - begin
  await other.end('SIGTERM')
  return ms
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
