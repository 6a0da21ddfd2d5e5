import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hasRemedy, levelOf } from '@sendroom/contract/findings'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { freePort } from '../../../test/free-port.ts'
import { makeTemporaryFolder } from '../../../test/temporary-folder.ts'
import { readConfig } from '../../config.ts'
import { openHeartbeat } from '../../engine/history/heartbeat.ts'
import { connect, type Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { examine } from './examine.ts'
import type { Examined } from './finding.ts'

const context = useContext()
const PASSWORD = 'hunter2'

/** Is our public address, our mail server, and healthy. */
const healthy = createServer((_request, response) => response.end('{"status":"ok"}'))
let port = 0
let deadPort = 0
let dataDir = ''
beforeAll(async () => {
  await once(healthy.listen(0, '127.0.0.1'), 'listening')
  port = (healthy.address() as AddressInfo).port // a TCP server has a port
  deadPort = await freePort()
  dataDir = await makeTemporaryFolder('doctor')
})
afterAll(() => void healthy.close())

/** Connects as a process of this role does. */
async function runProcess(role: string) {
  const db = connect(context.database.address, { max: 1, applicationName: `sendroom process ${role} 1@host` })
  onTestFinished(() => db.end(1000))
  await db.run(sql`select 1`)
}

const beat = () => openHeartbeat({ db: context.db, log: { info() {}, warn() {}, error() {} } }).beat()
const backUp = (ago: string) =>
  context.db.run(sql`
    insert into audit_log (at, user_name, address, action, object_name, details)
    values (clock_now() - ${ago}::interval, '', '', 'backup.create', '', '{}')`)

const configOf = (env: Record<string, string> = {}) =>
  readConfig({
    DATA_DIR: dataDir,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    MAIL_FROM: 'alerts@example.com',
    SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:${port}`,
    ...env,
  })

/** Runs everything that a healthy installation has, and then plants the fault. Returns all findings. */
async function examineWith({ roles = ['worker', 'server'], plant, env, ...changed }: Fault) {
  for (const role of roles) await runProcess(role)
  if (!changed.hasNoBeat) await beat()
  if (!changed.hasNoBackup) await backUp('1 hour')
  await plant?.()
  const provider = { probe: async () => ({ tookMs: 5, clockAheadMs: 0 }), ...changed.provider }
  const db = changed.db?.() ?? context.db
  return examine({ db, provider, config: configOf(env?.()), statfs: changed.statfs ?? diskOf(1e6) })
}

type Fault = Partial<Pick<Examined, 'statfs' | 'provider'>> & {
  roles?: string[]
  hasNoBeat?: true
  hasNoBackup?: true
  plant?: () => Promise<unknown>
  env?: () => Record<string, string>
  db?: () => Pool
}

/** A disk with so many free blocks. Only these two numbers are read. */
function diskOf(bavail: number) {
  return (async () => ({ bavail, bsize: 4096 })) as never
}

const nowhere = () => {
  const db = connect({ ...context.database.address, host: '/nowhere' }, { applicationName: 'nowhere' })
  onTestFinished(() => db.end(0))
  return db
}

const troubles = (findings: Awaited<ReturnType<typeof examine>>) =>
  findings.filter(({ code }) => levelOf(code) !== 'ok')

test('a healthy installation has no trouble', async () => {
  const findings = await examineWith({})
  expect(findings.map(({ code }) => code)).toEqual([
    ...['version', 'database_ok', 'key_ok', 'processes_ok', 'accounts_ok', 'queue_ok', 'backup_ok'],
    ...['disk_ok', 'provider_ok', 'public_ok', 'mail_ok', 'clock_ok'],
  ])
})

const faults: Record<string, Fault> = {
  database_away: { db: nowhere },
  schema_foreign: {
    plant: () =>
      context.db.run(sql`insert into migrations (name, checksum) values ('9999-newer.sql', 'unknown')`),
  },
  key_wrong: {
    plant: () => context.db.run(sql`insert into installation (secret_check) values (sha256('another key'))`),
    env: () => ({ SECRET_KEY: 'a key of another installation, long enough' }),
  },
  pooler_away: {
    env: () => ({
      DATABASE_URL: `postgres://me:${PASSWORD}@127.0.0.1:${deadPort}/sendroom`,
      DATABASE_DIRECT_URL: `postgres://me:${PASSWORD}@127.0.0.1:${deadPort}/sendroom`,
    }),
  },
  not_running: { roles: [] },
  no_worker: { roles: ['server'] },
  no_server: { roles: ['worker'] },
  workers_stuck: { hasNoBeat: true },
  accounts_troubled: { plant: () => context.add.instance({ status: 'NeedsLogin', name: 'Shop' }) },
  queue_stands: { plant: () => context.add.job({ status: 'Running' }) },
  receipts_late: {
    plant: () =>
      context.db.run(sql`
        insert into receipt_events (instance_id, provider_message_id, state, happened_at)
        select 1, n::text, 'read', clock_now() from generate_series(1, 5000) n`),
  },
  disk_low: { statfs: diskOf(1000) },
  folder_unwritable: { env: () => ({ DATA_DIR: join(dataDir, 'missing') }) },
  clock_off: { provider: { probe: async () => ({ tookMs: 5, clockAheadMs: -60_000 }) } },
  provider_away: { provider: { probe: () => Promise.reject(new Error('away')) } },
  public_away: { env: () => ({ PUBLIC_URL: `http://127.0.0.1:${deadPort}` }) },
  public_missing: { env: () => ({ PUBLIC_URL: '' }) },
  mail_away: { env: () => ({ SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:${deadPort}` }) },
  backup_old: { hasNoBackup: true, plant: () => backUp('4 days') },
  backup_missing: { hasNoBackup: true },
}

test.each(Object.entries(faults))('%s is found, with its remedy and nothing else', async (code, fault) => {
  const findings = await examineWith(fault)
  expect(troubles(findings).map((found) => found.code)).toEqual([code])
  expect(troubles(findings).every((found) => hasRemedy(found.code))).toBe(true)
  expect(JSON.stringify(findings)).not.toContain(PASSWORD)
})

test('a clock of the database that is off is found too, and mail that is not set up is no trouble', async () => {
  const findings = await examineWith({
    plant: () => context.shiftClock('1 minute'),
    env: () => ({ SMTP_URL: '', MAIL_FROM: '' }),
  })
  expect(troubles(findings)).toEqual([{ code: 'clock_off', params: { other: 'PostgreSQL', seconds: 60 } }])
  expect(findings.map(({ code }) => code)).toContain('mail_off')
})

test('a check that fails is a finding of its own', async () => {
  const findings = await examineWith({ statfs: (() => Promise.reject(new Error('broken'))) as never })
  expect(troubles(findings)).toEqual([{ code: 'check_failed', params: { check: 'disk', reason: 'broken' } }])
})
