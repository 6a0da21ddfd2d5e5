import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import { LOCKS } from './advisory-lock.ts'
import type { Db, Pool } from './connection.ts'
import { isKeptFromLock } from './errors.ts'
import { FORMER_TABLES, LAST_FORMER, separateFormer } from './former-migrations.ts'
import {
  type Applied,
  CONCURRENTLY,
  isSame,
  type Migration,
  numberOf,
  readMigrations,
} from './migration-files.ts'
import { findProcesses } from './processes.ts'
import { identifier, join as joinSql, sql, values } from './sql.ts'

type Log = { info: (message: string) => void }
type Options = { log?: Log; folder?: string }

const FOLDER = join(import.meta.dirname, '../../../migrations')

const REPORT_EVERY_MS = 5_000
/**
 * A program that runs waits this long at most for a table that a migration wants to change. PostgreSQL looks for
 * deadlocks after a second, so where the two wait for each other's tables, the migration gives up first.
 */
const LOCK_TIMEOUT = '500ms'
/** Meanwhile the program that runs makes up for the wait. */
const RETRY_MS = 3_000
const LOCK_EVERY_MS = 100

/**
 * Brings the schema up to date, in one transaction for each file of the folder that was not applied yet, unless the
 * file builds an index concurrently. Several processes may call this at once, while older programs run. Throws a
 * StartupError if the database was migrated by other files than these, unless those are newer ones that this program
 * works with.
 */
export async function migrate(db: Pool, { log = silent, folder = FOLDER }: Options = {}): Promise<void> {
  const files = readMigrations(folder)
  const progress = openProgress(log)
  try {
    while (await retryForLocks(log, () => applyNextSoon(db, files, progress))) {
      // Each file takes the lock anew, and sees what other processes have applied meanwhile.
    }
  } finally {
    progress.end()
  }
}

/**
 * Like `migrate`, in a transaction of a caller who has called `lockSchema`. With `last` only up to that file, but
 * always the first one, which is also the schema of the former migrations.
 */
export async function migrateWithin(tx: Db, last?: string): Promise<void> {
  const files = readMigrations(FOLDER).filter(
    ({ name }, index) => index === 0 || last === undefined || name <= last,
  )
  while (await applyNext(tx, files)) {
    // Nobody else applies a file meanwhile.
  }
}

/** Returns the name of the first of these migrations that is not one of ours at the same place, if there is one. */
export function findForeign(applied: Pick<Applied, 'name' | 'checksum'>[]): string | undefined {
  const files = readMigrations(FOLDER)
  return separateFormer(applied).own.find((migration, index) => !isSame(files[index], migration))?.name
}

const silent = { info() {} }

type Progress = ReturnType<typeof openProgress>

/** Logs what a long start is doing, every five seconds until `end` is called. */
function openProgress(log: Log) {
  const began = performance.now()
  let sentence = ''
  const timer = setInterval(() => {
    log.info(`${sentence} (${Math.round((performance.now() - began) / 1000)} s)`)
  }, REPORT_EVERY_MS)
  return {
    show: (present: string) => {
      sentence = present
    },
    end: () => clearInterval(timer),
  }
}

/** Whether every migration of this program is applied, and no newer one that it does not work with. */
export async function schemaIsCurrent(db: Db, folder = FOLDER): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('migrations') is not null as exists`,
  )
  if (!exists) return false
  const { own } = separateFormer(await readApplied(db))
  const files = readMigrations(folder)
  return (
    files.every((file) => own.some((migration) => isSame(file, migration))) &&
    own.slice(files.length).every((migration) => worksWith(files, migration))
  )
}

/** Whether the program with these files works with a newer migration. */
const worksWith = (files: Migration[], { worksFrom }: Applied) =>
  worksFrom !== null && worksFrom <= numberOf(files.at(-1)?.name ?? '')

/**
 * Until the session ends no other process migrates the database, so none can start on it. Call this before a
 * transaction begins: an index that is built concurrently waits for all transactions, so none may wait for the lock.
 */
export async function lockSchema(session: Pick<Db, 'script' | 'one'>): Promise<void> {
  // A process that stalls must not keep the lock until TCP gives up.
  await session.script(`set statement_timeout = 0; set idle_session_timeout = '15s'`)
  const isLocked = async () =>
    (
      await session.one<{ isLocked: boolean }>(sql`
        select pg_try_advisory_lock(${LOCKS.migrations}) as is_locked`)
    ).isLocked
  while (!(await isLocked())) await delay(LOCK_EVERY_MS)
}

async function retryForLocks<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isKeptFromLock(error)) throw error
      log.info('The upgrade of the database waits: somebody uses a table that it changes')
      await delay(RETRY_MS)
    }
  }
}

/**
 * Waits for other processes that migrate, but not for tables: behind a migration that waits for a table, all users of
 * the table wait too. So each wait is short, and `retryForLocks` tries again.
 */
async function applyNextSoon(db: Pool, files: Migration[], { show }: Progress): Promise<boolean> {
  show('Another process is upgrading the database')
  const session = db.dedicated()
  try {
    await lockSchema(session)
    const next = await session.begin(async (tx) => {
      await tx.run(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
      return applyNext(tx, files, { show, isShared: true })
    })
    if (next?.isConcurrent) await buildConcurrently(session, next)
    return next !== undefined
  } finally {
    await session.end()
  }
}

/**
 * Applies one file under the lock, but leaves one that builds an index concurrently to the caller if others write to
 * the database. Returns the file, or undefined if there is none.
 */
async function applyNext(
  tx: Db,
  files: Migration[],
  { show = () => {}, isShared = false }: { show?: Progress['show']; isShared?: boolean } = {},
): Promise<Migration | undefined> {
  await tx.run(sql`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now(), works_from text
    )`)
  const { hasFormer, own } = separateFormer(await readApplied(tx))
  if (hasFormer) await dropFormer(tx)
  const next = nextAfter(own, files)
  if (!next) return undefined
  if (hasFormer && own.length === 0) {
    await record(tx, next)
    return next
  }
  show(`Migration ${next.name} is running`)
  if (next.isConcurrent && isShared) return next
  await apply(tx, { name: next.name, text: next.text.replace(CONCURRENTLY, 'create index ') })
  await record(tx, next)
  return next
}

/** Builds an index while others write. A build that was interrupted has left an index that is not valid. */
async function buildConcurrently(session: Pool, file: Migration) {
  const invalid = await session.many<{ name: string }>(sql`
    select relname::text as name from pg_index join pg_class c on c.oid = indexrelid
    where not indisvalid and relnamespace = current_schema()::regnamespace`)
  for (const { name } of invalid) await session.run(sql`drop index concurrently ${identifier(name)}`)
  await apply(session, file)
  await record(session, file)
}

/**
 * Drops the former migrations and tables once no process runs that may be of a former program. Until then its servers
 * are ready, and it can be started again.
 */
async function dropFormer(tx: Db) {
  const { workers, servers } = await findProcesses(tx)
  if (workers + servers > 0) return
  await tx.run(sql`drop table if exists ${joinSql(FORMER_TABLES.map((name) => identifier(name)))}`)
  await tx.run(sql`delete from migrations where name <= ${LAST_FORMER}`)
}

const apply = (tx: Db, { name, text }: Pick<Migration, 'name' | 'text'>) =>
  tx.script(text).catch((error) => {
    if (isKeptFromLock(error)) throw error
    throw new StartupError(`Migration ${name} failed and was rolled back: ${error.message}`)
  })

const record = (tx: Db, { name, checksum, worksFrom }: Applied) =>
  tx.run(sql`insert into migrations ${values({ name, checksum, worksFrom })}`)

/**
 * The applied migrations must be the first of our files, in the same order. All of our files may be followed by newer
 * migrations that this program works with.
 */
function nextAfter(applied: Applied[], files: Migration[]): Migration | undefined {
  for (const [index, migration] of applied.entries()) {
    const { name } = migration
    const file = files.find((other) => other.name === name)
    if (!file) {
      if (files[0] && name < files[0].name)
        throw new StartupError(
          `The database was last used by an early version of Sendroom (migration ${applied.at(-1)?.name}). Start the version with migration ${LAST_FORMER} once, then this version.`,
        )
      if (index >= files.length && worksWith(files, migration)) continue
      throw new StartupError(
        `The database was last used by a newer version of Sendroom (migration ${name}). Start that version.`,
      )
    }
    if (!isSame(file, migration)) {
      throw new StartupError(
        `Migration ${name} was changed after it had been applied. Restore the original file.`,
      )
    }
    const skipped = files[index]
    if (skipped && skipped.name !== name) {
      throw new StartupError(
        `Migration ${skipped.name} comes before ${name}, which has already been applied. Give the new file a later number.`,
      )
    }
  }
  return files[applied.length]
}

export const readApplied = (db: Db) =>
  db.many<Applied>(sql`select name, checksum, works_from from migrations order by name collate "C"`)
