import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import type { Pool } from './connection.ts'
import { isDatabaseDown } from './errors.ts'
import { sql } from './sql.ts'

const PATIENCE_MS = 10_000
/** A notification takes some milliseconds. Only a start that ends with an error waits for this long. */
const NOTIFICATION_MS = 5_000

/** The variable that names the database, for the sentences. */
type Variable = 'DATABASE_URL' | 'DATABASE_DIRECT_URL'

/**
 * Waits until the server of `variable` answers, for at most `patienceMs` (default 10 s), because it may just be
 * starting or being promoted. Throws a StartupError if the server does not answer or the database is unsuitable.
 */
export async function inspectDatabase(db: Pool, variable: Variable, patienceMs = PATIENCE_MS): Promise<void> {
  await untilItAnswers(db, variable, patienceMs)
  await refuseUnsuitable(db, variable)
  await refuseWithoutSessions(db, variable)
}

/** Like `inspectDatabase`, for a pooler whose database has been inspected directly. */
export async function inspectPooler(pooled: Pool, direct: Pool, patienceMs = PATIENCE_MS): Promise<void> {
  await untilItAnswers(pooled, 'DATABASE_URL', patienceMs)
  const whereabouts = sql`select current_database(), current_user, pg_postmaster_start_time()`
  const [ours, theirs] = [await pooled.one(whereabouts), await direct.one(whereabouts)]
  if (JSON.stringify(ours) !== JSON.stringify(theirs))
    throw new StartupError(
      'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases or users. Both must name the same database and user: the one through the pooler, the other directly.',
    )
}

async function untilItAnswers(db: Pool, variable: Variable, patienceMs: number) {
  const begin = performance.now()
  for (;;) {
    try {
      await db.run(sql`select 1`)
      return
    } catch (error) {
      if (isDatabaseDown(error) && performance.now() - begin < patienceMs) await delay(200)
      else throw new StartupError(sentence(db, variable, error))
    }
  }
}

/**
 * Listens on one connection and notifies on another. A pooler that gives each transaction another session, such as
 * PgBouncer in transaction mode, loses the notification.
 */
async function refuseWithoutSessions(db: Pool, variable: Variable) {
  const channel = `sendroom_${randomUUID()}`
  const { promise: notified, resolve } = Promise.withResolvers<true>()
  const listening = db.listen(channel, () => resolve(true))
  await listening.ready()
  await db.run(sql`select pg_notify(${channel}, '')`)
  const isSession = await Promise.race([notified, delay(NOTIFICATION_MS, false, { ref: false })])
  await listening.close()
  if (isSession) return
  throw new StartupError(
    variable === 'DATABASE_URL'
      ? 'DATABASE_URL leads to a pooler that shares sessions, such as PgBouncer in transaction mode. Set DATABASE_DIRECT_URL to the address of the database itself.'
      : 'DATABASE_DIRECT_URL leads to a pooler that shares sessions, such as PgBouncer in transaction mode. Set it to the address of the database itself.',
  )
}

/** Older versions lack bit_xor(), which the dashboard uses. */
const OLDEST_VERSION = 14

/** Refuses a database on which Sendroom could start, but would fail later in the middle of its work. */
async function refuseUnsuitable(db: Pool, variable: Variable): Promise<void> {
  const found = await db.one<{
    user: string
    database: string
    version: string
    major: number
    encoding: string
    mayCreate: boolean
  }>(sql`
    select current_user as user, current_database() as database, current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding,
      has_database_privilege(current_database(), 'create')
        and coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create`)
  const { user, database } = found
  if (found.major < OLDEST_VERSION)
    throw new StartupError(
      `The database in ${variable} is PostgreSQL ${found.version}. Sendroom needs version ${OLDEST_VERSION} or newer.`,
    )
  if (found.encoding !== 'UTF8')
    throw new StartupError(
      `The database ${database} in ${variable} has the encoding ${found.encoding}. Create a database with the encoding UTF8.`,
    )
  if (!found.mayCreate)
    throw new StartupError(
      `The user ${user} in ${variable} may not create tables and schemas in the database ${database}. Make this user the owner of the database.`,
    )
}

/** The sentence names the place, but never the whole URL, which holds the password. */
function sentence({ target }: Pool, variable: Variable, error: unknown): string {
  const place = [...new Set(target.places.map(({ host, port }) => `${host}:${port}`))].join(' or ')
  const reason =
    error instanceof Error ? error.message || String('code' in error && error.code) : String(error)
  if (isDatabaseDown(error)) {
    const withTls = target.places.some(({ ssl }) => ssl) ? ' and accepts TLS' : ''
    return `The database in ${variable} cannot be reached at ${place} (${reason}). Check the address, and that the server is running${withTls}.`
  }
  if (/certificate/.test(reason))
    return `The certificate of the database at ${place} is not trusted (${reason}). If you use your own certificate authority, set NODE_EXTRA_CA_CERTS to its file.`
  return `The database in ${variable} refused the connection at ${place} (${reason}). Check the user, the password, the name of the database and the options.`
}
