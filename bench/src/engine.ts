/** How many messages a second go out, next to a bare undici loop against the same provider, from 1 to 1,000 accounts? */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { type Order, planJob } from '../../server/src/engine/plan.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, startSimulatorProcess } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const LATENCIES_MS = [0, 10]
/** How many accounts, and how many messages each. */
const SIZES = [
  [1, 500],
  [10, 200],
  [100, 200],
  [1000, 20],
] as const
const SECRET_KEY = 'a key of 32 characters for the benchmark'

const tokens = Array.from({ length: 1000 }, (_, index) => `test_linked_bench_${index}`)
const numbers = Array.from({ length: 500 }, (_, index) => `84901${String(index + 1).padStart(6, '0')}`)
const chats = numbers.map((number) => `${number}@s.whatsapp.net`)

await using home = await Installation.create({ SECRET_KEY })
await using simulator = await startSimulatorProcess(home.dataDir)
const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
const sql = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const databasePid = Number(readFileSync(join(home.database.host, 'postmaster.pid'), 'utf8').split('\n')[0])
const instanceIds = await addAccounts()

const rows = []
for (const latency of LATENCIES_MS) {
  await simulator.setLatency(latency)
  for (const [accounts, messages] of SIZES) {
    // The very first requests of a process are slow: a round for nothing.
    await bareLoop(accounts, messages)
    const before = await bareLoop(accounts, messages)
    const engine = await engineRun(accounts, messages)
    const after = await bareLoop(accounts, messages)
    const bare = (before + after) / 2
    rows.push({
      'latency ms': latency,
      accounts,
      'engine msg/s': Math.round(engine.rate),
      'bare msg/s, before': Math.round(before),
      after: Math.round(after),
      'engine/bare %': Math.round((engine.rate / bare) * 100),
      'Node CPU ms/msg': engine.nodeMs,
      'database CPU ms/msg': engine.databaseMs,
      'Node MB': residentMegabytes(sendroom.pid),
    })
  }
}
printTable('Engine with pacing off, each row durable', rows)
await sql.end()
await sendroom.end('SIGTERM')

/** Written directly: created over HTTP, their groups would be read while we measure. */
async function addAccounts() {
  const secrets = secretsOf(SECRET_KEY)
  const accounts = await sql<{ id: number }[]>`
    insert into instances (name, token_cipher, token_hash, is_test, last_sync_at, status, status_asked_at,
      private_pause_from_ms, private_pause_to_ms, private_cap)
    select name, decode(cipher, 'hex'), decode(hash, 'hex'), true, now(), 'Connected', now(), 0, 0, 0
    from unnest(${tokens}::text[], ${tokens.map((token) => secrets.encrypt(token).toString('hex'))}::text[],
      ${tokens.map((token) => secrets.hash(token).toString('hex'))}::text[])
      as account (name, cipher, hash)
    returning id`
  return accounts.map(({ id }) => id)
}

/** From the first intent to the last result. */
async function engineRun(accounts: number, messages: number) {
  const total = accounts * messages
  const cpu = () => ({ node: cpuSeconds(sendroom.pid), database: cpuSeconds(databasePid, true) })
  await createJobs(accounts, messages)
  await sql`vacuum analyze deliveries, jobs, instances`
  const before = cpu()
  // All come due at once, however long it took to create them.
  const { count } = await sql`update jobs set scheduled_at = null where status = 'Pending'`
  if (count !== accounts) throw new Error(`Only ${count} of ${accounts} jobs are there.`)
  const isDone = async () =>
    (await sql`select from jobs where status in ('Pending', 'Running') limit 1`).count === 0
  await until('all is sent', isDone, 300_000)
  const after = cpu()
  const [{ sent, seconds }] = await sql<[{ sent: number; seconds: number }]>`
    select count(*) filter (where status = 'sent') as sent,
      extract(epoch from max(sent_at) - min(intent_at)) as seconds
    from deliveries`
  if (sent !== total) throw new Error(`Only ${sent} of ${total} were sent.`)
  await sql`delete from jobs`
  return {
    rate: total / seconds,
    nodeMs: ((after.node - before.node) * 1000) / total,
    databaseMs: ((after.database - before.database) * 1000) / total,
  }
}

async function createJobs(accounts: number, messages: number) {
  const order: Omit<Order, 'instanceId'> = {
    jobType: 'SendToUsers',
    messageId: null,
    textContent: 'Hello',
    imageId: null,
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    createdBy: { id: 1, name: 'admin' },
    recipients: chats.slice(0, messages).map((chatId) => ({ chatId, name: chatId, groupId: null })),
  }
  for (const instanceId of instanceIds.slice(0, accounts))
    await sql.begin((tx) => planJob(tx, { ...order, instanceId }))
}

async function bareLoop(accounts: number, messages: number): Promise<number> {
  const pool = new Pool(simulator.url, { connections: accounts })
  const begin = performance.now()
  await Promise.all(
    tokens.slice(0, accounts).map(async (token) => {
      for (const to of chats.slice(0, messages)) {
        const { body } = await pool.request({
          ...{ method: 'POST', path: '/messages/text' },
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ to, body: 'Hello' }),
        })
        await body.dump()
      }
    }),
  )
  await pool.close()
  return (accounts * messages) / ((performance.now() - begin) / 1000)
}
