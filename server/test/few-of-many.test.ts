import { afterAll, beforeAll, expect, test } from 'vitest'
import { getStats } from '../src/features/dashboard/dashboard.service.ts'
import { listGroups } from '../src/features/groups/groups.queries.ts'
import { listJobs } from '../src/features/jobs/jobs.queries.ts'
import { listMessages } from '../src/features/messages/messages.queries.ts'
import type { Caller } from '../src/platform/access.ts'
import type { Db, Pool } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { World } from './world.ts'

// A Member who sees little of much: what they ask for reads their own rows, not everybody's.

const OTHERS = 20_000
/** Enough for the driver's statements to be planned for good. */
const TIMES = 8

const world = new World({})
let member: Caller

beforeAll(async () => {
  await world.open()
  const { db, add } = world
  const [theirs, mine] = [await add.instance(), await add.instance()]
  await db.run(sql`
    insert into messages (text_content, instance_id, created_by_user_name)
    select 'Message ' || n, ${theirs.id}, 'somebody' from generate_series(1, ${OTHERS}::int) n`)
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select ${theirs.id}, n || '@g.us', 'Group ' || n from generate_series(1, ${OTHERS}::int) n`)
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name)
    select 'SendToGroups', 'Message ' || n, ${theirs.id}, 0, 'somebody' from generate_series(1, ${OTHERS}::int) n`)
  await add.message({ instanceId: mine.id, textContent: 'Mine' })
  await add.group({ instanceId: mine.id, name: 'Mine' })
  await add.job({ instanceId: mine.id, textContent: 'Mine' })
  await db.run(sql`vacuum analyze messages, groups, jobs`)
  const user = await add.user({ instances: [mine] })
  const caller = await (await world.app).findCaller(user.token)
  if (!caller) throw new Error('There is no such session.')
  member = caller
})
afterAll(() => world.close())

/** Rows of these tables that were looked at, by the database's own count. */
async function rowsRead(ask: (tx: Pool) => Promise<unknown>): Promise<number> {
  return world.db.begin(async (tx) => {
    for (let time = 0; time < TIMES; time++) await ask(tx as unknown as Pool) // it only asks
    const { rows } = await tx.one<{ rows: number }>(sql`
      select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
      where relname in ('messages', 'groups', 'jobs')`)
    return rows
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
] as const)('%s, searched for “%s”', async (name, search, found) => {
  const { data } = await lists[name](world.db, search)

  expect(data).toHaveLength(found)
  expect(await rowsRead((db) => lists[name](db, search))).toBeLessThan(OTHERS / 10)
})

test('the dashboard', async () => {
  expect(await rowsRead((db) => getStats(db, member))).toBeLessThan(OTHERS / 10)
})
