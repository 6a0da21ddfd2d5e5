/**
 * Measures what 10,000 series cost at rest: how much of a processor it takes to look for due runs once a second, and to
 * plan each series one more day once a day. The processor time is that of this process and of PostgreSQL.
 *
 *   SERIES=10000 npm run bench -- series
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../../server/src/embedded-postgres/cluster.ts'
import { type MakeDeps, makeDueRuns, planDueSeries } from '../../server/src/features/series/make-due.ts'
import { connect, type Db, type Pool } from '../../server/src/platform/database/connection.ts'
import { forBulkWrites } from '../../server/src/platform/database/session-defaults.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { createTemplate } from '../../server/test/template.ts'
import { makeTemporaryFolder } from '../../server/test/temporary-folder.ts'
import { cpuSeconds } from './processes.ts'
import { printTable } from './table.ts'

const SERIES = Number(process.env.SERIES ?? 10_000)
const PER_INSTANCE = 100
/** The jobs of so many runs still send. */
const SENDING = 1_000
const LOOKS = 1_000
const PLANNED = 1_000
const SECONDS_PER_DAY = 86_400

const daily = {
  ...{ frequency: 'day', every: 1, times: ['09:00'], startsOn: '2026-01-01', endsOn: null, runLimit: null },
  timeZone: 'Asia/Ho_Chi_Minh',
}
const never = new AbortController().signal

/** All runs are rows for the next 62 days, a day further than any task looks. */
async function addSeries(db: Db) {
  await db.run(sql`
    insert into instances (name, token_cipher, token_hash, is_test)
    select 'Instance ' || n, '', n::text::bytea, true from generate_series(1, ${SERIES / PER_INSTANCE}::int) n`)
  await db.run(sql`
    insert into series (instance_id, name, job_type, rule, quiet_policy, overlap, recipients, author_name, planned_until)
    select 1 + n % ${SERIES / PER_INSTANCE}::int, 'Series ' || n, 'SendToGroups', ${JSON.stringify(daily)}::jsonb, 'move', 'skip',
      '{}', 'somebody', clock_now() + interval '62 days'
    from generate_series(1, ${SERIES}::int) n`)
  await db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at)
    select s.id, to_char(day, 'YYYY-MM-DD"T09:00"'), 1, day + interval '2 hours'
    from series s, generate_series(clock_now(), clock_now() + interval '61 days', interval '1 day') day`)
}

/** Gives so many series a run whose job still sends. */
async function addSending(db: Pool) {
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name)
    select 'SendToGroups', 'Hello', instance_id, 'Running', 1, 'somebody' from series order by id limit ${SENDING}`)
  await db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at, state, job_id)
    select row_number() over (order by id), '2026-01-01T09:00', 1, clock_now() - interval '1 hour', 'made', id from jobs`)
  await db.run(sql`analyze`)
}

const folder = await makeTemporaryFolder('bench')
const silent = { info() {}, warn() {}, error() {} }
const cluster = await startCluster(folder, silent)
await createTemplate(cluster.superuser)
const db = connect({ ...cluster.superuser, database: 'tpl' }, { max: 1, applicationName: 'sendroom bench' })
const postmaster = Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

/** Processor milliseconds for each of so many times. */
async function measure(times: number, task: () => Promise<unknown>) {
  const used = () => ({ node: cpuSeconds(process.pid), database: cpuSeconds(postmaster, true) })
  const before = used()
  await task()
  const after = used()
  const msOf = (part: 'node' | 'database') => ((after[part] - before[part]) * 1000) / times
  return { 'Node ms': msOf('node'), 'PostgreSQL ms': msOf('database') }
}

const deps: MakeDeps = { db, createJob: () => Promise.reject(new Error('No run is due')) }
const look = () =>
  measure(LOOKS, async () => {
    for (let n = 0; n < LOOKS; n++) await makeDueRuns(deps, never)
  })

/** As after a day in which nothing was planned. */
async function plan() {
  await db.run(sql`
    update series set planned_until = planned_until - interval '2 days' where id <= ${PLANNED}`)
  return measure(PLANNED, () => planDueSeries(db, never))
}

const row = (what: string, timesADay: number, costs: Awaited<ReturnType<typeof measure>>) => ({
  what,
  ...costs,
  'of one processor %': percentOf(((costs['Node ms'] + costs['PostgreSQL ms']) * timesADay) / 1000),
})

/** A part of a day, with the decimal places that a table leaves out. */
function percentOf(seconds: number) {
  return ((seconds * 100) / SECONDS_PER_DAY).toFixed(3)
}

await db.begin(async (tx) => {
  await forBulkWrites(tx)
  await addSeries(tx)
})
await db.run(sql`analyze`)
await look() // warms up
const rest = row('look for due runs', SECONDS_PER_DAY, await look())
await addSending(db)
const sending = row(`the same while ${SENDING.toLocaleString('en')} runs send`, SECONDS_PER_DAY, await look())
const planning = row('plan a series one more day', SERIES, await plan())
printTable(`${SERIES.toLocaleString('en')} series at rest`, [rest, sending, planning])

await db.end(1000)
await cluster.stop()
