import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Db } from '../platform/database/connection.ts'
import { FORMER_TABLES, LAST_FORMER } from '../platform/database/former-migrations.ts'
import { findForeign, readApplied } from '../platform/database/migrate.ts'
import { identifier, sql } from '../platform/database/sql.ts'
import { StartupError } from '../startup-error.ts'

/** Changes when an older Sendroom could not read the files any more. */
const FORMAT = 2
/** From before backups were signed. */
const UNSIGNED_FORMAT = 1

/**
 * Tables that are not in a backup. A restore makes `migrations` itself, and whoever steals a backup gets no session.
 * With a new `heartbeat` the engine begins a new era: it looks for what was sent since the backup before it sends.
 * `backups` and `disks` tell of the machine that the backup is from, where a backup may have failed since.
 * `import_parts` has uploaded files, which are deleted within a day.
 */
export const EXCLUDED = [
  'backups',
  'disks',
  'heartbeat',
  'import_parts',
  'migrations',
  'sessions',
  'sign_in_tickets',
]

const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.int(),
  /** The column that a sequence numbers, and the last number given. Null if none has been given. */
  sequence: z.object({ column: z.string(), last: z.int().nullable() }).nullable(),
})
export type Table = z.output<typeof Table>

const Manifest = z.object({
  format: z.literal([UNSIGNED_FORMAT, FORMAT]),
  /** The program that made the backup. */
  version: z.string(),
  /** The time of the snapshot. */
  madeAt: z.iso.datetime(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })).min(1),
  tables: z.array(Table),
})
/** A backup describes itself in its first part, so that a reader can refuse the rest. */
export type Manifest = z.output<typeof Manifest>

/** Describes the database as the current transaction sees it. */
export async function describeDatabase(db: Db): Promise<Manifest> {
  const { madeAt } = await db.one<{ madeAt: string }>(sql`select now() as made_at`)
  const tables: Table[] = []
  for (const table of await readTables(db)) {
    const { rows } = await db.one<{ rows: number }>(
      sql`select count(*) as rows from ${identifier(table.name)}`,
    )
    tables.push({ ...table, rows })
  }
  return { format: FORMAT, version: ownVersion(), madeAt, migrations: await readApplied(db), tables }
}

/** Without the tables that no program reads any more. */
export const restoredTables = ({ tables }: Manifest): Table[] =>
  tables.filter(({ name }) => !FORMER_TABLES.includes(name))

export const rowTotal = ({ tables }: Pick<Manifest, 'tables'>) =>
  tables.reduce((sum, { rows }) => sum + rows, 0)

/** Throws a StartupError unless this program can restore the backup. */
export function parseManifest(bytes: Buffer): Manifest {
  const found: unknown = JSON.parse(bytes.toString())
  const { format } = z.object({ format: z.int() }).parse(found)
  if (format > FORMAT) throw new StartupError(newer(`format ${format}`))
  const manifest = Manifest.parse(found)
  const foreign = findForeign(manifest.migrations)
  if (foreign && foreign <= LAST_FORMER)
    throw new StartupError(
      `The backup was made by an early version of Sendroom. Restore it with the version that has migration ${LAST_FORMER}, and make a new backup with that one.`,
    )
  if (foreign) throw new StartupError(newer(`migration ${foreign}`))
  return manifest
}

const newer = (what: string) =>
  `The backup was made by a newer version of Sendroom (${what}). Restore it with that version.`

/** PostgreSQL computes generated columns itself, and refuses values for them. */
export const readTables = (db: Db) =>
  db.many<Omit<Table, 'rows'>>(sql`
    select relname::text as name,
      array(select attname::text from pg_attribute a
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      (select jsonb_build_object('column', attname, 'last',
          pg_sequence_last_value(pg_get_serial_sequence(quote_ident(relname), attname)::regclass))
        from pg_attribute a where attrelid = c.oid and attidentity <> '') as sequence
    from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not (relname = any(${[...EXCLUDED, ...FORMER_TABLES]}))
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by relname collate "C"`)

function ownVersion(): string {
  const file = join(import.meta.dirname, '../../package.json')
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version
}
