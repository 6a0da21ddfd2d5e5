/**
 * How fast are the lists, searches and the dashboard with 1,000,000 rows and 20 clients? Each is compared with a bare
 * route that runs the same page query, measured just before it, and a search also with the bare list. The limits of the
 * ratio are from docs/decisions/0023.
 */

import { connect } from '../../server/src/platform/database/connection.ts'
import { Installation, Program } from '../../server/test/process.ts'
import { load } from './load.ts'
import { seedLists, seedParticipants, seedSent, seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const ROWS = 1_000_000
const CLIENTS = 20
const SECONDS = 4
const LIST = 5
const SEARCH = 3
const DASHBOARD = 6

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const bare = new Program('bench/src/bare.ts', [JSON.stringify(home.database)], home.dataDir, {})
const [, bareUrl = ''] = await bare.says(/Listening on (\S+)/)
console.log(
  `Seeding ${ROWS.toLocaleString('en')} sent messages, then as many messages, jobs, groups and participants …`,
)
await seedSent(db, ROWS)
await seedLists(db, ROWS)
await seedParticipants(db)

const MEMBER_OF = [1, 2, 3]
/** Many users, because one may make only 1,200 requests a minute. */
const callers = {
  Admin: {
    tokens: await seedUsers(db, { role: 'Admin', count: 500, instanceIds: [] }),
    few: 'word123456',
    query: {},
  },
  Member: {
    tokens: await seedUsers(db, { role: 'Member', count: 500, instanceIds: MEMBER_OF }),
    // A word of their own, from the middle of the list.
    few: `word${(500_001 * 7919) % 1_000_003}`,
    query: { instances: MEMBER_OF.join(',') },
  },
}
type Role = keyof typeof callers
type Row = {
  list: string
  caller: Role
  'req/s': number
  p50: number
  p95: number
  'bare p95': number
  ratio: number
  limit: number | string
  /** How many times as long as the bare route takes without the search. */
  'ratio to list': number | string
}
const rows: Row[] = []

const limits = { connections: CLIENTS, seconds: SECONDS }
const measureBare = async (list: string, caller: Role, search?: string) => {
  const query = new URLSearchParams({ ...callers[caller].query, ...(search && { search }) })
  const { p95 } = await load({ url: `${bareUrl}/${list}?${query}`, tokens: [''], ...limits })
  return p95
}

type Compared = { list: string; limit: number | string; search?: string; body?: object }

/** Measures an address as this caller, and the bare route of `list` before. */
async function measure(name: string, path: string, caller: Role, { list, limit, search, body }: Compared) {
  const bareList = await measureBare(list, caller)
  const barely = search ? await measureBare(list, caller, search) : bareList
  const url = `${sendroom.url}/api/${path}`
  const { perSecond, p50, p95, failed } = await load({ url, tokens: callers[caller].tokens, body, ...limits })
  rows.push({
    ...{ list: failed ? `${name} (${failed} failed)` : name, caller, 'req/s': Math.round(perSecond) },
    ...{ p50, p95, 'bare p95': barely, ratio: p95 / barely, limit },
    'ratio to list': search ? p95 / bareList : '',
  })
}

for (const caller of ['Admin', 'Member'] as const)
  for (const list of ['messages', 'jobs', 'groups']) {
    await measure(list, list, caller, { list, limit: LIST })
    const searches = {
      'one found': callers[caller].few,
      '100 found': 'word1234',
      'many found': 'word12',
      'none found': 'word0123456',
    }
    for (const [found, search] of Object.entries(searches))
      await measure(`${list}, search, ${found}`, `${list}?search=${search}`, caller, {
        ...{ list, limit: SEARCH, search },
      })
  }
const dashboard = { list: 'messages', limit: DASHBOARD }
const notLimited = { list: 'messages', limit: '' }
await measure('messages, page 100 of 50', 'messages?page=100&pageSize=50', 'Admin', notLimited)
await measure('messages by author', 'messages?sortBy=createdByUserName', 'Admin', {
  ...{ list: 'messages', limit: LIST },
})
await measure('jobs by status', 'jobs?sortBy=status', 'Admin', { list: 'jobs', limit: LIST })
await measure('groups/search of 10 instances', 'groups/search', 'Admin', {
  ...{ list: 'groups', limit: LIST },
  body: { instanceIds: Array.from({ length: 10 }, (_, index) => index + 1) },
})
for (const caller of ['Admin', 'Member'] as const) {
  await measure('dashboard', 'groups/stats', caller, dashboard)
  await measure('dashboard, now', 'dashboard/now', caller, notLimited)
  await measure('dashboard, days', 'dashboard/days', caller, dashboard)
}
const syncs = new Program('bench/src/syncs.ts', [JSON.stringify(home.database)], home.dataDir, {})
await syncs.says(/Syncing/)
for (const caller of ['Admin', 'Member'] as const)
  await measure('dashboard during 100 syncs', 'groups/stats', caller, dashboard)
await syncs.end('SIGTERM')

printTable(`Lists at ${ROWS.toLocaleString('en')} rows, ${CLIENTS} clients, ${SECONDS} s each, in ms`, rows)
await db.end()
await bare.end('SIGTERM')
await sendroom.end('SIGTERM')
