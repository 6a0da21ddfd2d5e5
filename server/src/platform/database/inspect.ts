import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import type { Pool } from './connection.ts'
import { isDatabaseDown } from './errors.ts'
import { sql } from './sql.ts'

const PATIENCE_MS = 10_000

/**
 * Waits until the server of DATABASE_URL answers, for at most `patienceMs` (default 10 s), because it may just be
 * starting. Throws a StartupError if the server does not answer or the database is unsuitable.
 */
export async function inspectDatabase(db: Pool, patienceMs = PATIENCE_MS): Promise<void> {
  const begin = performance.now()
  for (;;) {
    try {
      await db.run(sql`select 1`)
      break
    } catch (error) {
      if (isDatabaseDown(error) && performance.now() - begin < patienceMs) await delay(200)
      else throw new StartupError(sentence(db, error))
    }
  }
  await refuseUnsuitable(db)
}

/** Older versions lack bit_xor(), which the dashboard uses. */
const OLDEST_VERSION = 14

/** Refuses a database on which Sendroom could start, but would fail later in the middle of its work. */
async function refuseUnsuitable(db: Pool): Promise<void> {
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
      `The database in DATABASE_URL is PostgreSQL ${found.version}. Sendroom needs version ${OLDEST_VERSION} or newer.`,
    )
  if (found.encoding !== 'UTF8')
    throw new StartupError(
      `The database ${database} in DATABASE_URL has the encoding ${found.encoding}. Create a database with the encoding UTF8.`,
    )
  if (!found.mayCreate)
    throw new StartupError(
      `The user ${user} in DATABASE_URL may not create tables and schemas in the database ${database}. Make this user the owner of the database.`,
    )
}

/** The sentence names the place, but never the whole URL, which holds the password. */
function sentence({ target }: Pool, error: unknown): string {
  const place = [...new Set(target.places.map(({ host, port }) => `${host}:${port}`))].join(' or ')
  const reason =
    error instanceof Error ? error.message || String('code' in error && error.code) : String(error)
  if (isDatabaseDown(error)) {
    const withTls = target.places.some(({ ssl }) => ssl) ? ' and accepts TLS' : ''
    return `The database in DATABASE_URL cannot be reached at ${place} (${reason}). Check the address, and that the server is running${withTls}.`
  }
  if (/certificate/.test(reason))
    return `The certificate of the database at ${place} is not trusted (${reason}). If you use your own certificate authority, set NODE_EXTRA_CA_CERTS to its file.`
  return `The database in DATABASE_URL refused the connection at ${place} (${reason}). Check the user, the password, the name of the database and the options.`
}
