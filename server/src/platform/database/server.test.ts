import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { DatabaseProxy } from '../../../test/database-proxy.ts'
import { retryWhileDown } from '../../../test/kill-postgres.ts'
import { until } from '../../../test/until.ts'
import { parseDatabaseUrl } from '../../database-url.ts'
import { type Cluster, startCluster } from '../../embedded-postgres/cluster.ts'
import { connect } from './connection.ts'
import { isDatabaseDown } from './errors.ts'
import { sql } from './sql.ts'

let former: TestDatabase
let promoted: Cluster
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendroom-test-'))
  await chmod(folder, 0o755)
  former = await createTestDatabase('template0')
  promoted = await startCluster(folder, console)
})
afterAll(async () => {
  await promoted.stop()
  await former.drop()
  await rm(folder, { recursive: true, force: true })
})

const rejection = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

test('when the address moves to another server, connections to the former one are cut, even those in use', async () => {
  const proxy = await DatabaseProxy.open(former.address)
  const log = { info: vi.fn(), warn: vi.fn() }
  const target = parseDatabaseUrl(`postgres://sendroom@${proxy.address}/postgres`)
  const db = connect(target, { applicationName: 'sendroom moved', log })
  const notified: string[] = []
  const listening = db.listen('moved', (payload) => notified.push(payload))
  await listening.ready()
  const hung = rejection(db.run(sql`select pg_sleep(60)`))
  await db.run(sql`select 1`) // leaves a second connection idle

  proxy.pointTo(promoted.superuser)

  expect(isDatabaseDown(await hung)).toBe(true)
  const where = await retryWhileDown(() =>
    db.one<{ folder: string }>(sql`select current_setting('data_directory') as folder`),
  )
  expect(where.folder).toContain(folder)
  await until('notifications arrive again', async () => {
    await db.run(sql`select pg_notify('moved', 'after')`)
    return notified.includes('after')
  })
  expect(log.warn).not.toHaveBeenCalled()
  await db.end()
  proxy.close()
})

test('a pool goes on while the server has no connection left for the check', async () => {
  const role = `limited_${former.address.database}`
  await former.db.script(`create role ${role} login connection limit 1`)
  const log = { info: vi.fn(), warn: vi.fn() }
  const db = connect({ ...former.address, user: role }, { max: 2, applicationName: 'sendroom limited', log })

  const refused = await db.begin(() => rejection(db.run(sql`select 1`)))

  expect(refused).toBeInstanceOf(Error)
  await db.checkAvailable()
  expect(await db.one(sql`select 1 as one`)).toEqual({ one: 1 })
  expect(log.warn).not.toHaveBeenCalled()
  await db.end()
  await former.db.script(`drop role ${role}`)
})
