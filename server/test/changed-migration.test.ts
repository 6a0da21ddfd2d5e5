import { expect, test } from 'vitest'
import { migrate, migrateWithin, schemaIsCurrent } from '../src/platform/database/migrate.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useBackups } from './backup-fixture.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { dumpSchema } from './schema-dump.ts'

/*
 * 0018-job-counts.sql counted all deliveries and built an index under its locks. 0031 and 0032 do so now, and databases
 * and backups from before keep working.
 */

const backups = useBackups()

const ROWS = `
  insert into instances (name, token_cipher, token_hash, is_test) values ('a', '', 'a', true);
  insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name, status)
  select 'SendToUsers', '', 1, 6, '', 'Running' from generate_series(1, 3);
  insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, reason, delivered_at, read_at)
  select j.id, 1, n::text, '', (array['queued', 'sent', 'sent', 'failed', 'failed', 'skipped'])[n],
    case n when 4 then '{"code": "outcome_unknown", "params": {}}'::jsonb end,
    case n when 2 then now() end, case n when 2 then now() end
  from jobs j, generate_series(1, 6) n`

const read = (db: TestDatabase['db']) =>
  db.many(sql`
    select job_id, sum(sent) as sent, sum(failed) as failed, sum(skipped) as skipped, sum(unknown) as unknown,
      sum(delivered) as delivered, sum(read) as read
    from job_counts group by job_id order by job_id`)

const sums = { sent: 2, failed: 2, skipped: 1, unknown: 1, delivered: 1, read: 1 }

/** Migrates up to the last file before `end`. */
const migrateBefore = (db: TestDatabase['db'], end: string) => db.begin((tx) => migrateWithin(tx, end))

/** As the program before the change has left it. */
async function fillAsBefore(db: TestDatabase['db']) {
  await migrateBefore(db, '0022-job-failures.sql')
  await db.script(`
    ${ROWS};
    update migrations set checksum = '5623ac6dbad510694962d41a321412449e2bee9282f552472561391184a7f853'
    where name = '0018-job-counts.sql';
    create index deliveries_reason on deliveries (job_id, id) where reason is not null`)
}

async function open() {
  const { db, drop } = await createTestDatabase('template0')
  return { db, [Symbol.asyncDispose]: drop }
}

test('recipients from before are counted once, and those that change meanwhile too', async () => {
  await using database = await open()
  const { db } = database
  await migrateBefore(db, '0012-rights.sql')
  await db.script(ROWS)
  await migrateBefore(db, '0031')
  await db.script(`update deliveries set status = 'sent' where job_id = 2 and chat_id = '1'`)

  await db.begin(async (tx) => {
    await migrateWithin(tx, '0031-fill-job-counts.sql')
    // Writes do not wait for the transaction that counts.
    await db.script(`
      set lock_timeout = '1s';
      update deliveries set status = 'sent' where job_id = 3 and chat_id = '1';
      reset lock_timeout`)
  })

  expect(await read(db)).toEqual([
    { jobId: 1, ...sums },
    { jobId: 2, ...sums, sent: 3 },
    { jobId: 3, ...sums, sent: 3 },
  ])
  expect(await db.many(sql`select from deliveries where status = 'failed' and reason is null`)).toEqual([])
})

test('jobs whose deliveries were deleted keep their counts', async () => {
  await using database = await open()
  const { db } = database
  await migrateBefore(db, '0017-notices.sql')
  await db.script(`
    ${ROWS};
    update jobs set status = 'Completed', final_counts =
      '{"sent": 7, "failed": 6, "skipped": 5, "unknown": 4, "delivered": 3, "read": 2}' where id = 1;
    delete from deliveries where job_id = 1 and status = 'sent'`)
  await migrate(db)
  expect((await read(db))[0]).toEqual({
    ...{ jobId: 1, sent: 7, failed: 6, skipped: 5, unknown: 4, delivered: 3, read: 2 },
  })
})

test('a database from before the change starts, keeps its counts, and gets the same schema', async () => {
  await using database = await open()
  const { db } = database
  await fillAsBefore(db)
  await migrate(db)

  expect(await schemaIsCurrent(db)).toBe(true)
  expect(await read(db)).toEqual([1, 2, 3].map((jobId) => ({ jobId, ...sums })))
  expect(await dumpSchema(db)).toBe(await dumpSchema((await backups.open('tpl')).db))
})

test('a backup from before the change is restored', async () => {
  const source = await backups.open('template0')
  await fillAsBefore(source.db)
  await source.openSecrets()
  await source.backUp(backups.file())
  const target = await backups.open('template0')
  await target.restore(backups.file())

  expect(await schemaIsCurrent(target.db)).toBe(true)
  expect(await read(target.db)).toEqual([1, 2, 3].map((jobId) => ({ jobId, ...sums })))
  expect(await dumpSchema(target.db)).toBe(await dumpSchema((await backups.open('tpl')).db))
})

test('another checksum of this file is refused', async () => {
  await using database = await open()
  await fillAsBefore(database.db)
  await database.db.run(sql`update migrations set checksum = 'x' where name = '0018-job-counts.sql'`)
  await expect(migrate(database.db)).rejects.toThrow('Migration 0018-job-counts.sql was changed')
})
