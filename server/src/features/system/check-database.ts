import type { Finding } from '@sendroom/contract/system'
import type { Config } from '../../config.ts'
import { plainHosts } from '../../database-url.ts'
import { connect, type Pool } from '../../platform/database/connection.ts'
import { readApplied, schemaIsCurrent } from '../../platform/database/migrate.ts'
import { sql } from '../../platform/database/sql.ts'
import { configuredHosts } from '../../platform/outgoing-hosts.ts'
import { canReadNumberKey, keysFit, readKeyChecks } from '../../platform/secrets.ts'
import { type Examined, finding, reasonOf } from './finding.ts'
import { readDatabaseFacts } from './system.queries.ts'
import { version } from './version.ts'
import { within } from './within.ts'

const ANSWER_MS = 5_000
/** A failover now would lose more than the look-ups find. */
const LATE_STANDBY_S = 30
const FEW_CONNECTIONS = 0.85
/** The history of an instance is compared with our clock: engine/in-doubt/look-up.ts. */
export const CLOCK_OFF_MS = 5_000

/** The database itself: whether it answers, its tables, connections, standby servers, pooler, clock and key. */
export async function checkDatabase({ db, config }: Examined): Promise<Finding[]> {
  if (typeof db === 'string') return [finding('database_away', { reason: db })]
  try {
    await within(ANSWER_MS, db.checkAvailable())
  } catch (error) {
    return [finding('database_away', { reason: reasonOf(error) })]
  }
  const [tables, pooler] = await Promise.all([checkTables(db, config), checkPooler(config)])
  return [...tables, ...pooler]
}

async function checkTables(db: Pool, config: Config): Promise<Finding[]> {
  if (!(await schemaIsCurrent(db))) {
    const applied = await readApplied(db).catch(() => [])
    return [finding('schema_foreign', { migration: applied.at(-1)?.name ?? '–' })]
  }
  const facts = await readDatabaseFacts(db)
  const askedAt = Date.now()
  const { now } = await db.one<{ now: string }>(sql`select clock_now() as now`)
  const offMs = Date.parse(now) - (askedAt + Date.now()) / 2
  const { postgres, migration, megabytes, connections, maxConnections, isDurable, standbys, lagSeconds } =
    facts
  const used = { connections, maxConnections }
  return [
    finding('version', { version, postgres, migration }),
    connections > maxConnections * FEW_CONNECTIONS
      ? finding('connections_few', used)
      : finding('database_ok', { megabytes, ...used }),
    ...(isDurable ? [] : [finding('database_unsafe')]),
    ...(standbys > 0 ? [replication(standbys, lagSeconds)] : []),
    ...clock('PostgreSQL', offMs),
    ...(await checkKey(db, config)),
  ]
}

const replication = (standbys: number, lagSeconds: number) =>
  lagSeconds > LATE_STANDBY_S
    ? finding('replication_late', { seconds: Math.round(lagSeconds) })
    : finding('replication_ok', { standbys })

/** Nothing if the clocks agree. `examine` says so once. */
export const clock = (other: string, offMs: number): Finding[] =>
  Math.abs(offMs) > CLOCK_OFF_MS
    ? [finding('clock_off', { other, seconds: Math.round(Math.abs(offMs) / 1000) })]
    : []

async function checkKey(db: Pool, config: Config): Promise<Finding[]> {
  const checks = await readKeyChecks(db)
  if (checks && !keysFit(config, checks)) return [finding('key_wrong')]
  const command = { command: 'npm start -- rotate-key' }
  return [
    finding('key_ok'),
    ...((await canReadNumberKey(db, config)) ? [] : [finding('number_key_wrong', { table: 'installation' })]),
    ...(checks?.nextCheck ? [finding('key_two', command)] : []),
    ...(config.previousKey && !checks?.nextCheck ? [finding('key_previous')] : []),
    ...(isBesideDatabase(config) ? [finding('key_beside', { folder: config.dataDir })] : []),
  ]
}

/** Whoever copies the data folder has both. */
const isBesideDatabase = ({ database, secretKey }: Config) => !database && !secretKey

/** Whether texts and numbers may be read on the way to the database. */
export async function checkEncryption({ config }: Examined): Promise<Finding[]> {
  const hosts = plainHosts(config.database, config.directDatabase)
  const params = { hosts: hosts.join(', '), option: 'sslmode=verify-full' }
  return hosts.length > 0 ? [finding('database_plain', params)] : []
}

/** Where Sendroom connects to, apart from the database and the receivers of webhooks. */
export async function checkHosts({ config }: Examined): Promise<Finding[]> {
  const { outgoingHosts } = config
  if (outgoingHosts) return [finding('hosts_limited', { hosts: outgoingHosts.join(', ') })]
  const hosts = new Set(configuredHosts(config).map(({ host }) => host))
  return [finding('hosts_any', { hosts: [...hosts].join(', ') })]
}

/** The pooler is looked at from here, whichever connections this process has. */
async function checkPooler({ database, directDatabase }: Config): Promise<Finding[]> {
  if (!database || !directDatabase) return []
  const pooled = connect(database, { max: 1, applicationName: 'sendroom doctor', isPooled: true })
  try {
    await within(ANSWER_MS, pooled.run(sql`select 1`))
    return [finding('pooler_ok')]
  } catch (error) {
    return [finding('pooler_away', { reason: reasonOf(error) })]
  } finally {
    await pooled.end(0)
  }
}
