import type { TestProject } from 'vitest/node'
import type { DatabaseAddress } from '../src/database-url.ts'
import { startCluster } from '../src/platform/database/cluster.ts'
import { createTemplate } from './template.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testCluster: DatabaseAddress
  }
}

/** Starts one PostgreSQL for all test files, with the migrated database `tpl` that they clone. */
export default async function setUp(project: TestProject) {
  const folder = await makeTemporaryFolder('test')
  const cluster = await startCluster(folder, console)
  try {
    await createTemplate(cluster.superuser)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  project.provide('testCluster', { ...cluster.superuser, database: 'postgres' })
  return cluster.stop
}
