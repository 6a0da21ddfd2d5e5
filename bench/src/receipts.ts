/**
 * How many receipts does a server take, and what do they cost beside a bare server that only parses and answers? The
 * receipts are those of group messages: one by each member, first delivered, then read.
 */

import autocannon from 'autocannon'
import { storeBatch } from '../../server/src/engine/receipts/store.ts'
import { keyOf, secretOf } from '../../server/src/features/instances/webhook.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, Program } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SECRET_KEY = 'a key of 32 characters for the benchmark'
const MESSAGES = 4_000
const MEMBERS = 200
const INSTANCES = 100
const CLIENTS = 50
const SECONDS = 6

await using home = await Installation.create({ SECRET_KEY })
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const bare = new Program('bench/src/bare.ts', [JSON.stringify(home.database)], home.dataDir, {})
const [, bareUrl = ''] = await bare.says(/Listening on (\S+)/)
const secrets = secretsOf(SECRET_KEY)

/** Instances with a group each, and messages to the groups that were sent just now. */
async function seed() {
  await db.run(sql`
    insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, last_sync_at, syncing_until)
    select 'instance ' || n, '\\x00', sha256(n::text::bytea), true, 'Connected', now() + interval '1 hour', now(), now()
    from generate_series(1, ${INSTANCES}) n`)
  await db.run(
    sql`insert into groups (instance_id, chat_id, name) select id, id || '@g.us', name from instances`,
  )
  await db.run(sql`
    insert into participants (group_id, person_id, rank)
    select g.id, 'member ' || n, 'member' from groups g, generate_series(0, ${MEMBERS - 1}) n`)
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name)
    select 'SendToGroups', 'Hello', i.id, 'Completed', 1, 'bench'
    from instances i, generate_series(1, ${MESSAGES / INSTANCES})`)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, intent, intent_at, sent_at,
      provider_message_id)
    select j.id, j.instance_id, g.id, g.chat_id, g.name, 'sent', gen_random_uuid(), now(), now(), 'message-' || j.id
    from jobs j join groups g using (instance_id)`)
  await db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries`)
  await db.run(sql`vacuum analyze`)
  return db.many<{ id: number; instanceId: number; tokenHash: Buffer }>(sql`
    select j.id, i.id as instance_id, i.token_hash from jobs j join instances i on i.id = j.instance_id order by j.id`)
}

const messages = await seed()
let used = 0

/** The next `count` receipts of a message. A hundred messages get theirs in turns, then the next hundred. */
function nextCall(count: number) {
  const call = used++
  const callsOfHundred = (100 * 2 * MEMBERS) / count
  const hundred = Math.floor(call / callsOfHundred) * 100
  const message = messages[(hundred + (call % 100)) % messages.length]
  const round = Math.floor((call % callsOfHundred) / 100) * count
  if (!message) throw new Error('No messages')
  const statuses = Array.from({ length: count }, (_, n) => ({
    id: `message-${message.id}`,
    status: round + n < MEMBERS ? 'delivered' : 'read',
    timestamp: String(Math.floor(Date.now() / 1000)),
    viewer_id: `member ${(round + n) % MEMBERS}`,
  }))
  return { message, body: JSON.stringify({ statuses, event: { type: 'statuses', event: 'post' } }) }
}

const pathOf = ({ instanceId }: { instanceId: number }) => `/api/webhooks/whapi/${keyOf(secrets, instanceId)}`

async function measure(name: string, url: string, count: number) {
  const load = (seconds: number) =>
    autocannon({
      ...{ url, connections: CLIENTS, duration: seconds },
      requests: [
        {
          method: 'POST',
          setupRequest(request: object) {
            const { message, body } = nextCall(count)
            const secret = secretOf(secrets, { id: message.instanceId, tokenHash: message.tokenHash })
            const headers = { 'content-type': 'application/json', 'x-sendroom-secret': secret }
            return { ...request, path: url === bareUrl ? '/' : pathOf(message), headers, body }
          },
        },
      ],
    })
  await load(1)
  const [before, applied] = [cpuSeconds(sendroom.pid), await countApplied()]
  const result = await load(SECONDS)
  const [after, now] = [cpuSeconds(sendroom.pid), await countApplied()]
  const ended = performance.now()
  const isApplied = async () =>
    (await db.run(sql`select from receipt_batches union all select from receipt_events limit 1`)) === 0
  await until('all receipts are applied', isApplied)
  const receipts = result.requests.average * count
  const failed = result.non2xx + result.errors
  return {
    what: failed ? `${name} (${failed} failed)` : name,
    'receipts/s': Math.round(receipts),
    'p50 ms': result.latency.p50,
    'p97.5 ms': result.latency.p97_5,
    'applied %': url === bareUrl ? '' : Math.round(((now - applied) / (receipts * SECONDS)) * 100),
    'last applied ms': url === bareUrl ? '' : performance.now() - ended,
    'Node CPU µs/receipt': Math.round(((after - before) * 1e6) / (receipts * SECONDS)),
    'Node MB': residentMegabytes(sendroom.pid),
  }
}

/** The changes that receipts have made. Less than the receipts when the runs come to those that were counted before. */
const countApplied = async () =>
  (
    await db.one<{ count: number }>(
      sql`select sum(delivered_members + read_members)::int as count from deliveries`,
    )
  ).count

const rows = []
for (const count of [1, 100]) {
  const name = count === 1 ? 'one receipt a call' : `${count} receipts a call`
  rows.push(await measure(`bare, ${name}`, bareUrl, count))
  rows.push(await measure(name, sendroom.url, count))
  rows.push(await measure(`bare, ${name}, again`, bareUrl, count))
}
printTable(
  `Receipts of ${MESSAGES} messages to groups of ${MEMBERS}, ${CLIENTS} connections, ${SECONDS} s each`,
  rows,
)

/** Deletes what is stored so far, and gives the first `groups` groups 1,000 members and 1,000 messages together. */
async function seedLargeGroups(groups: number) {
  await db.run(sql`truncate delivery_views`)
  await db.run(sql`
    insert into groups (instance_id, chat_id, name)
    select 1, 'large ' || ${groups} || ' ' || n || '@g.us', 'Group' from generate_series(1, ${groups}) n`)
  const chats = sql`select id, chat_id from groups where chat_id like 'large ' || ${groups} || ' %'`
  await db.run(sql`
    insert into participants (group_id, person_id, rank)
    select g.id, 'member ' || n, 'member' from (${chats}) g, generate_series(1, 1000) n`)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, intent, intent_at, sent_at,
      provider_message_id)
    select n, 1, g.id, g.chat_id, 'Group', 'sent', gen_random_uuid(), now(), now(), g.chat_id || n
    from (${chats}) g, generate_series(1, ${1000 / groups}) n`)
  await db.run(sql`
    insert into matched_messages (instance_id, provider_message_id, delivery_id)
    select instance_id, provider_message_id, id from deliveries where chat_id like 'large ' || ${groups} || ' %'`)
  const rows = await db.many<{ id: string }>(sql`
    select provider_message_id as id from deliveries where chat_id like 'large ' || ${groups} || ' %'`)
  return rows.map(({ id }) => id)
}

/** All members receive and half of them read each message, in bursts of 100 receipts. Returns the bytes on disk. */
async function bytesFor(groups: number): Promise<number> {
  const ids = await seedLargeGroups(groups)
  const bursts = Array.from({ length: 15 }, (_, n) => ({
    first: (n % 10) * 100,
    state: n < 10 ? ('delivered' as const) : ('read' as const),
  }))
  for (const { first, state } of bursts)
    for (let from = 0; from < ids.length; from += 50) {
      const receipts = ids.slice(from, from + 50).flatMap((providerMessageId) =>
        Array.from({ length: 100 }, (_, n) => ({
          ...{
            instanceId: 1,
            providerMessageId,
            state,
            viewer: `member ${first + n + 1}`,
            at: null,
            detail: '',
          },
        })),
      )
      await storeBatch(db, receipts)
      await until('few receipts wait', async () => (await db.run(sql`select from receipt_batches`)) < 20)
    }
  await until('all are applied', async () => (await db.run(sql`select from receipt_batches`)) === 0)
  const { bytes } = await db.one<{ bytes: number }>(
    sql`select pg_total_relation_size('delivery_views') as bytes`,
  )
  return bytes
}

printTable('On disk: 1,000 messages to groups of 1,000, for each member and message', [
  { what: 'to one group', bytes: (await bytesFor(1)) / 1e6, budget: 2 },
  { what: 'to 1,000 groups', bytes: (await bytesFor(1000)) / 1e6, budget: 2 },
])
await db.end()
await bare.end('SIGTERM')
await sendroom.end('SIGTERM')
