import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hasRemedy, levelOf } from '@sendroom/contract/findings'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { mailPassword, startMailServer } from '../../../test/mail-server.ts'
import { makeTemporaryFolder } from '../../../test/temporary-folder.ts'
import { readConfig } from '../../config.ts'
import { openHeartbeat } from '../../engine/history/heartbeat.ts'
import { connect, type Pool } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { secretsOf } from '../../platform/secrets.ts'
import { examine } from './examine.ts'
import type { Examined } from './finding.ts'

const context = useContext()
const PASSWORD = 'hunter2'
const [KEY, FORMER_KEY] = ['the key of a healthy installation', 'the key that it was set up with, once']

const mailServer = await startMailServer({ hasStartTls: true })
/** Nobody else trusts the certificate of the mail server. */
const untrusted = mailServer.url.replace('127.0.0.1', 'localhost')

/** Is our public address, and healthy. */
const healthy = createServer((_request, response) => response.end('{"status":"ok"}'))
let port = 0
/** Nobody listens there: it is none of the ports that tests are given. */
const deadPort = 2
let dataDir = ''
beforeAll(async () => {
  await once(healthy.listen(0, '127.0.0.1'), 'listening')
  port = (healthy.address() as AddressInfo).port // a TCP server has a port
  dataDir = await makeTemporaryFolder('doctor')
})
afterAll(() => Promise.all([healthy.close(), mailServer.close()]))

/** Connects as a process of this role does. */
async function runProcess(role: string) {
  const db = connect(context.database.address, { max: 1, applicationName: `sendroom process ${role} 1@host` })
  onTestFinished(() => db.end(1000))
  await db.run(sql`select 1`)
}

const beat = () =>
  openHeartbeat({ db: context.db, log: { info() {}, warn() {}, error() {} }, beatSeenBefore: 0 }).beat()
const backUp = (ago: string) =>
  context.db.run(sql`
    insert into audit_log (at, user_name, address, action, object_name, details)
    values (clock_now() - ${ago}::interval, '', '', 'backup.create', '', '{}')`)

const configOf = (env: Record<string, string> = {}) =>
  readConfig({
    DATA_DIR: dataDir,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    MAIL_FROM: 'alerts@example.com',
    SMTP_URL: `${untrusted}?tls.rejectUnauthorized=false`,
    SECRET_KEY: KEY,
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

/** Puts a view before one of PostgreSQL's own, for later connections. */
const plantView = (name: string, select: string) =>
  context.db.script(`
    create schema planted; create view planted.${name} as ${select};
    alter database ${context.database.address.database} set search_path = planted, pg_catalog, public`)

function connectAnew() {
  const db = connect(context.database.address, { applicationName: 'sendroom test' })
  onTestFinished(() => db.end(1000))
  return db
}

const checkOf = (key: string) => secretsOf(key).hash('secret check')

const troubles = (findings: Awaited<ReturnType<typeof examine>>) =>
  findings.filter(({ code }) => levelOf(code) !== 'ok')

test('a healthy installation has no trouble, also with an instance that was never linked', async () => {
  const findings = await examineWith({ plant: () => context.add.instance({ status: 'NeedsLogin' }) })
  expect(findings.map(({ code }) => code)).toEqual([
    ...['version', 'database_ok', 'key_ok', 'processes_ok', 'accounts_ok', 'queue_ok', 'backup_ok'],
    ...['disk_ok', 'provider_ok', 'public_ok', 'hosts_any', 'mail_ok', 'clock_ok'],
  ])
})

//
test('TEST_MODE=off is told, with the instances that can send nothing', async () => {
  const findings = await examineWith({
    plant: () => context.add.instance({ token: 'test_forbidden' }),
    env: () => ({ TEST_MODE: 'off' }),
  })
  expect(findings).toContainEqual({ code: 'test_mode_off', params: { accounts: 1 } })
  expect(troubles(findings)).toEqual([])
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
  // R-2056
  key_two: {
    plant: () =>
      context.db.run(sql`
        insert into installation (secret_check, next_check) values (${checkOf(FORMER_KEY)}, ${checkOf(KEY)})`),
    env: () => ({ SECRET_KEY_PREVIOUS: FORMER_KEY }),
  },
  // R-2056
  key_previous: {
    plant: () => context.db.run(sql`insert into installation (secret_check) values (${checkOf(KEY)})`),
    env: () => ({ SECRET_KEY_PREVIOUS: FORMER_KEY }),
  },
  // R-2106
  number_key_wrong: {
    plant: () =>
      context.db.run(sql`
        insert into installation (secret_check, number_key_cipher) values (${checkOf(KEY)}, ${Buffer.alloc(60)})`),
  },
  // R-2057
  key_beside: { env: () => ({ SECRET_KEY: '' }) },
  pooler_away: {
    env: () => ({
      DATABASE_URL: `postgres://me:${PASSWORD}@127.0.0.1:${deadPort}/sendroom`,
      DATABASE_DIRECT_URL: `postgres://me:${PASSWORD}@127.0.0.1:${deadPort}/sendroom`,
    }),
  },
  //
  database_plain: {
    env: () => ({ DATABASE_URL: `postgres://me:${PASSWORD}@db.example/sendroom` }),
  },
  //
  password_generated: {
    plant: () =>
      context.db.run(sql`
      insert into users (username, email, password_hash, generated_hash, role, is_active)
      values ('admin', '', 'hash', 'hash', 'Admin', true)`),
  },
  database_unsafe: {
    plant: () =>
      context.db.script(`
        alter role current_user in database ${context.database.address.database} set synchronous_commit = off`),
    db: connectAnew,
  },
  connections_few: {
    plant: () =>
      plantView(
        'pg_stat_activity',
        'select a.* from pg_catalog.pg_stat_activity a cross join generate_series(1, 1000)',
      ),
    db: connectAnew,
  },
  replication_late: {
    plant: () => plantView('pg_stat_replication', "select interval '45 seconds' as replay_lag"),
    db: connectAnew,
  },
  not_running: { roles: [] },
  no_worker: { roles: ['server'] },
  no_server: { roles: ['worker'] },
  workers_stuck: { hasNoBeat: true },
  accounts_troubled: {
    plant: () => context.add.instance({ status: 'Disconnected', lastSyncAt: new Date().toISOString() }),
  },
  queue_stands: { plant: () => context.add.job({ status: 'Running' }) },
  receipts_late: {
    plant: () =>
      context.db.run(sql`
        insert into receipt_events (instance_id, provider_message_id, state, happened_at)
        select 1, n::text, 'read', clock_now() from generate_series(1, 5000) n`),
  },
  //
  receipts_set_aside: {
    plant: () =>
      context.db.run(sql`
        insert into receipts_set_aside (receipts, reason, received_at) values ('[]', 'refused', clock_now())`),
  },
  disk_low: { statfs: diskOf(1000) },
  folder_unwritable: { env: () => ({ DATA_DIR: join(dataDir, 'missing') }) },
  clock_off: { provider: { probe: async () => ({ tookMs: 5, clockAheadMs: -60_000 }) } },
  provider_away: {
    plant: () => context.add.instance({ token: 'of a real account', status: 'NeedsLogin' }),
    provider: { probe: () => Promise.reject(new Error('away')) },
  },
  // R-2190
  provider_unneeded: {
    plant: async () => {
      await context.add.instance({ token: 'test_linked' })
      await context.add.instance({ token: 'of a real account', isActive: false })
    },
    provider: { probe: () => Promise.reject(new Error('away')) },
  },
  public_away: { env: () => ({ PUBLIC_URL: `http://127.0.0.1:${deadPort}` }) },
  public_missing: { env: () => ({ PUBLIC_URL: '' }) },
  mail_away: { env: () => ({ SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:${deadPort}` }) },
  mail_insecure: { env: () => ({ SMTP_URL: untrusted }) },
  mail_refused: {
    env: () => ({ SMTP_URL: `${mailServer.url.replace(mailPassword, PASSWORD)}?ignoreTLS=true` }),
  },
  backup_old: { hasNoBackup: true, plant: () => backUp('4 days') },
  backup_missing: { hasNoBackup: true },
}

test.each(Object.entries(faults))('%s is found, with its remedy and nothing else', async (code, fault) => {
  const findings = await examineWith(fault)
  expect(troubles(findings).map((found) => found.code)).toEqual([code])
  expect(troubles(findings).every((found) => hasRemedy(found.code))).toBe(true)
  for (const password of [PASSWORD, mailPassword]) expect(JSON.stringify(findings)).not.toContain(password)
  const codes = findings.map((found) => found.code)
  const isUnknown = ['database_away', 'schema_foreign', 'provider_away', 'provider_unneeded'].includes(code)
  expect(codes.includes('clock_ok')).toBe(code !== 'clock_off' && !isUnknown)
})

test('a standby server that keeps up is in order, and one that lags is said to be so many seconds behind', async () => {
  const lag = (replayLag: string) => `select ${replayLag}::interval as replay_lag`
  const examined = await examineWith({
    plant: () => plantView('pg_stat_replication', `${lag('null')} union all ${lag("'29 seconds'")}`),
    db: connectAnew,
  })
  expect(troubles(examined)).toEqual([])
  expect(examined).toContainEqual({ code: 'replication_ok', params: { standbys: 2 } })
  await context.db.script(`create or replace view planted.pg_stat_replication as ${lag("'45.4 seconds'")}`)
  expect(troubles(await examineWith({ db: connectAnew }))).toEqual([
    { code: 'replication_late', params: { seconds: 45 } },
  ])
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
