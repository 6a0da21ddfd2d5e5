import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { DatabaseTarget } from '../database-url.ts'
import { hasCluster } from '../embedded-postgres/cluster-files.ts'
import { openAsOwner } from '../open-database.ts'
import { nobody, record } from '../platform/audit.ts'
import { type CopyConnection, connectForCopy } from '../platform/database/copy.ts'
import { findForeign, readApplied } from '../platform/database/migrate.ts'
import { identifier, join, sql } from '../platform/database/sql.ts'
import { openFiles } from '../platform/files/store.ts'
import { keepImages } from '../platform/images/clean-up.ts'
import { openImages } from '../platform/images/store.ts'
import { backupKeyOf, findKey, keysFit, readKeyChecks, requireKey } from '../platform/secrets.ts'
import { syncFolder } from '../platform/sync-folder.ts'
import { StartupError } from '../startup-error.ts'
import { createArchive, writeArchive } from './archive.ts'
import {
  countLines,
  imagePart,
  keyPart,
  manifestPart,
  piecePart,
  readBackup,
  rowsPart,
} from './backup-file.ts'
import { type Command, explain } from './command.ts'
import { readPieces } from './file-pieces.ts'
import { describeDatabase, type Manifest, rowTotal, type Table } from './manifest.ts'
import { beginBackup, endBackup } from './outcome.ts'
import { inWords, progressOf } from './progress.ts'
import type { Part } from './tar.ts'

/** Bounds the memory: a part is in memory as a whole. */
const PART_BYTES = 1 << 18

export type BackedUp = {
  file: string
  madeAt: string
  rows: number
  withKey: boolean
  /** The names of images and files that are missing. */
  missingImages: string[]
}

/**
 * Writes all rows of one snapshot, all images and all files into a new file, while Sendroom may be running. The file
 * gets its name when all of it is on the disk and has been read back.
 */
export async function backUp(command: Command, file: string, withKey: boolean): Promise<BackedUp> {
  const { config, log } = command
  const path = resolve(file)
  if (!config.database && !hasCluster(config.dataDir))
    throw new StartupError(`There is no database in the data folder ${config.dataDir}.`)
  const database = await openAsOwner(config, log)
  let id: number | null = null
  try {
    const db = await connectForCopy(database.target)
    try {
      id = await beginBackup(db)
      refusePath(path)
      return await save(command, db, path, { withKey, id })
    } finally {
      await db.close()
    }
  } catch (error) {
    const explained = explain(error, path, command)
    await recordFailure(database.target, id, explained).catch((failure) =>
      log.warn(`Could not record that the backup failed: ${failure}`),
    )
    throw explained
  } finally {
    await database.close()
  }
}

function refusePath(path: string) {
  if (existsSync(path)) throw new StartupError(`${path} exists already. Name a new file.`)
  if (!existsSync(dirname(path))) throw new StartupError(`The folder ${dirname(path)} does not exist.`)
}

/** On a connection of its own: that of the backup is in a transaction that failed. */
async function recordFailure(target: DatabaseTarget, id: number | null, error: unknown) {
  const db = await connectForCopy(target)
  const sentence = error instanceof Error ? error.message : String(error)
  await endBackup(db, id, sentence).finally(db.close)
}

async function save(
  command: Command,
  db: CopyConnection,
  path: string,
  { withKey, id }: { withKey: boolean; id: number | null },
): Promise<BackedUp> {
  const { say, signal } = command
  const draft = `${path}.part`
  const archive = await createArchive(draft)
  try {
    const missing: string[] = []
    const { backupPassword: password } = command.config
    const signingKey = await findSigningKey(command, db)
    await writeArchive(archive, partsOf(command, db, withKey, missing), signal, { signingKey, password })
    say('Checking the file.')
    const { manifest } = await readBackup(draft, signal, {}, password)
    // Before the file gets its name: there is no backup without an entry.
    const tx = await db.begin()
    await record(tx, nobody(''), { action: 'backup.create', details: { by: 'command', withKey } })
    await endBackup(tx, id, null)
    await db.commit()
    await rename(draft, path)
    await syncFolder(dirname(path))
    say(`${path} has ${inWords(rowTotal(manifest))} rows, the images and the files.`)
    if (missing.length > 0) say(`Not in it, because they are missing: ${missing.join(', ')}.`)
    if (password === undefined)
      say('Names, numbers and texts in it are readable. Set BACKUP_PASSWORD to encrypt the next one.')
    if (!withKey)
      say('The encryption key is not in it. Keep secret.key or SECRET_KEY elsewhere, or use --with-key.')
    return { file: path, madeAt: manifest.madeAt, rows: rowTotal(manifest), withKey, missingImages: missing }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Undefined in an installation that was never started, which has no key yet. Also if the key is lost: then a backup is
 * wanted all the more.
 */
async function findSigningKey({ config, say }: Command, db: CopyConnection): Promise<Buffer | undefined> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('installation') is not null as exists`,
  )
  const checks = exists ? await readKeyChecks(db) : undefined
  if (!checks) return undefined
  const key = findKey(config)
  if (key !== undefined && keysFit(config, checks)) return backupKeyOf(key)
  say('The encryption key is missing or wrong, so the file is not signed.')
  return undefined
}

/** Yields everything in a backup. Adds the names of images and files that are not there to `missing`. */
async function* partsOf(
  { config, say }: Command,
  db: CopyConnection,
  withKey: boolean,
  missing: string[],
): AsyncGenerator<Part> {
  // Before the snapshot: afterwards an image that it refers to could already be gone.
  await keepImages(db)
  await db.begin('isolation level repeatable read read only')
  await refuseForeign(db)
  const key = withKey ? await requireKey(db, config) : undefined
  const manifest = await describeDatabase(db)
  yield manifestPart(manifest)
  yield* rowsOf(db, manifest, say)
  const images = await namesIn(db, 'images')
  // An older program has no such table.
  const hasFiles = manifest.tables.some(({ name }) => name === 'files')
  const files = hasFiles ? await namesIn(db, 'files') : []
  // Images may take hours, and vacuum keeps all that a snapshot may still see. `keepImages` outlasts the snapshot.
  await db.commit()
  say('Saving the images and the files.')
  yield* imagesOf(config, images, missing)
  yield* filesOf(config, files, missing)
  if (key !== undefined) yield keyPart(key)
}

async function refuseForeign(db: CopyConnection) {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select to_regclass('migrations') is not null as exists`,
  )
  if (!exists) throw new StartupError('The database has no tables of Sendroom.')
  const foreign = findForeign(await readApplied(db))
  if (foreign)
    throw new StartupError(
      `The database was last used by another version of Sendroom (migration ${foreign}). Make the backup with that version.`,
    )
}

async function* rowsOf(db: CopyConnection, manifest: Manifest, say: Command['say']): AsyncGenerator<Part> {
  const advance = progressOf('Saved', rowTotal(manifest), say)
  for (const table of manifest.tables) {
    let number = 0
    for await (const bytes of wholeRows(copyOut(db, table))) {
      yield rowsPart(table.name, ++number, bytes)
      advance(countLines(bytes))
    }
  }
}

const copyOut = (db: CopyConnection, { name, columns }: Table) =>
  db.copyOut(sql`copy ${identifier(name)} (${join(columns.map(identifier))}) to stdout`)

/** Joins chunks to parts of whole rows. */
async function* wholeRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    pending.push(chunk)
    length += chunk.length
    const end = chunk.lastIndexOf(10) + 1
    if (length < PART_BYTES || end === 0) continue
    const rest = chunk.length - end
    const all = Buffer.concat(pending)
    yield all.subarray(0, length - rest)
    pending = [all.subarray(length - rest)]
    length = rest
  }
  if (length > 0) yield Buffer.concat(pending)
}

async function namesIn(db: CopyConnection, table: 'images' | 'files'): Promise<string[]> {
  const rows = await db.many<{ name: string }>(sql`select name from ${identifier(table)} order by id`)
  return rows.map(({ name }) => name)
}

type Config = Command['config']

async function* imagesOf(config: Config, names: string[], missing: string[]): AsyncGenerator<Part> {
  const images = openImages(config)
  for (const name of names) {
    const image = await images.read(name)
    if (image) yield imagePart(name, image.bytes)
    else missing.push(name)
  }
}

async function* filesOf(config: Config, names: string[], missing: string[]): AsyncGenerator<Part> {
  const files = openFiles(config)
  for (const name of names) {
    const pieces = await readPieces(files, name)
    if (!pieces) missing.push(name)
    let number = 0
    for await (const bytes of pieces ?? []) yield piecePart(name, ++number, bytes)
  }
}
