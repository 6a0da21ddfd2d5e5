import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { DatabaseAddress } from '../src/database-url.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { identifier, sql } from '../src/platform/database/sql.ts'

export type TestDatabase = {
  db: Pool
  address: DatabaseAddress
  /** Closes `db` and drops the database, even if others are still connected. */
  drop: () => Promise<void>
}

/** Creates and drops all databases of a test file. Connecting takes longer than that. */
let admin: Pool | undefined

/** Creates a database: `tpl` is the migrated template of global-setup.ts, `template0` is empty. */
export async function createTestDatabase(template: 'tpl' | 'template0' = 'tpl'): Promise<TestDatabase> {
  const cluster = inject('testCluster')
  const database = `test_${randomBytes(6).toString('hex')}`
  admin ??= connect(cluster, { max: 1, applicationName: 'sendroom test' })
  await admin.run(
    sql`create database ${identifier(database)} template ${identifier(template)} strategy file_copy`,
  )
  const address = { ...cluster, database }
  const db = connect(address, { applicationName: 'sendroom test' })
  const drop = async () => {
    await db.end(1000)
    await admin?.run(sql`drop database ${identifier(database)} with (force)`)
  }
  return { db, address, drop }
}
