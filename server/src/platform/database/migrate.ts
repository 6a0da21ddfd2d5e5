import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../../startup-error.ts'
import type { Db, Pool } from './connection.ts'
import { storeSessionDefaults } from './session-defaults.ts'
import { sql, values } from './sql.ts'

type Migration = { name: string; text: string; checksum: string }

const FOLDER = join(import.meta.dirname, '../../../migrations')

/**
 * Brings the schema up to date, one transaction for each file of the folder that was not applied yet. Several
 * processes may do so at once. A database that went another way than these files is a StartupError.
 */
export async function migrate(db: Pool, folder = FOLDER): Promise<void> {
  const files = readMigrations(folder)
  await db.begin(async (tx) => {
    await lockSchema(tx)
    await storeSessionDefaults(tx, 'database')
  })
  while (await applyNext(db, files)) {
    // one at a time: the lock is free between two, and each sees what others have done meanwhile
  }
}

/** Whether every migration of this program is applied; more than these is a newer program's business. */
export async function schemaIsCurrent(db: Db, folder = FOLDER): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('migrations') is not null as exists`,
  )
  if (!exists) return false
  const applied = new Set((await readApplied(db)).map((migration) => migration.checksum))
  return readMigrations(folder).every((migration) => applied.has(migration.checksum))
}

const lockSchema = (tx: Db) => tx.run(sql`select pg_advisory_xact_lock(hashtext('sendroom migrations'))`)

async function applyNext(db: Pool, files: Migration[]): Promise<boolean> {
  return db.begin(async (tx) => {
    await lockSchema(tx)
    await tx.run(sql`
      create table if not exists migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now()
      )`)
    const next = nextAfter(await readApplied(tx), files)
    if (!next) return false
    await tx.script(next.text).catch((error) => {
      throw new StartupError(
        `Migration ${next.name} failed, and the schema stays as it was before it: ${error.message}`,
      )
    })
    await tx.run(sql`insert into migrations ${values({ name: next.name, checksum: next.checksum })}`)
    return true
  })
}

/** What was applied has to be the beginning of our files, in their order. */
function nextAfter(applied: Omit<Migration, 'text'>[], files: Migration[]): Migration | undefined {
  for (const [index, { name, checksum }] of applied.entries()) {
    const file = files.find((migration) => migration.name === name)
    if (!file) {
      throw new StartupError(
        `The database is newer than this program (it knows ${name}): start the newer Sendroom.`,
      )
    }
    if (file.checksum !== checksum) {
      throw new StartupError(
        `Migration ${name} was changed after it had been applied: restore the file as it was.`,
      )
    }
    const skipped = files[index]
    if (skipped && skipped.name !== name) {
      throw new StartupError(
        `Migration ${skipped.name} comes before ${name}, which is applied already: give it a later number.`,
      )
    }
  }
  return files[applied.length]
}

const readApplied = (db: Db) =>
  db.many<Omit<Migration, 'text'>>(sql`select name, checksum from migrations order by name collate "C"`)

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const wrong = names.find((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
  if (wrong) throw new StartupError(`Migration ${wrong} is not named like 0001-users.sql.`)
  return names.map((name) => {
    // A checkout on Windows may carry other line ends.
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}
