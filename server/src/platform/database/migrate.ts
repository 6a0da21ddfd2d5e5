import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../../startup-error.ts'
import type { Db, Pool } from './connection.ts'
import { sql, values } from './sql.ts'

export type Applied = { name: string; checksum: string }
type Migration = Applied & { text: string }

const FOLDER = join(import.meta.dirname, '../../../migrations')

/** Before 0.1.0 there were nineteen other migrations. They are folded into the files up to `baseline`. */
const FOLDED = {
  first: '0001-clock-and-users.sql',
  last: '0019-told-names.sql',
  /** SHA-256 of the nineteen checksums, separated by line feeds. */
  checksum: 'c717eb8b5e0716635d79c3d337443fcbb57454706c3dccab555e7ab162609e67',
  baseline: '0006-notifications.sql',
}

/**
 * Brings the schema up to date, in one transaction for each file of the folder that was not applied yet. Several
 * processes may call this at once. Throws a StartupError if the database was migrated by other files than these.
 */
export async function migrate(db: Pool, folder = FOLDER): Promise<void> {
  const files = readMigrations(folder)
  while (await db.begin((tx) => applyNext(tx, files, folder))) {
    // Each file takes the lock anew, and sees what other processes have applied meanwhile.
  }
}

/** Like `migrate`, in the caller's transaction. With `last` only up to the file of that name. */
export async function migrateWithin(tx: Db, last?: string): Promise<void> {
  const files = readMigrations(FOLDER).filter(({ name }) => last === undefined || name <= last)
  while (await applyNext(tx, files, FOLDER)) {
    // The transaction keeps the lock, so nobody else applies a file meanwhile.
  }
}

/** Returns the name of the first of these migrations that is not one of ours at the same place, if there is one. */
export function findForeign(applied: Applied[]): string | undefined {
  const files = readMigrations(FOLDER)
  return applied.find(({ checksum }, index) => checksum !== files[index]?.checksum)?.name
}

/** Whether every migration of this program is applied. Further ones belong to a newer program and do not matter. */
export async function schemaIsCurrent(db: Db, folder = FOLDER): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('migrations') is not null as exists`,
  )
  if (!exists) return false
  const applied = new Set((await readApplied(db)).map((migration) => migration.checksum))
  return readMigrations(folder).every((migration) => applied.has(migration.checksum))
}

/** Until the end of the transaction no other process migrates the database, so none can start on it. */
export const lockSchema = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtext('sendroom migrations'))`)

async function applyNext(tx: Db, files: Migration[], folder: string): Promise<boolean> {
  await tx.run(sql`set local statement_timeout = 0`)
  await lockSchema(tx)
  await tx.run(sql`
    create table if not exists migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now()
    )`)
  const applied = await readApplied(tx)
  if (applied[0]?.name === FOLDED.first) {
    await applyBridge(tx, applied, files, folder)
    return true
  }
  const next = nextAfter(applied, files)
  if (!next) return false
  await apply(tx, next)
  await record(tx, next)
  return true
}

/** Changes a database that has all nineteen folded migrations into what the files up to the baseline create. */
async function applyBridge(tx: Db, applied: Applied[], files: Migration[], folder: string) {
  if (sha256(applied.map(({ checksum }) => checksum).join('\n')) !== FOLDED.checksum)
    throw new StartupError(
      `The database was last used by an early version of Sendroom (migration ${applied.at(-1)?.name}). Start the version with migration ${FOLDED.last} once, then this version.`,
    )
  await apply(tx, { name: 'bridge/from-0019.sql', text: readText(join(folder, 'bridge/from-0019.sql')) })
  await tx.run(sql`delete from migrations`)
  for (const file of files) if (file.name <= FOLDED.baseline) await record(tx, file)
}

const apply = (tx: Db, { name, text }: Pick<Migration, 'name' | 'text'>) =>
  tx.script(text).catch((error) => {
    throw new StartupError(`Migration ${name} failed and was rolled back: ${error.message}`)
  })

const record = (tx: Db, { name, checksum }: Applied) =>
  tx.run(sql`insert into migrations ${values({ name, checksum })}`)

/** The applied migrations must be the first of our files, in the same order. */
function nextAfter(applied: Applied[], files: Migration[]): Migration | undefined {
  for (const [index, { name, checksum }] of applied.entries()) {
    const file = files.find((migration) => migration.name === name)
    if (!file) {
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

export const readApplied = (db: Db) =>
  db.many<Applied>(sql`select name, checksum from migrations order by name collate "C"`)

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const wrong = names.find((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
  if (wrong) throw new StartupError(`The name of migration ${wrong} is invalid. Use the form 0001-users.sql.`)
  return names.map((name) => {
    const text = readText(join(folder, name))
    return { name, text, checksum: sha256(text) }
  })
}

/** Without the carriage returns that a checkout on Windows may add. */
const readText = (file: string) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
