import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { DatabaseAddress } from '../src/database-url.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { isDatabaseDown } from '../src/platform/database/errors.ts'
import { identifier, type Sql, sql } from '../src/platform/database/sql.ts'

export type TestDatabase = {
  db: Pool
  address: DatabaseAddress
  /** Closes `db` and drops the database, even if others are still connected. */
  drop: () => Promise<void>
}

/** Creates and drops all databases of a test file. Connecting takes longer than that. */
let admin: Pool | undefined

/**
 * Runs a statement as the admin. Under fake timers a check of the pool may have failed, and the timer of the next one
 * has gone with them: then that pool would refuse for ever.
 */
async function runAsAdmin(statement: Sql) {
  const open = () => connect(inject('testCluster'), { max: 1, applicationName: 'sendroom test' })
  admin ??= open()
  try {
    await admin.run(statement)
  } catch (error) {
    if (!isDatabaseDown(error)) throw error
    void admin.end(1000)
    admin = open()
    await admin.run(statement)
  }
}

/** Creates a database: `tpl` is the migrated template of global-setup.ts, `template0` is empty. */
export async function createTestDatabase(template: 'tpl' | 'template0' = 'tpl'): Promise<TestDatabase> {
  const cluster = inject('testCluster')
  const database = `test_${randomBytes(6).toString('hex')}`
  await runAsAdmin(
    sql`create database ${identifier(database)} template ${identifier(template)} strategy file_copy`,
  )
  const address = { ...cluster, database }
  const db = connect(address, { applicationName: 'sendroom test' })
  const drop = async () => {
    await db.end(1000)
    await runAsAdmin(sql`drop database ${identifier(database)} with (force)`)
  }
  return { db, address, drop }
}
