/**
 * How fast are a million contacts for 20 clients, and what does a job of 100,000 of them with own texts cost? Each list
 * and search is compared with a bare route that runs the same query (docs/decisions/0023).
 */
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { Installation, Program } from '../../server/test/process.ts'
import { load } from './load.ts'
import { peakMegabytes, residentMegabytes } from './processes.ts'
import { seedContacts, seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const CONTACTS = 1_000_000
const RECIPIENTS = 100_000
const LIST = 5
const SEARCH = 3
const limits = { connections: 20, seconds: 4 }

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const bare = new Program('bench/src/bare.ts', [JSON.stringify(home.database)], home.dataDir, {})
const [, bareUrl = ''] = await bare.says(/Listening on (\S+)/)
console.log(`Seeding ${CONTACTS.toLocaleString('en')} contacts …`)
await db.run(sql`set statement_timeout = 0`)
const { fieldKey, tagOfTenth } = await seedContacts(db, CONTACTS)
/** Many users, because one may make only 1,200 requests a minute. */
const tokens = await seedUsers(db, { role: 'Admin', count: 500, instanceIds: [] })

const rows: Record<string, string | number>[] = []
async function measure(name: string, limit: number, body: object) {
  const bareLoad = await load({ url: `${bareUrl}/contacts`, tokens: [''], body, ...limits })
  const own = await load({ url: `${sendroom.url}/api/contacts/search`, tokens, body, ...limits })
  rows.push({
    list: own.failed ? `${name} (${own.failed} failed)` : name,
    'req/s': Math.round(own.perSecond),
    ...{ p50: own.p50, p95: own.p95, 'bare p95': bareLoad.p95, ratio: own.p95 / bareLoad.p95, limit },
  })
}

await measure('all', LIST, {})
await measure('newest first', LIST, { sortBy: 'createdAt', sortDirection: 'desc' })
await measure('with a tag of each tenth', LIST, { tagIds: [tagOfTenth] })
await measure('with a value of each tenth', LIST, { fields: [{ key: fieldKey, value: 10 }] })
await measure('with both', LIST, { tagIds: [tagOfTenth], fields: [{ key: fieldKey, value: 10 }] })
await measure('search, one found', SEARCH, { search: '84900654321' })
await measure('search, many found', SEARCH, { search: 'khach' })
await measure('search, none found', SEARCH, { search: 'word0123456' })
printTable(`${CONTACTS.toLocaleString('en')} contacts, ${limits.connections} clients, in ms`, rows)

const [token = ''] = tokens
const call = async (path: string, body: object) => {
  const answer = await fetch(`${sendroom.url}/api${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: number }
}

const { id: instanceId } = await db.one<{ id: number }>(sql`
  insert into instances (name, token_cipher, token_hash, is_test, is_active) values ('Shop', '', '\x01', true, true)
  returning id`)
const { id: listId } = await call('/lists', {
  name: 'Each tenth',
  kind: 'filter',
  filter: { search: '', tagIds: [tagOfTenth], fields: [] },
})
const draft = {
  jobType: 'SendToUsers',
  instanceId,
  listIds: [listId],
  scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
}
const ofJob: Record<string, string | number>[] = []
async function costOf(what: string, text: string, goals: [number, number], make: () => Promise<unknown>) {
  const before = residentMegabytes(sendroom.pid)
  peakMegabytes(sendroom.pid, true)
  const began = performance.now()
  await make()
  const seconds = (performance.now() - began) / 1000
  ofJob.push({
    what,
    text,
    seconds,
    goal: goals[0],
    'MB more': peakMegabytes(sendroom.pid) - before,
    most: goals[1],
  })
}
const own = `Chào {{name}}, ${'a'.repeat(286)}`
const same = `Chào bạn, ${'a'.repeat(290)}`
for (const [kind, textContent] of Object.entries({ own, same })) {
  const message = { message: { textContent } }
  await costOf('preview of the draft', kind, [2, 80], () => call('/jobs/preview', { ...draft, ...message }))
  await costOf('job', kind, [15, 80], () => call('/jobs', { ...draft, ...message }))
}
printTable(`A job of ${RECIPIENTS.toLocaleString('en')} from a saved filter, text of 300 characters`, ofJob)
await db.end()
await bare.end('SIGTERM')
await sendroom.end('SIGTERM')
