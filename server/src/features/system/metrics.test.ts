import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { freePort } from '../../../test/free-port.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { chatsOf, phoneNumbers } from '../../../test/system/scenario.ts'
import { until } from '../../../test/until.ts'
import { openReceiptIntake } from '../../engine/index.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import { serveMetrics } from './metrics-server.ts'

const TOKEN = 'a token for Prometheus'
const SENDS = '^/messages/text'

const context = useEngineContext()
const simulated = useSimulator()
let metrics: Metrics
beforeAll(async () => {
  metrics = await openMetrics({ db: context.db, token: TOKEN, role: 'worker' })
})

/** The values by name and labels, such as `sendroom_attempts_total{status="sent"}`. */
async function scrape(from = metrics): Promise<Map<string, number>> {
  const scraped = await from.scrape(`Bearer ${TOKEN}`)
  const lines = scraped?.text.split('\n').filter((line) => line && !line.startsWith('#')) ?? []
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

/** Returns by how much the counters of each name have grown, added up. */
function growth(before: Map<string, number>, after: Map<string, number>) {
  return (...names: string[]) =>
    [...after]
      .filter(([name]) =>
        names.some(
          (prefix) => `sendroom_${name}`.startsWith(prefix) || name.startsWith(`sendroom_${prefix}`),
        ),
      )
      .reduce((sum, [name, value]) => sum + value - (before.get(name) ?? 0), 0)
}

/** Waits until the job has ended, and moves the clock on whenever nothing is being sent. */
const untilAllEnded = () =>
  until('all jobs have ended', async () => {
    const { unfinished, busy } = await context.db.one<{ unfinished: number; busy: number }>(sql`
      select (select count(*) from jobs where status in ('Pending', 'Running')) as unfinished,
        (select count(*) from instances where in_flight is not null or claim is not null) as busy`)
    if (unfinished > 0 && busy === 0) await context.moveClock('5 seconds')
    return unfinished === 0
  })

test('after faults of every kind the counters agree with the rows and with the ledger', async () => {
  const before = await scrape()
  const { faults, ledger } = simulated.simulator
  const jobs = [
    await context.add.job({ recipients: chatsOf(phoneNumbers(24)) }),
    await context.add.job({ recipients: chatsOf(phoneNumbers(24)) }),
  ]
  const instances = jobs.map(({ instanceId }) => instanceId)
  const { id: imageId } = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('gone.png', 'image/png', 1) returning id`)
  await context.add.job({ imageId, recipients: people(3) })
  expect((await scrape()).get('sendroom_queued_deliveries{state="scheduled"}')).toBe(51)
  for (const token of await tokensOf(instances)) {
    faults.add({ token, path: SENDS, kind: 'status', status: 429, retryAfter: 1, times: 2, skip: 1 })
    faults.add({ token, path: SENDS, kind: 'not-sent', times: 3, skip: 3 })
    faults.add({ token, path: SENDS, kind: 'accept-then-drop', times: 2, skip: 8 })
    faults.add({ token, path: SENDS, kind: 'drop-before', times: 2, skip: 12 })
    faults.add({ token, path: SENDS, kind: 'malformed', times: 1, skip: 16 })
  }
  context.worker(simulated.providers().live, { openMedia: async () => null })
  await untilAllEnded()

  const grown = growth(before, await scrape())
  const rows = await context.db.one<Record<string, number>>(sql`
    select count(*) filter (where status = 'sent') as sent, count(*) filter (where status = 'failed') as failed,
      sum(attempt)::float8 as attempts, sum(doubts)::float8 as doubts from deliveries`)
  expect(rows).toMatchObject({ sent: 42, failed: 9, doubts: 10 })
  expect({
    sent: grown('attempts_total{status="sent"}', 'look_ups_total{verdict="sent"}'),
    failed: grown('attempts_total{status="failed"}', 'unattempted_total{status="failed"}'),
    attempts: grown('attempts_total'),
    doubts: grown('attempts_total{status="doubt"}'),
  }).toEqual(rows)
  expect(ledger.list()).toHaveLength(rows.sent ?? -1)
  expect(grown('look_ups_total{verdict="sent"}', 'look_ups_total{verdict="not_sent"}')).toBe(rows.doubts)
  expect(grown('provider_call_seconds_count{call="POST /messages"')).toBe(rows.attempts)
  expect(grown('provider_call_seconds_count{call="POST /messages",status="429"')).toBe(4)
  expect(grown('start_lateness_seconds_count')).toBe(3)
  expect(grown('claim_lateness_seconds_count')).toBeGreaterThan(0)
})

const tokensOf = async (ids: number[]) => {
  const rows = await context.db.many<{ tokenCipher: Buffer }>(sql`
    select token_cipher from instances where id = any(${ids})`)
  return rows.map(({ tokenCipher }) => context.secrets.decrypt(tokenCipher))
}

test('receipts are counted when they are saved', async () => {
  const before = await scrape()
  const { id } = await context.add.instance()
  const intake = openReceiptIntake(context.db)
  const receipt = { providerMessageId: 'm', state: 'read', viewer: null, at: null, detail: '' } as const
  await intake.accept(id, [receipt, receipt])
  await intake.close()
  const after = await scrape()
  expect(growth(before, after)('receipts_total{state="read"}')).toBe(2)
  expect(after.get('sendroom_stored_receipts')).toBe(2)
})

test('the gauges say what waits, and that the database is away', async () => {
  await context.add.job({ status: 'Running', recipients: people(7) })
  const waiting = { code: 'account_not_linked', params: {} }
  const { id: instanceId } = await context.add.instance({ waiting: JSON.stringify(waiting) })
  await context.add.job({ status: 'Running', instanceId, recipients: people(2) })
  await context.add.job({ pausedAt: new Date().toISOString(), recipients: people(4) })
  const values = await scrape()
  expect(
    Object.fromEntries([...values].filter(([name]) => /queued_|_accounts|database_up|in_doubt/.test(name))),
  ).toEqual({
    sendroom_database_up: 1,
    'sendroom_queued_deliveries{state="due"}': 9,
    'sendroom_queued_deliveries{state="scheduled"}': 0,
    'sendroom_queued_deliveries{state="paused"}': 4,
    sendroom_unclaimed_accounts: 1,
    sendroom_waiting_accounts: 1,
    sendroom_deliveries_in_doubt: 0,
  })
  expect(values.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(0)

  const nowhere = connect({ ...context.database.address, host: '/nowhere' }, { applicationName: 'nowhere' })
  onTestFinished(() => nowhere.end(0))
  const ofNowhere = await scrape(await openMetrics({ db: nowhere, token: TOKEN, role: 'server' }))
  expect(ofNowhere.get('sendroom_database_up')).toBe(0)
  expect([...ofNowhere.keys()].filter((name) => /queued_|_accounts/.test(name))).toEqual([])
})

test('no label names an instance, and only the token opens the metrics', async () => {
  const { text = '' } = (await metrics.scrape(`Bearer ${TOKEN}`)) ?? {}
  const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label))
  expect([...labels].filter((label) => /account|instance|token|job|chat/.test(label ?? ''))).toEqual([])
  for (const wrong of [undefined, '', TOKEN, `Bearer ${TOKEN}x`, 'Bearer '])
    expect(await metrics.scrape(wrong)).toBeNull()
})

const OPS = join(import.meta.dirname, '../../../../ops')
const readOps = (file: string) => readFileSync(join(OPS, file), 'utf8')

test('alerts and dashboard use only metrics that there are', async () => {
  const { text = '' } = (await metrics.scrape(`Bearer ${TOKEN}`)) ?? {}
  const known = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
  const used = [readOps('prometheus/alerts.yaml'), readOps('grafana/sendroom.json')]
    .flatMap((file) => file.match(/\b(sendroom|nodejs|process)_\w+/g) ?? [])
    .map((name) => name.replace(/_(bucket|count)$/, ''))
  expect(used.length).toBeGreaterThan(30)
  expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([])
})

test('every alert fires and ends', ({ skip }) => {
  const rules = readOps('prometheus/alerts.yaml')
  const tests = readOps('prometheus/alerts.test.yaml')
  for (const [, name] of rules.matchAll(/- alert: (\w+)/g)) {
    expect(tests).toMatch(new RegExp(`alertname: ${name}\n.*\n.*exp_alerts:\n.*exp_labels`))
    expect(tests).toContain(`{ alertname: ${name}, eval_time:`)
  }
  const { error, status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
    cwd: join(OPS, 'prometheus'),
    encoding: 'utf8',
  })
  skip(error !== undefined, 'promtool is not installed')
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' })
})

test('a worker has a port for its metrics', async () => {
  const port = await freePort()
  const close = await serveMetrics(metrics, { host: '127.0.0.1', port })
  const ask = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
  expect((await ask('/metrics')).status).toBe(401)
  expect((await ask('/', { authorization: `Bearer ${TOKEN}` })).status).toBe(404)
  const scraped = await ask('/metrics', { authorization: `Bearer ${TOKEN}` })
  expect([scraped.status, await scraped.text()]).toEqual([
    200,
    expect.stringContaining('sendroom_process_info{role="worker"} 1'),
  ])
  await close()
})
