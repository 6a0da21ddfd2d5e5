import { rmSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { DatabaseAddress } from '../src/database-url.ts'
import { startCluster } from '../src/platform/database/cluster.ts'
import { connect } from '../src/platform/database/connection.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { storeSessionDefaults } from '../src/platform/database/session-defaults.ts'
import { sql } from '../src/platform/database/sql.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testCluster: DatabaseAddress
  }
}

/** One cluster for all test files, with the migrated database `tpl` that each of them clones. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'sendroom-test-'))
  // A cluster whose folder is gone ends itself within a minute: the last resort if the teardown never runs.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // As root the cluster runs as another user, who has to get in.
  await chmod(folder, 0o755)
  const cluster = await startCluster(folder, console)
  try {
    await createTemplate(cluster.address)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  project.provide('testCluster', { ...cluster.address, database: 'postgres' })
  return cluster.stop
}

async function createTemplate(address: DatabaseAddress) {
  const admin = connect(address, { max: 1, applicationName: 'sendroom test' })
  await admin.run(sql`alter system set fsync = off`)
  await admin.run(sql`select pg_reload_conf()`)
  await admin.run(sql`create database tpl`)
  await storeSessionDefaults(admin, 'cluster')
  await admin.end()
  const template = connect({ ...address, database: 'tpl' }, { max: 1, applicationName: 'sendroom test' })
  // Ended in any case: nobody may be connected to a template that is cloned.
  await migrate(template).finally(() => template.end())
}
