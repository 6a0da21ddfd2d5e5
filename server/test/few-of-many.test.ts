import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCalendar } from '../src/features/calendar/calendar.service.ts'
import { getStats } from '../src/features/dashboard/dashboard.service.ts'
import { getNow } from '../src/features/dashboard/now.ts'
import { listGroups } from '../src/features/groups/groups.queries.ts'
import { listJobs } from '../src/features/jobs/jobs.queries.ts'
import { listMessages } from '../src/features/messages/messages.queries.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import type { Caller } from '../src/platform/access.ts'
import { connect, type Db, type Pool } from '../src/platform/database/connection.ts'
import { storeSessionDefaults } from '../src/platform/database/session-defaults.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useSharedContext } from './context.ts'

// A Member sees one row of each of these tables, and 20,000 rows belong to others. The Member's queries must not read
// the rows of the others. Nor may the look for troubles read those that ended.

const OTHERS = 20_000
/** PostgreSQL may switch to a generic plan after five executions of a statement. */
const TIMES = 8

const context = useSharedContext()
let member: Caller
/** Plans statements as in production: global-setup.ts has other tests plan them once. */
let asDeployed: Pool

beforeAll(async () => {
  const { db, add } = context
  const [others, own] = [await add.instance(), await add.instance()]
  await db.run(sql`
    insert into messages (text_content, instance_id, created_by_user_name)
    select 'Message ' || n, ${others.id}, 'somebody' from generate_series(1, ${OTHERS}::int) n`)
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select ${others.id}, n || '@g.us', 'Group ' || n from generate_series(1, ${OTHERS}::int) n`)
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name)
    select 'SendToGroups', 'Message ' || n, ${others.id}, 0, 'somebody' from generate_series(1, ${OTHERS}::int) n`)
  await db.run(sql`
    insert into troubles (kind, job_id, announced_at, ended_at)
    select 'job_failed', n, clock_now(), clock_now() from generate_series(1, ${OTHERS}::int) n`)
  await add.message({ instanceId: own.id, textContent: 'Mine' })
  await add.group({ instanceId: own.id, name: 'Mine' })
  await add.job({ instanceId: own.id, textContent: 'Mine' })
  await db.run(sql`vacuum analyze messages, groups, jobs, troubles`)
  const user = await add.user({ instances: [own] })
  const caller = await (await context.app).findCaller(user.token, '127.0.0.1')
  if (!caller) throw new Error('There is no such session.')
  member = caller
  await storeSessionDefaults(db, 'database')
  asDeployed = connect(context.database.address, { applicationName: 'sendroom test' })
})
afterAll(() => asDeployed.end())

/** With what earlier transactions of the connection have not reported yet. */
async function rowsRead(tx: Db, tables: string[]): Promise<number> {
  const { rows } = await tx.one<{ rows: number }>(sql`
    select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
    where relname = any(${tables}::text[])`)
  return rows
}

/** Counts the rows of these tables that PostgreSQL has read for the query. */
async function countRowsRead(
  ask: (tx: Pool) => Promise<unknown>,
  tables = ['messages', 'groups', 'jobs'],
): Promise<number> {
  return asDeployed.begin(async (tx) => {
    const before = await rowsRead(tx, tables)
    const { isTransaction: _, ...queries } = tx
    const pool = { ...queries, begin: (work) => work(tx) } as Pool // the queries use nothing else of a pool
    for (let time = 0; time < TIMES; time++) await ask(pool)
    return (await rowsRead(tx, tables)) - before
  })
}

const query = { page: 1, pageSize: 10, sortDirection: 'desc', instanceIds: [] } as const
const lists = {
  messages: (db: Db, search: string) => listMessages(db, member, { ...query, sortBy: 'createdAt', search }),
  jobs: (db: Db, search: string) => listJobs(db, member, { ...query, sortBy: 'createdAt', search }),
  groups: (db: Db, search: string) =>
    listGroups(db, member, { ...query, instanceIds: [], sortBy: 'participantCount', search }),
}

test.each([
  ['messages', '', 1],
  ['messages', 'Mi', 1],
  ['messages', 'ss', 0],
  ['jobs', '', 1],
  ['jobs', 'Mi', 1],
  ['jobs', 'ss', 0],
  ['groups', '', 1],
  ['groups', 'Mi', 1],
  ['groups', 'ou', 0],
] as const)('a list of %s, searched for “%s”, reads few rows', async (name, search, found) => {
  const { data } = await lists[name](context.db, search)

  expect(data).toHaveLength(found)
  expect(await countRowsRead((db) => lists[name](db, search))).toBeLessThan(OTHERS / 10)
})

test('the dashboard reads few rows', async () => {
  expect(await countRowsRead((db) => getStats(db, member))).toBeLessThan(OTHERS / 10)
  expect(await countRowsRead((db) => getNow(db, member))).toBeLessThan(OTHERS / 10)
})

// R-1358
test('a month of the calendar reads few rows of a full day', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const month = { from: day, days: 42, timeZone: 'UTC', perDay: 20 }
  const admin: Caller = { ...member, role: 'Admin' }
  for (const caller of [member, admin])
    expect(
      await countRowsRead((db) => readCalendar(db, caller, month), ['jobs', 'series', 'series_runs']),
    ).toBeLessThan(OTHERS / 4)
})

test('a look for troubles does not read those that ended', async () => {
  const look = (db: Pool) => lookForTroubles(db, { hasMail: true })
  expect(await countRowsRead(look, ['troubles'])).toBeLessThan(OTHERS / 10)
})
