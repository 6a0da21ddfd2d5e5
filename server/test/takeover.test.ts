import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCountDifferences } from '../src/platform/counts.ts'
import { connect } from '../src/platform/database/connection.ts'
import { migrate, schemaIsCurrent } from '../src/platform/database/migrate.ts'
import { PROCESS } from '../src/platform/database/processes.ts'
import { sql } from '../src/platform/database/sql.ts'
import { secretsOf, storeKey } from '../src/platform/secrets.ts'
import { type Place, readAll, useBackups } from './backup-fixture.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'
import { until } from './until.ts'

/*
 * Sendroom takes over from programs with the migrations 0001 to 0032: a database that they made, and a backup of one
 * with rows in every table.
 */

const FIXTURES = join(import.meta.dirname, 'fixtures')
const BACKUP = join(FIXTURES, 'backup-0032.tar.gz')

const backups = useBackups()
type Db = TestDatabase['db']

/** A database that the former migrations have made, with a message that an instance has sent. */
async function openFormer(): Promise<Place> {
  const place = await backups.open('template0')
  await place.db.script(await readFile(join(FIXTURES, 'schema-0032.sql'), 'utf8'))
  await place.db.script(`
    insert into instances (name, token_cipher, token_hash, is_test) values ('a', '', 'a', true);
    insert into groups (instance_id, chat_id, name) values (1, 'g', 'Xin chào');
    insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name, status)
    values ('SendToGroups', 'Hello', 1, 1, '', 'Running');
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, sent_at)
    values (1, 1, 1, 'g', '', 'sent', now());
    insert into delivery_viewers values (gen_random_uuid(), '1@c.us', true)`)
  return place
}

const readMigrations = (db: Db) =>
  db.many(sql`select name, checksum, works_from from migrations order by name`)
const readTables = async (db: Db) =>
  (await db.many(sql`select tablename from pg_tables where schemaname = 'public'`)).map(
    (row) => row.tablename,
  )

async function expectPresentSchema(db: Db) {
  const present = await createTestDatabase()
  expect(await dumpSchema(db)).toBe(await dumpSchema(present.db))
  expect(await readMigrations(db)).toEqual(await readMigrations(present.db))
  expect(await schemaIsCurrent(db)).toBe(true)
  await present.drop()
}

test('a database at 0032 gets the present schema and records, and keeps its rows', async () => {
  const { db } = await openFormer()
  expect(await schemaIsCurrent(db)).toBe(false)
  await Promise.all([migrate(db), migrate(db)])

  await expectPresentSchema(db)
  expect(await db.many(sql`select status, chat_id from deliveries`)).toEqual([
    { status: 'sent', chatId: 'g' },
  ])
  await db.run(sql`update deliveries set status = 'failed'`)
  expect(await findCountDifferences(db)).toEqual([])
})

test('while a process may be of a former program, its tables and records stay', async () => {
  const { db, database } = await openFormer()
  const records = await readMigrations(db)
  const former = connect(database.address, { max: 1, applicationName: `${PROCESS} server 1@former` })
  await former.run(sql`select`)

  await migrate(db)
  expect(await schemaIsCurrent(db)).toBe(true)
  // A former program is ready if it finds its own records first, and is new enough for all others.
  const kept = await readMigrations(db)
  expect(kept.slice(0, records.length)).toEqual(records)
  for (const { worksFrom } of kept.slice(records.length)) expect(worksFrom).toBe('0032')
  expect(await readTables(db)).toEqual(expect.arrayContaining(['delivery_viewers', 'sent_counts']))

  await former.end()
  // The server may learn of the end a moment later.
  await until('the former process is gone', async () => {
    const left = await db.run(sql`
      select from pg_stat_activity where application_name like '%@former' and datname = current_database()`)
    return left === 0
  })
  await migrate(db)
  await expectPresentSchema(db)
})

test.each([
  ['at an older migration', "delete from migrations where name > '0032'", '0031-fill-job-counts.sql'],
  [
    'with a changed migration',
    "update migrations set checksum = '' where name < '0002'",
    '0032-deliveries-reason.sql',
  ],
])(
  'a database %s is refused in a sentence that says what to do, and stays as it was',
  async (_, change, last) => {
    const { db } = await openFormer()
    await db.script(change)
    const before = await readMigrations(db)
    await expect(migrate(db)).rejects.toThrow(
      `The database was last used by an early version of Sendroom (migration ${last}). Start the version with migration 0032-deliveries-reason.sql once, then this version.`,
    )
    expect(await readMigrations(db)).toEqual(before)
    expect(await schemaIsCurrent(db)).toBe(false)
  },
)

test('a backup that a program with 0032 has made is restored without what nobody reads any more', async () => {
  const target = await backups.open('template0')
  await target.restore(BACKUP)

  await expectPresentSchema(target.db)
  const rows = await readAll(target.db)
  for (const table of ['deliveries', 'job_counts', 'delivery_views', 'webhook_attempts', 'participants'])
    expect(rows[table], table).not.toEqual([])
})

test('a backup of a database that was not taken over yet is restored, too', async () => {
  const source = await openFormer()
  const key = storeKey(source.dataDir, 'a key from before, long enough')
  const check = secretsOf(key).hash('secret check')
  await source.db.run(sql`insert into installation (secret_check) values (${check})`)
  await source.backUp(backups.file())
  const target = await backups.open('template0')
  await target.restore(backups.file())

  await expectPresentSchema(target.db)
  expect(await target.db.many(sql`select status from deliveries`)).toEqual([{ status: 'sent' }])
})
