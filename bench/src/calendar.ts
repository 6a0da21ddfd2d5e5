/**
 * How long does a month of the calendar take beside the list of jobs, with 10,000 series and 100,000 waiting jobs, and
 * how many rows does PostgreSQL read for each day of it? Each series runs daily, which is more than people have.
 */
import { limits as contractLimits } from '@sendroom/contract/limits'
import {
  countByDay,
  findFirstOfDays,
  type InstanceIds,
} from '../../server/src/features/calendar/calendar.queries.ts'
import { connect, type Db } from '../../server/src/platform/database/connection.ts'
import { type Sql, sql } from '../../server/src/platform/database/sql.ts'
import { Installation } from '../../server/test/process.ts'
import { load } from './load.ts'
import { seedCalendar, seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SERIES = 10_000
const JOBS = 100_000
const MOST_TIMES = 10
const MOST_ROWS = 10_000
const DAY_MS = 86_400_000

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
console.log(`Seeding ${SERIES.toLocaleString('en')} series and ${JOBS.toLocaleString('en')} waiting jobs …`)
await db.run(sql`set statement_timeout = 0`)
await seedCalendar(db, SERIES, JOBS)

const from = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)
const some = [1, 2, 3]
/** Many users, because one may make only 1,200 requests a minute. */
const callers: Record<string, { tokens: string[]; accounts: InstanceIds }> = {
  Admin: { tokens: await seedUsers(db, { role: 'Admin', count: 500, instanceIds: [] }), accounts: null },
  Member: { tokens: await seedUsers(db, { role: 'Member', count: 500, instanceIds: some }), accounts: some },
}

/** The rows that the scans of these queries read, by EXPLAIN ANALYZE. */
async function rowsRead(ask: (capture: Db) => Promise<unknown>): Promise<number> {
  const asked: Sql[] = []
  const many = async (query: Sql) => {
    asked.push(query)
    return []
  }
  await ask({ ...db, many } as Db) // the queries call nothing else
  let rows = 0
  for (const query of asked) {
    const [plan] = await db.many<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      sql`explain (analyze, format json) ${query}`,
    )
    for (const { Plan: top } of plan?.['QUERY PLAN'] ?? []) rows += rowsOf(top)
  }
  return rows
}

type Plan = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

function rowsOf(plan: Plan): number {
  const isTable = / Scan$/.test(plan['Node Type']) && !/Function|Subquery|CTE/.test(plan['Node Type'])
  const own = isTable
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0
  return own + (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0)
}

const rows: Record<string, string | number>[] = []
for (const [caller, { tokens, accounts }] of Object.entries(callers)) {
  const measure = (path: string) =>
    load({ url: `${sendroom.url}/api/${path}`, tokens, connections: 1, seconds: 4 })
  const list = await measure('jobs')
  for (const [view, query, days, seen] of [
    ['month', '&perDay=4', contractLimits.calendarDays, accounts],
    ['month of one account', '&instanceId=1&perDay=4', contractLimits.calendarDays, [1]],
    ['day', '&days=1', 1, accounts],
  ] as const) {
    const { p50, p95, failed } = await measure(
      `calendar?from=${from}${query}${days === 1 ? '' : `&days=${days}`}`,
    )
    const spans = Array.from({ length: days }, (_, place) => ({
      since: new Date(Date.parse(from) + place * DAY_MS).toISOString(),
      until: new Date(Date.parse(from) + (place + 1) * DAY_MS).toISOString(),
    }))
    const read = await rowsRead(async (capture) => {
      await countByDay(capture, seen, spans)
      await findFirstOfDays(capture, seen, spans, contractLimits.calendarEntries)
    })
    rows.push({
      ...{
        caller,
        view: failed ? `${view} (${failed} failed)` : view,
        p50,
        p95,
        'list of jobs p50': list.p50,
      },
      ...{
        times: p50 / list.p50,
        'at most': MOST_TIMES,
        'rows of a day': read / days,
        'at most ': MOST_ROWS,
      },
    })
  }
}
printTable('A month of the calendar beside the list of jobs, one client, in ms', rows)
await db.end()
await sendroom.end('SIGTERM')
