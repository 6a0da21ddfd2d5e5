/** How fast are the lists and the dashboard with 1,000,000 rows and 20 clients? */

import { contract } from '@sendroom/contract'
import autocannon from 'autocannon'
import { foldSentCounts } from '../../server/src/features/dashboard/dashboard.queries.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { HttpClient } from '../../server/test/http-client.ts'
import { Installation, Program } from '../../server/test/process.ts'
import { seedLists, seedSent } from './seed.ts'
import { printTable } from './table.ts'

const ROWS = 1_000_000
const CLIENTS = 20
const SECONDS = 5

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const bare = new Program('bench/src/bare.ts', [JSON.stringify(home.database)], home.dataDir, {})
const [, bareUrl = ''] = await bare.says(/Listening on (\S+)/)
const admin = await home.signIn(sendroom)

type Load = { body?: object; connections?: number; token?: string | undefined }

async function measure(name: string, url: string, budget: string, load: Load = {}) {
  const { body, connections = CLIENTS, token = admin.token } = load
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { url, headers, ...(body && { method: 'POST' as const, body: JSON.stringify(body) }) }
  await autocannon({ ...request, connections, duration: 1 })
  const result = await autocannon({ ...request, connections, duration: SECONDS })
  const failed = result.non2xx + result.errors
  return {
    list: failed ? `${name} (${failed} failed)` : name,
    'req/s': Math.round(result.requests.average),
    'p50 ms': result.latency.p50,
    'p97.5 ms': result.latency.p97_5,
    'p99 ms': result.latency.p99,
    budget,
  }
}

const list = 'p95 20 ms, 2,500/s'
const search = 'p95 50 ms'
const api = `${sendroom.url}/api`
console.log(`Seeding ${ROWS.toLocaleString('en')} sent messages, then as many messages, jobs and groups …`)
await seedSent(db, ROWS)
// In production a worker does this every minute. The dashboard adds up only the deliveries since.
await foldSentCounts(db)
await db.run(sql`vacuum analyze sent_counts`)
const rows = [
  await measure('dashboard, 10,000 jobs, 10,000 groups, 1 client', `${api}/groups/stats`, '50 ms', {
    connections: 1,
  }),
  await measure('the same, 20 clients', `${api}/groups/stats`, ''),
]
await seedLists(db, ROWS)
await db.end()
rows.push(await measure('bare Fastify: list and count', bareUrl, ''))
for (const name of ['messages', 'jobs', 'groups'])
  rows.push(
    await measure(name, `${api}/${name}`, list),
    await measure(`${name}, page 100 of 50`, `${api}/${name}?page=100&pageSize=50`, list),
    await measure(`${name}, search, few found`, `${api}/${name}?search=word123456`, search),
    await measure(`${name}, search, many found`, `${api}/${name}?search=word12`, search),
  )
const { token } = await signInMember()
for (const name of ['messages', 'jobs', 'groups'])
  rows.push(
    await measure(`${name}, a Member of 3 instances`, `${api}/${name}`, list, { token }),
    await measure('the same, search, many found', `${api}/${name}?search=wo`, search, { token }),
  )
rows.push(
  await measure('groups/search of 10 instances', `${api}/groups/search`, list, {
    body: { instanceIds: Array.from({ length: 10 }, (_, index) => index + 1) },
  }),
  await measure('messages by author', `${api}/messages?sortBy=createdByUserName`, list),
  await measure('jobs by status', `${api}/jobs?sortBy=status`, list),
  await measure('bare Fastify, again', bareUrl, ''),
  await measure('dashboard, as many jobs and groups, 1 client', `${api}/groups/stats`, '', {
    connections: 1,
  }),
)

async function signInMember() {
  const member = { username: 'member', password: 'a password' }
  // Seeding takes longer than a sign-in counts as a confirmation.
  await (await home.signIn(sendroom)).ask(contract.users.create, {
    body: { ...member, email: 'member@example.com', assignedInstances: [1, 2, 3] },
  })
  return new HttpClient(sendroom.url).ask(contract.session.login, { body: member })
}

printTable(`Lists at ${ROWS.toLocaleString('en')} rows, ${CLIENTS} clients, ${SECONDS} s each`, rows)
await bare.end('SIGTERM')
await sendroom.end('SIGTERM')
