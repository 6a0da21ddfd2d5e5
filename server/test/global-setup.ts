import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { DatabaseAddress } from '../src/database-url.ts'
import { type Cluster, startCluster } from '../src/embedded-postgres/cluster.ts'
import { connect } from '../src/platform/database/connection.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { createTemplate } from './template.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testCluster: DatabaseAddress
    /** The folder of a stopped cluster with the migrated database of a new Sendroom, to copy. */
    readyCluster: string
  }
}

/** Starts one PostgreSQL for all test files, with the migrated database `tpl` that they clone. */
export default async function setUp(project: TestProject) {
  const folder = await makeTemporaryFolder('test')
  const readyCluster = await prepareCluster(folder)
  const cluster = await startCluster(folder, console)
  try {
    await createTemplate(cluster.superuser)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  project.provide('testCluster', { ...cluster.superuser, database: 'postgres' })
  project.provide('readyCluster', readyCluster)
  return cluster.stop
}

/** Creates the cluster, and a copy of it as a first start of Sendroom leaves it. Returns the folder of the copy. */
async function prepareCluster(folder: string): Promise<string> {
  const cluster = await startCluster(folder, console)
  await migrateAsOwner(cluster).finally(cluster.stop)
  const copy = join(folder, 'ready')
  mkdirSync(copy)
  // Node's own copy would lose the owner of the files.
  execFileSync('cp', ['-a', join(folder, 'postgres'), copy])
  return join(copy, 'postgres')
}

async function migrateAsOwner({ owner }: Cluster) {
  const db = connect(owner, { max: 1, applicationName: 'sendroom test' })
  await migrate(db).finally(() => db.end())
}
