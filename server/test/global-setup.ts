import { rmSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { DatabaseAddress } from '../src/database-url.ts'
import { startCluster } from '../src/platform/database/cluster.ts'
import { createTemplate } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testCluster: DatabaseAddress
  }
}

/** Starts one PostgreSQL for all test files, with the migrated database `tpl` that they clone. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'sendroom-test-'))
  // PostgreSQL stops within a minute when its folder is gone. That cleans up if the teardown never runs.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // If we are root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(folder, 0o755)
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
