import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { connect } from './connection.ts'
import { migrate, schemaIsCurrent } from './migrate.ts'
import { sql } from './sql.ts'

let database: TestDatabase
let folder: string

beforeEach(async () => {
  database = await createTestDatabase('template0')
  folder = await mkdtemp(join(tmpdir(), 'sendroom-migrations-'))
  await write('0001-users.sql', 'create table users (id int); create table sessions (id int);')
  await write('0002-jobs.sql', 'create table jobs (id int);')
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

const write = (name: string, text: string) => writeFile(join(folder, name), text)
const tables = async () => {
  const rows = await database.db.many(
    sql`select tablename from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map((row) => row.tablename)
}

test('an empty database gets every migration once, and only the new ones later', async () => {
  expect(await schemaIsCurrent(database.db, folder)).toBe(false)
  await migrate(database.db, folder)
  await migrate(database.db, folder)
  expect(await tables()).toEqual(['jobs', 'migrations', 'sessions', 'users'])
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)

  await write('0003-images.sql', 'create table images (id int)')
  expect(await schemaIsCurrent(database.db, folder)).toBe(false)
  await migrate(database.db, folder)
  expect(await tables()).toContain('images')
})

test('several processes may migrate at once', async () => {
  await write('0003-slow.sql', 'select pg_sleep(0.05); create table slow (id int)')
  const pools = [1, 2, 3].map(() => connect(database.address, { max: 1, applicationName: 'sendroom test' }))
  await Promise.all(pools.map((db) => migrate(db, folder)))
  await Promise.all(pools.map((db) => db.end()))
  expect(await database.db.many(sql`select count(*) from migrations`)).toEqual([{ count: 3 }])
})

test('a migration that fails leaves nothing of itself, and keeps those before it', async () => {
  await write('0003-half.sql', 'create table half (id int); create table jobs (id int)')
  await expect(migrate(database.db, folder)).rejects.toThrow(
    'Migration 0003-half.sql failed and was rolled back: relation "jobs" already exists',
  )
  expect(await tables()).toEqual(['jobs', 'migrations', 'sessions', 'users'])
})

test('a database of a newer program is refused by name', async () => {
  await migrate(database.db, folder)
  await rm(join(folder, '0002-jobs.sql'))
  await expect(migrate(database.db, folder)).rejects.toThrow(
    /newer version of Sendroom \(migration 0002-jobs\.sql\)/,
  )
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)
})

test('a migration that was changed after it was applied is refused, other line ends are not', async () => {
  await migrate(database.db, folder)
  await write('0002-jobs.sql', 'create table jobs (id bigint);')
  await expect(migrate(database.db, folder)).rejects.toThrow(/0002-jobs\.sql was changed/)
  expect(await schemaIsCurrent(database.db, folder)).toBe(false)

  await write('0002-jobs.sql', 'create table jobs (id int);')
  await write('0003-images.sql', 'create table\nimages (id int)')
  await migrate(database.db, folder)
  await write('0003-images.sql', 'create table\r\nimages (id int)')
  await migrate(database.db, folder)
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)
})

test('a migration that comes before applied ones is refused', async () => {
  await migrate(database.db, folder)
  await write('0001-accounts.sql', 'create table accounts (id int)')
  await expect(migrate(database.db, folder)).rejects.toThrow(
    /0001-accounts\.sql comes before 0001-users\.sql/,
  )
})

test('a file with a name of another form is refused', async () => {
  await write('3-images.sql', '')
  await expect(migrate(database.db, folder)).rejects.toThrow(
    'The name of migration 3-images.sql is invalid. Use the form 0001-users.sql.',
  )
})

test("the program's own migrations are all in the template", async () => {
  const migrated = await createTestDatabase()
  expect(await schemaIsCurrent(migrated.db)).toBe(true)
  await migrated.drop()
})
