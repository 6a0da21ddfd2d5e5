import { resolve } from 'node:path'
import { pauseRestoredJobs } from '../engine/index.ts'
import { openAsOwner } from '../open-database.ts'
import { nobody, record } from '../platform/audit.ts'
import { type CopyConnection, connectForCopy } from '../platform/database/copy.ts'
import { isRefusedValue } from '../platform/database/errors.ts'
import { lockSchema, migrateWithin } from '../platform/database/migrate.ts'
import { identifier, join, sql } from '../platform/database/sql.ts'
import { openFiles } from '../platform/files/store.ts'
import { openImages } from '../platform/images/store.ts'
import {
  backupKeyOf,
  findKey,
  keyFileOf,
  keyName,
  keysFit,
  readKeyChecks,
  storeKey,
} from '../platform/secrets.ts'
import { pauseRestoredSeries } from '../platform/series.ts'
import { StartupError } from '../startup-error.ts'
import type { Proof } from './archive.ts'
import { damaged, type Reader, readBackup } from './backup-file.ts'
import { type Command, explain } from './command.ts'
import { dropUnsent } from './drop-unsent.ts'
import { openJoiner } from './file-pieces.ts'
import { readTables, restoredTables, rowTotal, type Table } from './manifest.ts'
import { inWords, progressOf } from './progress.ts'

/** The result of a restore. `hasKey`: the API tokens can be read. */
export type Restored = { madeAt: string; rows: number; pausedJobs: number; hasKey: boolean }

/**
 * Fills an empty database and the stores of images and files from a backup. All of it is one transaction: if anything
 * fails, the database is as empty as before.
 *
 * Nothing goes out by itself afterwards. Jobs that had not ended are paused until somebody resumes them, and events and
 * emails that waited are dropped. The backup has no heartbeat, so a new era begins: before an instance sends again, its
 * chat history is read, and what was sent since the backup counts as sent (engine/history/check.ts).
 */
export async function restore(
  command: Command,
  file: string,
  { allowsUnsigned = false } = {},
): Promise<Restored> {
  const { config, log, say, signal } = command
  const path = resolve(file)
  try {
    say('Checking the file.')
    const { manifest, key, proof } = await readBackup(path, signal, {}, config.backupPassword)
    if (key !== undefined) refuseOtherKey(command, key)
    refuseForeignSignature(command, proof, { key, allowsUnsigned })
    const database = await openAsOwner(config, log)
    try {
      const db = await connectForCopy(database.target)
      return await fill(command, db, path, { manifest, key, proof }).finally(db.close)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw isRefusedValue(error) ? damaged(path, error.message) : explain(error, path, command)
  }
}

/** The key of the backup must not replace another one, which may be the only copy. */
function refuseOtherKey({ config }: Command, key: string) {
  const own = findKey(config)
  if (own !== undefined && own !== key)
    throw new StartupError(
      `${keyName(config)} is not the key in the backup. Unset SECRET_KEY, or choose another data folder.`,
    )
}

/**
 * With the installation's key only its own backups are restored: somebody else could have written any other file. A key
 * that is in the file proves only that nothing was altered by accident.
 */
function refuseForeignSignature(
  { config, say }: Command,
  { isSigned, isSignedWith }: Proof,
  { key, allowsUnsigned }: { key: string | undefined; allowsUnsigned: boolean },
) {
  const keys = [findKey(config), config.previousKey, key].filter((one) => one !== undefined)
  if (keys.some((one) => isSignedWith(backupKeyOf(one)))) return
  if (keys.length === 0) return say('The signature of the file can only be checked with the encryption key.')
  if (isSigned)
    throw new StartupError(
      `The file was not signed with this key. ${keyName(config)} belongs to another installation, or somebody has altered the file.`,
    )
  if (!allowsUnsigned)
    throw new StartupError(
      'The file is not signed. If you know that it is yours, from an earlier version, add --unsigned.',
    )
}

/** The result of the first reading of the file. */
type Checked = Awaited<ReturnType<typeof readBackup>>

async function fill(
  command: Command,
  db: CopyConnection,
  path: string,
  { manifest, key, proof }: Checked,
): Promise<Restored> {
  const { config, say } = command
  const tables = restoredTables(manifest)
  await lockSchema(db)
  const tx = await db.begin()
  await refuseFull(command, db)
  await migrateWithin(db, manifest.migrations.at(-1)?.name)
  await refuseCrafted(db, path, tables)
  const { checksum } = await load(command, db, path, tables)
  if (checksum !== proof.checksum) throw damaged(path, 'it was changed while it was read')
  await migrateWithin(db)
  // PostgreSQL would plan as if the tables were empty until it finds the time to do this itself.
  await db.run(sql`analyze ${join(tables.map(({ name }) => identifier(name)))}`)
  const pausedJobs = await pauseRestoredJobs(db)
  const pausedSeries = await pauseRestoredSeries(db)
  await dropUnsent(db)
  const details = { by: 'command', madeAt: manifest.madeAt, jobs: pausedJobs, series: pausedSeries }
  await record(tx, nobody(''), { action: 'backup.restore', details })
  const fits = await provideKey(command, db, key)
  await db.commit()
  say(`Restored ${inWords(rowTotal({ tables }))} rows, the images and the files, as of ${manifest.madeAt}.`)
  const paused = `Jobs paused: ${inWords(pausedJobs)}. Series paused: ${inWords(pausedSeries)}.`
  say(`Everybody has to sign in again. ${paused} Resume them on their pages.`)
  if (!fits) say(needsKey(config.dataDir))
  return { madeAt: manifest.madeAt, rows: rowTotal({ tables }), pausedJobs, hasKey: fits }
}

/** Whether the restored installation has its key, which is stored first if it came with the backup. */
async function provideKey(
  { config }: Command,
  db: CopyConnection,
  key: string | undefined,
): Promise<boolean> {
  if (key !== undefined && findKey(config) === undefined) storeKey(config.dataDir, key)
  const checks = await readKeyChecks(db)
  return !checks || keysFit(config, checks)
}

const needsKey = (dataDir: string) =>
  `The encryption key is missing. Copy secret.key from the former data folder to ${keyFileOf(dataDir)}, or set SECRET_KEY as it was: without the key Sendroom does not start, because nobody can read the API tokens.`

/** Refuses any table, so that nothing of another program or another installation is touched. */
async function refuseFull({ config }: Command, db: CopyConnection) {
  const { isFull } = await db.one<{ isFull: boolean }>(sql`
    select exists (
      select from pg_class c
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    ) as is_full`)
  if (isFull)
    throw new StartupError(
      config.database
        ? 'The database in DATABASE_URL is not empty. Restore into a new database.'
        : `The database in the data folder ${config.dataDir} is not empty. Set DATA_DIR to a new folder.`,
    )
}

/** Only what a backup of this schema has is loaded. A crafted file could bring its own session. */
async function refuseCrafted(db: CopyConnection, path: string, tables: Table[]) {
  const known = new Map((await readTables(db)).map((table) => [table.name, table]))
  for (const { name, columns, sequence } of tables) {
    const table = known.get(name)
    const isKnown =
      table &&
      columns.every((column) => table.columns.includes(column)) &&
      new Set(columns).size === columns.length &&
      (!sequence || sequence.column === table.sequence?.column)
    if (!isKnown) throw damaged(path, `the table ${JSON.stringify(name)} does not belong there`)
  }
}

/**
 * Loads rows, images and files, and returns what the file proved this time. Triggers stay silent: what they would count
 * is in the backup already.
 */
async function load(
  { config, say, signal }: Command,
  db: CopyConnection,
  path: string,
  tables: Table[],
): Promise<Proof> {
  const images = openImages(config)
  await images.prepare(false)
  const files = openFiles(config)
  await files.prepare(false)
  const joiner = openJoiner(files)
  const advance = progressOf('Restored', rowTotal({ tables }), say)
  const statements = new Map(
    tables.map(({ name, columns }) => [
      name,
      sql`copy ${identifier(name)} (${join(columns.map(identifier))}) from stdin`,
    ]),
  )
  const build = await dropForLoading(db)
  // A migration may have inserted a row, such as settings.
  for (const name of statements.keys()) await db.run(sql`delete from ${identifier(name)}`)
  const reader: Reader = {
    async rows(table, text, rowCount) {
      const statement = statements.get(table)
      if (!statement) return
      await db.copyIn(statement, text)
      advance(rowCount)
    },
    image: images.putAs,
    piece: joiner.add,
  }
  let proof: Proof
  try {
    proof = (await readBackup(path, signal, reader, config.backupPassword)).proof
    await joiner.end()
  } finally {
    await joiner.discard()
  }
  say('Building the indexes.')
  await build()
  for (const { name, sequence } of tables)
    if (sequence?.last)
      await db.run(sql`select setval(pg_get_serial_sequence(${name}, ${sequence.column}), ${sequence.last})`)
  return proof
}

type Change = { before: string; after: string }

/**
 * Disables the triggers and drops indexes and foreign keys. Returns a function that brings them back. To build them on
 * loaded tables is several times faster, and without foreign keys the order of the tables does not matter.
 */
async function dropForLoading(db: CopyConnection): Promise<() => Promise<void>> {
  const changes = await db.many<Change>(CHANGES)
  for (const { before } of changes) await db.script(before)
  return async () => {
    for (const { after } of changes) await db.script(after)
  }
}

const CHANGES = sql`
  with tables as (select oid, oid::regclass as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r')
  select format('alter table %s disable trigger user', name) as before,
    format('alter table %s enable trigger user', name) as after, 1 as step
  from tables
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 2
  from pg_index join tables t on t.oid = indrelid
  where not exists (select from pg_constraint where conindid = indexrelid)
  union all
  select format('alter table %s drop constraint %I', name, conname),
    format('alter table %s add constraint %I %s', name, conname, pg_get_constraintdef(c.oid)), 3
  from pg_constraint c join tables t on t.oid = conrelid where contype = 'f'
  order by step`
