import { execFileSync } from 'node:child_process'
import { inject } from 'vitest'
import { Installation } from './process.ts'

/**
 * An installation with a cluster and a migrated database, as a first start leaves them, but without any row. Creating
 * them takes two seconds of each first start, which only some tests are about.
 */
export async function readyInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const home = await Installation.create(env)
  execFileSync('cp', ['-a', inject('readyCluster'), home.dataDir])
  return home
}
