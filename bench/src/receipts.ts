/**
 * How many receipts does a server take, and what do they cost beside a bare server that only parses and answers? The
 * receipts are those of group messages: one by each member, first delivered, then read.
 */

import { storeBatch } from '../../server/src/engine/receipts/store.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, Program } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { addSentMessages, receiptCaller } from './receipt-calls.ts'
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

await db.run(sql`
  insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, last_sync_at, syncing_until)
  select 'instance ' || n, '\\x00', sha256(n::text::bytea), true, 'Connected', now() + interval '1 hour', now(), now()
  from generate_series(1, ${INSTANCES}) n`)
const messages = await addSentMessages(db, MESSAGES, MEMBERS)
const makeCalls = receiptCaller({
  url: sendroom.url,
  secrets,
  messages,
  members: MEMBERS,
  connections: CLIENTS,
})

async function measure(name: string, url: string, count: number) {
  const place = url === bareUrl ? { at: url, path: '/' } : {}
  const load = (seconds: number) => makeCalls({ receipts: count, seconds, ...place })
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
