/**
 * Measures what an installation costs at the pace of real instances, and whether a message costs more with more of
 * them. One server and two workers. 99 % of the instances write to private chats with the default pause, 1 % to groups
 * of some 200 members. The provider reports two receipts a message, or two for each member.
 *
 *   ACCOUNTS=100,1000 MINUTES=10 npm run bench -- accounts
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startCluster } from '../../server/src/embedded-postgres/cluster.ts'
import { type Order, planJob } from '../../server/src/engine/jobs/create.ts'
import { connect, type Pool } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, type Program, startSimulatorProcess } from '../../server/test/process.ts'
import { until } from '../../server/test/until.ts'
import { urlOf } from '../../server/test/url-of.ts'
import { numbersOf } from './engine-environment.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SIZES = (process.env.ACCOUNTS ?? '100,1000').split(',').map(Number)
const MINUTES = Number(process.env.MINUTES ?? 10)
/** All instances have sent once by then, and the caches are warm. */
const WARM_UP_MS = 90_000
const GROUP_EVERY = 100
const MEMBERS = { least: 150, most: 250 }
const SECRET_KEY = 'a key of 32 characters for the benchmark'

async function measure(accounts: number) {
  await using home = await Installation.create({ SECRET_KEY })
  await using simulator = await startSimulatorProcess(home.dataDir)
  const cluster = await startCluster(home.dataDir, { info() {}, warn: console.warn, error: console.error })
  const env = { DATABASE_URL: urlOf(cluster.superuser), TEST_PROVIDER_URL: simulator.url }
  await (await home.start(['server'], env)).end('SIGTERM') // creates the tables
  const db = connect(cluster.superuser, { max: 2, applicationName: 'sendroom bench' })
  const tokens = Array.from({ length: accounts }, (_, n) => `test_linked_real_${n}`)
  await simulator.setReceipts(null, { readPercent: 100 })
  await insertInstances(db, tokens)
  await addJobs(db, simulator.url)

  const server = await home.start(['server'], env)
  const isSet = async () =>
    (await db.run(sql`select from instances where webhook_base is null limit 1`)) === 0
  await until('all webhooks are set', isSet, 300_000)
  const workers = [home.launch(['worker'], env), home.launch(['worker'], env)]
  await db.run(sql`update jobs set scheduled_at = null`)
  await delay(WARM_UP_MS)

  const pids = {
    server: server.pid,
    workers: workers.map(({ pid }) => pid),
    postgres: postmasterOf(home.dataDir),
  }
  const before = { cpu: cpuOf(pids), ...(await countsOf(db)) }
  let connections = 0
  for (const end = performance.now() + MINUTES * 60_000; performance.now() < end; await delay(5_000))
    connections = Math.max(connections, await countConnections(db))
  const after = { cpu: cpuOf(pids), ...(await countsOf(db)) }
  const sent = after.sent - before.sent
  const msOf = (part: keyof typeof after.cpu) => ((after.cpu[part] - before.cpu[part]) * 1000) / sent
  const lateness = await latenessOf(db, MINUTES)
  const megabytes = (some: Program[]) => Math.max(...some.map(({ pid }) => residentMegabytes(pid)))
  const row = {
    accounts,
    messages: sent,
    'receipts applied': after.receipts - before.receipts,
    'server ms/message': msOf('server'),
    'workers ms': msOf('workers'),
    'PostgreSQL ms': msOf('postgres'),
    'of one processor %': ((msOf('server') + msOf('workers') + msOf('postgres')) * sent) / (MINUTES * 600),
    'server MB': megabytes([server]),
    'worker MB': megabytes(workers),
    connections,
    ...lateness,
  }
  await db.end()
  await Promise.all([server, ...workers].map((program) => program.end('SIGTERM')))
  await cluster.stop()
  return row
}

/** The instances begin at different moments of their first pause, like instances that have been sending for a while. */
async function insertInstances(db: Pool, tokens: string[]) {
  const secrets = secretsOf(SECRET_KEY)
  await db.run(sql`
    insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, last_sync_at, syncing_until,
      webhook_tried_at, next_due_at)
    select token, decode(cipher, 'hex'), decode(hash, 'hex'), true, 'Connected', now() + interval '1 hour', now(), now(),
      'epoch', now() + interval '75 seconds' * random()
    from unnest(${tokens}::text[], ${tokens.map((token) => secrets.encrypt(token).toString('hex'))}::text[],
      ${tokens.map((token) => secrets.hash(token).toString('hex'))}::text[]) as instance (token, cipher, hash)`)
}

/** Every instance has jobs that last longer than the measurement. */
async function addJobs(db: Pool, simulatorUrl: string) {
  const instances = await db.many<{ id: number; name: string }>(
    sql`select id, name from instances order by id`,
  )
  const private_ = numbersOf(Math.ceil(MINUTES + 4)).map((number) => `${number}@s.whatsapp.net`)
  const common = {
    ...{ messageId: null, textContent: 'Hello', imageId: null, createdBy: { id: 1, name: 'admin' } },
    scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
  }
  for (const [place, { id: instanceId, name }] of instances.entries()) {
    const isGroups = place % GROUP_EVERY === 0
    const order: Order = {
      ...{ ...common, instanceId, jobType: isGroups ? 'SendToGroups' : 'SendToUsers' },
      recipients: isGroups
        ? await addGroups(db, simulatorUrl, instanceId, name)
        : private_.map((chatId) => ({ chatId, name: chatId, groupId: null, contactId: null })),
    }
    // An instance sends at most three messages a minute to groups.
    const jobs = isGroups ? Math.ceil((MINUTES * 3 + 12) / order.recipients.length) : 1
    for (let job = 0; job < jobs; job++) await db.begin((tx) => planJob(tx, order))
  }
}

type WireGroup = { id: string; name: string; participants: { id: string }[] }

/** Adds the channel's groups of about 200 members, as a sync would. */
async function addGroups(db: Pool, simulatorUrl: string, instanceId: number, token: string) {
  const answer = await fetch(`${simulatorUrl}/groups?count=500`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { groups } = (await answer.json()) as { groups: WireGroup[] }
  const fitting = groups.filter(
    ({ participants }) => participants.length >= MEMBERS.least && participants.length <= MEMBERS.most,
  )
  if (fitting.length === 0) throw new Error('No group has about 200 members.')
  const recipients = []
  for (const { id: chatId, name, participants } of fitting) {
    const { id } = await db.one<{ id: number }>(sql`
      insert into groups (instance_id, chat_id, name) values (${instanceId}, ${chatId}, ${name}) returning id`)
    await db.run(sql`
      insert into participants (group_id, person_id, rank)
      select ${id}, person_id, 'member' from unnest(${participants.map((one) => one.id)}::text[]) person_id`)
    recipients.push({ chatId, name, groupId: id, contactId: null })
  }
  return recipients
}

/** The process id of PostgreSQL's main process, the parent of all others. */
const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

const cpuOf = ({ server, workers, postgres }: { server: number; workers: number[]; postgres: number }) => ({
  server: cpuSeconds(server),
  workers: workers.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
  postgres: cpuSeconds(postgres, true),
})

const countsOf = (db: Pool) =>
  db.one<{ sent: number; receipts: number }>(sql`
    select count(*) filter (where status = 'sent')::int as sent,
      sum(delivered_members + read_members + (delivered_at is not null and group_id is null)::int
        + (read_at is not null and group_id is null)::int)::int as receipts
    from deliveries`)

const countConnections = async (db: Pool) =>
  (
    await db.one<{ count: number }>(sql`
      select count(*)::int from pg_stat_activity
      where backend_type = 'client backend' and application_name <> 'sendroom bench'`)
  ).count

/** How late an instance began a message, after the latest end of its pause: it may wait 90 s, or 30 s for groups. */
const latenessOf = (db: Pool, minutes: number) =>
  db.one<Record<string, number>>(sql`
    select coalesce(max(late), 0)::float8 as "longest late s",
      (count(*) filter (where late > 1) * 100.0 / count(*))::float8 as "late by 1 s, %"
    from (
      select extract(epoch from intent_at - lag(sent_at) over (partition by instance_id order by sent_at))
        - case when group_id is null then 90 else 30 end as late
      from deliveries where status = 'sent' and sent_at > now() - ${minutes} * interval '1 minute'
    ) gaps`)

const rows = []
for (const accounts of SIZES) rows.push(await measure(accounts))
printTable(`Accounts at the pace of real ones, ${MINUTES} minutes each`, rows)
