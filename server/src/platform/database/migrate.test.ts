import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { connect, type Db } from './connection.ts'
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
  await migrate(database.db, { folder })
  await migrate(database.db, { folder })
  expect(await tables()).toEqual(['jobs', 'migrations', 'sessions', 'users'])
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)

  await write('0003-images.sql', 'create table images (id int)')
  expect(await schemaIsCurrent(database.db, folder)).toBe(false)
  await migrate(database.db, { folder })
  expect(await tables()).toContain('images')
})

test('several processes may migrate at once', async () => {
  await write('0003-slow.sql', 'select pg_sleep(0.05); create table slow (id int)')
  const pools = [1, 2, 3].map(() => connect(database.address, { max: 1, applicationName: 'sendroom test' }))
  await Promise.all(pools.map((db) => migrate(db, { folder })))
  await Promise.all(pools.map((db) => db.end()))
  expect(await database.db.many(sql`select count(*) from migrations`)).toEqual([{ count: 3 }])
})

test('a migration that fails leaves nothing of itself, and keeps those before it', async () => {
  await write('0003-half.sql', 'create table half (id int); create table jobs (id int)')
  await expect(migrate(database.db, { folder })).rejects.toThrow(
    'Migration 0003-half.sql failed and was rolled back: relation "jobs" already exists',
  )
  expect(await tables()).toEqual(['jobs', 'migrations', 'sessions', 'users'])
})

describe('a program that meets a newer database', () => {
  const upgrade = async (...migrations: [name: string, text: string][]) => {
    for (const [name, text] of migrations) await write(name, text)
    await migrate(database.db, { folder })
    for (const [name] of migrations) await rm(join(folder, name))
  }
  const worksFrom = (number: string) =>
    `-- Works with programs from ${number} on.\ncreate table new_${number} (id int)`

  test('works, if each newer migration says so', async () => {
    await upgrade(['0003-images.sql', worksFrom('0001')], ['0004-receipts.sql', worksFrom('0002')])

    await migrate(database.db, { folder })
    expect(await schemaIsCurrent(database.db, folder)).toBe(true)
    expect(await database.db.many(sql`select works_from from migrations order by name`)).toEqual([
      ...[{ worksFrom: '0001' }, { worksFrom: '0002' }, { worksFrom: '0001' }, { worksFrom: '0002' }],
    ])
  })

  test.each([
    ['one of them works with later programs only', worksFrom('0003'), worksFrom('0002')],
    ['one of them says nothing', 'create table images (id int)', worksFrom('0002')],
  ])('refuses, and is not ready, if %s', async (_, third, fourth) => {
    await upgrade(['0003-images.sql', third], ['0004-receipts.sql', fourth])

    await expect(migrate(database.db, { folder })).rejects.toThrow(
      'The database was last used by a newer version of Sendroom (migration 0003-images.sql). Start that version.',
    )
    expect(await schemaIsCurrent(database.db, folder)).toBe(false)
  })
})

test('a program that reads the tables of a migration in another order is not ended by a deadlock', async () => {
  await migrate(database.db, { folder })
  await write(
    '0003-both.sql',
    'alter table jobs add n int; select pg_sleep(0.3); alter table users add n int',
  )
  const isAsleep = sql`select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  const { migrating } = await database.db.begin(async (tx) => {
    await tx.run(sql`select from users`)
    const migrating = migrate(database.db, { folder })
    await until('the migration has the jobs', () => database.db.run(isAsleep))
    await tx.run(sql`select from jobs`)
    return { migrating }
  })
  await migrating
})

test('a migration that waits for a table lets others use it meanwhile, and says that it waits', async () => {
  await migrate(database.db, { folder })
  await write('0003-more.sql', 'alter table jobs add column more int')
  const lines: string[] = []
  const useTable = (db: Db) => db.many(sql`select id from jobs`)

  const { migrating } = await database.db.begin(async (tx) => {
    await useTable(tx)
    const migrating = migrate(database.db, { folder, log: { info: (line) => lines.push(line) } })
    await until('the migration waits', () => countWaiting(database.db))
    // Without a time-out this would wait for the end of the transaction around it.
    await useTable(database.db)
    return { migrating }
  })
  await migrating

  expect(lines).toContain('The upgrade of the database waits: somebody uses a table that it changes')
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)
})

describe('a migration that builds an index concurrently', () => {
  const BUILD = 'create index concurrently if not exists jobs_id on jobs (id)'
  const indexes = () =>
    database.db.many(sql`
      select relname as name, indisvalid as is_valid from pg_index join pg_class on oid = indexrelid
      where indrelid = 'jobs'::regclass`)

  /** Rejects after a second if it has to wait for a lock. */
  const writeSoon = () =>
    database.db.script(`set lock_timeout = '1s'; insert into jobs values (1); reset lock_timeout`)

  test('lets others write while it waits for a transaction to end', async () => {
    await migrate(database.db, { folder })
    await write('0003-index.sql', BUILD)
    const { migrating } = await database.db.begin(async (tx) => {
      await tx.run(sql`insert into jobs values (0)`)
      const migrating = migrate(database.db, { folder })
      await until('the build waits', () => countWaiting(database.db))
      await writeSoon()
      expect(await schemaIsCurrent(database.db, folder)).toBe(false)
      return { migrating }
    })
    await migrating
    expect(await indexes()).toEqual([{ name: 'jobs_id', isValid: true }])
    expect(await schemaIsCurrent(database.db, folder)).toBe(true)
  })

  test('runs once, also if several processes migrate', async () => {
    await write('0003-index.sql', BUILD)
    await write('0004-images.sql', 'create table images (id int)')
    const pools = [1, 2, 3].map(() => connect(database.address, { max: 1, applicationName: 'sendroom test' }))
    await Promise.all(pools.map((db) => migrate(db, { folder })))
    await Promise.all(pools.map((db) => db.end()))
    expect(await indexes()).toEqual([{ name: 'jobs_id', isValid: true }])
    expect(await database.db.many(sql`select count(*) from migrations`)).toEqual([{ count: 4 }])
  })

  test('and an older program, which waits for the upgrade in a transaction, do not wait for ever', async () => {
    await migrate(database.db, { folder })
    await write('0003-index.sql', BUILD)
    const upgrades = await database.db.begin(async (tx) => {
      await tx.run(sql`insert into jobs values (0)`)
      const migrating = migrate(database.db, { folder })
      await until('the build waits', async () => (await countWaiting(database.db)) === 1)
      // PostgreSQL ends one of the two waits. Either program tries again.
      const waiting = database.db
        .run(sql`select pg_advisory_xact_lock(hashtext('sendroom migrations'))`)
        .catch((error) => expect(error.message).toBe('deadlock detected'))
      await until('the older program waits', async () => (await countWaiting(database.db)) === 2)
      return { migrating, waiting }
    })
    await Promise.all([upgrades.migrating, upgrades.waiting])
    expect(await indexes()).toEqual([{ name: 'jobs_id', isValid: true }])
  })

  test('begins anew after one that was interrupted', async () => {
    await migrate(database.db, { folder })
    await database.db.run(sql`insert into jobs values (1), (1)`)
    await expect(database.db.script('create unique index concurrently jobs_id on jobs (id)')).rejects.toThrow(
      'could not create unique index',
    )
    expect(await indexes()).toEqual([{ name: 'jobs_id', isValid: false }])

    await write('0003-index.sql', BUILD)
    await migrate(database.db, { folder })
    expect(await indexes()).toEqual([{ name: 'jobs_id', isValid: true }])
  })
})

test('a long migration says how long it has been running, and so does who waits for it', async () => {
  await write('0003-slow.sql', 'select pg_sleep(7.5); create table slow (id int)')
  const lines: string[] = []
  const log = { info: (line: string) => lines.push(line) }
  await Promise.all([migrate(database.db, { folder, log }), migrate(database.db, { folder, log })])

  // A busy machine reports a moment later than after 5 s, and may do so again after 10.
  expect([...new Set(lines.map((line) => line.replace(/\d+ s/, 'N s')))].sort()).toEqual([
    'Another process is upgrading the database (N s)',
    'Migration 0003-slow.sql is running (N s)',
  ])
})

test('a migration that was changed after it was applied is refused, other line ends are not', async () => {
  await migrate(database.db, { folder })
  await write('0002-jobs.sql', 'create table jobs (id bigint);')
  await expect(migrate(database.db, { folder })).rejects.toThrow(/0002-jobs\.sql was changed/)
  expect(await schemaIsCurrent(database.db, folder)).toBe(false)

  await write('0002-jobs.sql', 'create table jobs (id int);')
  await write('0003-images.sql', 'create table\nimages (id int)')
  await migrate(database.db, { folder })
  await write('0003-images.sql', 'create table\r\nimages (id int)')
  await migrate(database.db, { folder })
  expect(await schemaIsCurrent(database.db, folder)).toBe(true)
})

test('a migration that comes before applied ones is refused', async () => {
  await migrate(database.db, { folder })
  await write('0001-accounts.sql', 'create table accounts (id int)')
  await expect(migrate(database.db, { folder })).rejects.toThrow(
    /0001-accounts\.sql comes before 0001-users\.sql/,
  )
})

test('a file with a name of another form is refused', async () => {
  await write('3-images.sql', '')
  await expect(migrate(database.db, { folder })).rejects.toThrow(
    'The name of migration 3-images.sql is invalid. Use the form 0001-users.sql.',
  )
})

test("the program's own migrations are all in the template", async () => {
  const migrated = await createTestDatabase()
  expect(await schemaIsCurrent(migrated.db)).toBe(true)
  await migrated.drop()
})
