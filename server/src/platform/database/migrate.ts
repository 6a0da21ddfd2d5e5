import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import type { Log } from './cluster.ts'
import type { Db, Pool } from './connection.ts'
import { isKeptFromLock } from './errors.ts'
import { sql, values } from './sql.ts'

export type Applied = {
  name: string
  checksum: string
  /** The number of the newest migration of the oldest program that works with this one. Null before 0014. */
  worksFrom: string | null
}
type Migration = Applied & { text: string }
type Options = { log?: Pick<Log, 'info'>; folder?: string }

const FOLDER = join(import.meta.dirname, '../../../migrations')

/** Before 0.1.0 there were nineteen other migrations. They are folded into the files up to `baseline`. */
const FOLDED = {
  first: '0001-clock-and-users.sql',
  last: '0019-told-names.sql',
  /** SHA-256 of the nineteen checksums, separated by line feeds. */
  checksum: 'c717eb8b5e0716635d79c3d337443fcbb57454706c3dccab555e7ab162609e67',
  baseline: '0006-notifications.sql',
}

const REPORT_EVERY_MS = 5_000
/** A program that runs waits this long at most for a table that a migration wants to change. */
const LOCK_TIMEOUT = '2s'
/** Meanwhile the program that runs makes up for the wait. */
const RETRY_MS = 3_000

/**
 * Brings the schema up to date, in one transaction for each file of the folder that was not applied yet. Several
 * processes may call this at once, while older programs run. Throws a StartupError if the database was migrated by other
 * files than these, unless those are newer ones that this program works with.
 */
export async function migrate(db: Pool, { log = silent, folder = FOLDER }: Options = {}): Promise<void> {
  const files = readMigrations(folder)
  const progress = openProgress(log)
  try {
    while (await retryForLocks(log, () => db.begin((tx) => applyNextSoon(tx, files, folder, progress)))) {
      // Each file takes the lock anew, and sees what other processes have applied meanwhile.
    }
  } finally {
    progress.end()
  }
}

/** Like `migrate`, in the caller's transaction. With `last` only up to the file of that name. */
export async function migrateWithin(tx: Db, last?: string): Promise<void> {
  const files = readMigrations(FOLDER).filter(({ name }) => last === undefined || name <= last)
  await lockSchema(tx)
  while (await applyNext(tx, files, FOLDER)) {
    // The transaction keeps the lock, so nobody else applies a file meanwhile.
  }
}

/** Returns the name of the first of these migrations that is not one of ours at the same place, if there is one. */
export function findForeign(applied: Pick<Applied, 'name' | 'checksum'>[]): string | undefined {
  const files = readMigrations(FOLDER)
  return applied.find(({ checksum }, index) => checksum !== files[index]?.checksum)?.name
}

const silent = { info() {} }

type Progress = ReturnType<typeof openProgress>

/** Logs what a long start is doing, every five seconds until `end` is called. */
function openProgress(log: Pick<Log, 'info'>) {
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
  const applied = await readApplied(db)
  const checksums = new Set(applied.map(({ checksum }) => checksum))
  const files = readMigrations(folder)
  return (
    files.every(({ checksum }) => checksums.has(checksum)) &&
    applied.slice(files.length).every((migration) => worksWith(files, migration))
  )
}

/** Whether the program with these files works with a newer migration. */
const worksWith = (files: Migration[], { worksFrom }: Applied) =>
  worksFrom !== null && worksFrom <= numberOf(files.at(-1)?.name ?? '')

/** Until the end of the transaction no other process migrates the database, so none can start on it. */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.run(sql`set local statement_timeout = 0`)
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('sendroom migrations'))`)
}

async function retryForLocks<T>(log: Pick<Log, 'info'>, work: () => Promise<T>): Promise<T> {
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
 * Waits for other processes that migrate, but not for tables: behind a migration that waits for a table, all users of the
 * table wait too. So each wait is short, and `retryForLocks` tries again.
 */
async function applyNextSoon(
  tx: Db,
  files: Migration[],
  folder: string,
  { show }: Progress,
): Promise<boolean> {
  show('Another process is upgrading the database')
  await lockSchema(tx)
  await tx.run(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
  return applyNext(tx, files, folder, show)
}

/** Applies one file under the lock. Returns false if there is none. */
async function applyNext(tx: Db, files: Migration[], folder: string, show: Progress['show'] = () => {}) {
  await tx.run(sql`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now(), works_from text
    )`)
  const applied = await readApplied(tx)
  if (applied[0]?.name === FOLDED.first) {
    await applyBridge(tx, applied, files, folder)
    return true
  }
  const next = nextAfter(applied, files)
  if (!next) return false
  show(`Migration ${next.name} is running`)
  await apply(tx, next)
  await addWorksFrom(tx)
  await record(tx, next)
  return true
}

/** Programs before 0014 have no such column. Added last, because programs that run read this table. */
async function addWorksFrom(tx: Db) {
  const { isMissing } = await tx.one<{ isMissing: boolean }>(sql`
    select not exists (
      select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'works_from'
    ) as is_missing`)
  if (isMissing) await tx.run(sql`alter table migrations add column works_from text`)
}

/** Changes a database that has all nineteen folded migrations into what the files up to the baseline create. */
async function applyBridge(tx: Db, applied: Applied[], files: Migration[], folder: string) {
  if (sha256(applied.map(({ checksum }) => checksum).join('\n')) !== FOLDED.checksum)
    throw new StartupError(
      `The database was last used by an early version of Sendroom (migration ${applied.at(-1)?.name}). Start the version with migration ${FOLDED.last} once, then this version.`,
    )
  await apply(tx, { name: 'bridge/from-0019.sql', text: readText(join(folder, 'bridge/from-0019.sql')) })
  await addWorksFrom(tx)
  await tx.run(sql`delete from migrations`)
  for (const file of files) if (file.name <= FOLDED.baseline) await record(tx, file)
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
    const { name, checksum } = migration
    const file = files.find((other) => other.name === name)
    if (!file) {
      if (index >= files.length && worksWith(files, migration)) continue
      throw new StartupError(
        `The database was last used by a newer version of Sendroom (migration ${name}). Start that version.`,
      )
    }
    if (file.checksum !== checksum) {
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

/** A database that no program since 0014 has migrated has no column `works_from`. */
export const readApplied = (db: Db) =>
  db.many<Applied>(sql`
    select name, checksum, to_jsonb(migrations) ->> 'works_from' as works_from from migrations
    order by name collate "C"`)

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const wrong = names.find((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
  if (wrong) throw new StartupError(`The name of migration ${wrong} is invalid. Use the form 0001-users.sql.`)
  return names.map((name) => {
    const text = readText(join(folder, name))
    const worksFrom = WORKS_FROM.exec(text)?.[1] ?? numberOf(name)
    return { name, text, worksFrom, checksum: sha256(text) }
  })
}

/** The line by which a migration declares that older programs still work: docs/decisions/0019-upgrades-without-a-stop.md. */
const WORKS_FROM = /^-- Works with programs from (\d{4}) on\.$/m

const numberOf = (name: string) => name.slice(0, 4)

/** Without the carriage returns that a checkout on Windows may add. */
const readText = (file: string) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
