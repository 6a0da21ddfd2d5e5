import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { CHANGES } from '../src/platform/changes.ts'
import { findCountDifferences } from '../src/platform/counts.ts'
import { migrate, schemaIsCurrent } from '../src/platform/database/migrate.ts'
import { sql } from '../src/platform/database/sql.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'

const readText = (name: string) =>
  readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll('\r\n', '\n')

const OUTDATED = 'server/schema.sql is not the schema that the migrations make: run npm run schema'

const databases: TestDatabase[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

async function open(template: 'tpl' | 'template0') {
  const database = await createTestDatabase(template)
  databases.push(database)
  return database.db
}

/** A database that the nineteen migrations before 0.1.0 have made. */
async function openAt0019() {
  const db = await open('template0')
  await db.script(readText('fixtures/schema-0019.sql'))
  return db
}

test('server/schema.sql is the schema that the migrations make', async () => {
  expect(await dumpSchema(await open('tpl')), OUTDATED).toBe(readText('../schema.sql'))
})

test('the dump does not leave out a kind of object that it does not know', async () => {
  const db = await open('tpl')
  await db.script('create view live_jobs as select from jobs')
  await expect(dumpSchema(db)).rejects.toThrow('live_jobs')
})

test('a database at migration 0019 gets the same schema, and keeps its rows', async () => {
  const db = await openAt0019()
  await db.script(readText('fixtures/rows-0019.sql'))
  expect(await schemaIsCurrent(db)).toBe(false)
  await Promise.all([migrate(db), migrate(db)])
  expect(await schemaIsCurrent(db)).toBe(true)

  expect(sortColumns(await dumpSchema(db)), OUTDATED).toEqual(sortColumns(readText('../schema.sql')))
  const migrated = await open('tpl')
  expect(await readNames(db)).toEqual(await readNames(migrated))
  expect(await readMigrationRows(db)).toEqual(await readMigrationRows(migrated))

  expect(await db.many(sql`select username, search_text from users`)).toEqual([
    { username: 'Đặng', searchText: 'dang dang@example.com' },
  ])
  expect(
    await db.many(sql`select id, cursor, log_line_count, failed_count, search_text from jobs order by id`),
  ).toEqual([
    { id: 1, cursor: 3, logLineCount: 1, failedCount: 1, searchText: 'xin chao' },
    { id: 2, cursor: 0, logLineCount: 0, failedCount: 0, searchText: 'hello' },
  ])
  expect(await db.many(sql`select job_id, status from deliveries order by id`)).toEqual([
    { jobId: 1, status: 'sent' },
    { jobId: 1, status: 'failed' },
    { jobId: 2, status: 'queued' },
  ])
  expect(await findCountDifferences(db)).toEqual([])
  expect(
    await db.many(sql`select sum(sent_now) as sent_now, sum(sent) as sent from delivery_changes`),
  ).toEqual([{ sentNow: 1, sent: 1 }])
  expect(await readMatches(db)).toEqual([
    { providerMessageId: 'deleted', deliveryId: null, isReleased: true },
    { providerMessageId: 'sent', deliveryId: 1, isReleased: false },
  ])
})

test('functions and triggers of a database that was at migration 0019 work', async () => {
  const db = await openAt0019()
  await db.script(readText('fixtures/rows-0019.sql'))
  await migrate(db)

  const heard: string[] = []
  const listening = db.listen(CHANGES, (payload) => heard.push(payload))
  await listening.ready()
  await db.run(sql`delete from jobs where id = 1`)
  await expect.poll(() => heard).toEqual(['[{"id": null, "feature": "jobs", "instanceId": 1}]'])
  await listening.close()
  expect(await readMatches(db)).toContainEqual({ providerMessageId: 'sent', deliveryId: 1, isReleased: true })
  expect(await db.one(sql`select sum(sent_now) from delivery_changes`)).toEqual({ sum: 0 })
  expect(
    await db.one(sql`
      select record_usage('{}', 'g', 'epoch', 1) as usage, cap_free_at('{"g0": 1}', 'g', 1, 'epoch') is not null as is_full`),
  ).toEqual({ usage: { g0: 1 }, isFull: true })
})

test('a second start changes nothing in a database that was at migration 0019', async () => {
  const db = await openAt0019()
  await migrate(db)
  const before = await db.many(sql`select * from migrations order by name`)
  await migrate(db)
  expect(await db.many(sql`select * from migrations order by name`)).toEqual(before)
})

test.each([
  ['at an older migration', "delete from migrations where name > '0018'", '0017-search-estimates.sql'],
  [
    'with a changed migration',
    "update migrations set checksum = '' where name < '0002'",
    '0019-told-names.sql',
  ],
])('a database before 0.1.0 %s is refused and stays as it was', async (_, change, last) => {
  const db = await openAt0019()
  await db.script(change)
  const before = await db.many(sql`select * from migrations`)
  await expect(migrate(db)).rejects.toThrow(
    `The database was last used by an early version of Sendroom (migration ${last}). Start the version with migration 0019-told-names.sql once, then this version.`,
  )
  expect(await db.many(sql`select * from migrations`)).toEqual(before)
  expect(await schemaIsCurrent(db)).toBe(false)
})

/** The bridge renames columns where they are, so their order differs from that of a new table. */
const sortColumns = (schema: string) =>
  schema
    .split('\n\n')
    .map((block) => (block.startsWith('CREATE TABLE') ? block.split('\n').sort().join('\n') : block))

/** Of constraints, tables and indexes. The dump leaves out the names of `not null` constraints. */
const readNames = (db: TestDatabase['db']) =>
  db.many(sql`
    select conname as name from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select relname from pg_class where relnamespace = 'public'::regnamespace
    order by name`)

const readMigrationRows = (db: TestDatabase['db']) =>
  db.many(sql`select name, checksum from migrations order by name`)

const readMatches = (db: TestDatabase['db']) =>
  db.many(sql`
    select provider_message_id, delivery_id, released_at is not null as is_released from matched_messages
    order by provider_message_id`)
