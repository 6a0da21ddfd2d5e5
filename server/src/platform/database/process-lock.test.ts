import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { LOCKS } from './advisory-lock.ts'
import { lockForProcess } from './process-lock.ts'
import { sql } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase('template0')
})
afterAll(() => database.drop())

const key = (name: string) => LOCKS.process('host', name)

test('one process has the lock until it releases it', async () => {
  const { db } = database
  const release = await lockForProcess(db, key('a'))
  const other = await lockForProcess(db, key('b'))
  expect(await lockForProcess(db, key('a'))).toBeNull()
  await release?.()
  const later = await lockForProcess(db, key('a'))
  expect(later).not.toBeNull()
  await Promise.all([later?.(), other?.()])
})

test('a lock is taken again after its connection was lost', async () => {
  const { db } = database
  const release = await lockForProcess(db, key('c'))
  const holders = async () =>
    await db.many<{ pid: number }>(sql`
      select pid from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`)
  const [first, ...others] = await holders()
  expect(others).toEqual([])
  await db.run(sql`select pg_terminate_backend(${first?.pid ?? 0})`)
  await until('the lock is taken again', async () => (await holders()).some(({ pid }) => pid !== first?.pid))
  await release?.()
})

test('a lock holds no snapshot, which would keep deleted rows from being cleaned up', async () => {
  const { db } = database
  const release = await lockForProcess(db, key('d'))
  const isSnapshotFree = async () =>
    (await db.run(sql`
      select from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction' and backend_xmin is null`)) === 1
  await until('the snapshot is given back', isSnapshotFree)
  await release?.()
})
