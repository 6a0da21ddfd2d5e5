import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { connect, type DatabaseAddress, type Sql } from '../src/platform/database/connection.ts'

export type TestDatabase = {
  sql: Sql
  address: DatabaseAddress
  /** Closes `sql` and drops the database, whoever else is still connected. */
  drop: () => Promise<void>
}

/** A database of your own: with `tpl` the migrated schema, with `template0` nothing at all. */
export async function createTestDatabase(template: 'tpl' | 'template0' = 'tpl'): Promise<TestDatabase> {
  const cluster = inject('testCluster')
  const database = `test_${randomBytes(6).toString('hex')}`
  await onCluster(
    cluster,
    (admin) => admin`
    create database ${admin(database)} template ${admin(template)} strategy file_copy`,
  )
  const address = { ...cluster, database }
  const sql = connect(address, { applicationName: 'sendroom test' })
  const drop = async () => {
    await sql.end({ timeout: 1 })
    await onCluster(cluster, (admin) => admin`drop database ${admin(database)} with (force)`)
  }
  return { sql, address, drop }
}

async function onCluster(cluster: DatabaseAddress, task: (admin: Sql) => Promise<unknown>) {
  const admin = connect(cluster, { max: 1, applicationName: 'sendroom test' })
  await task(admin).finally(() => admin.end())
}
