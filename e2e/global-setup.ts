import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Sendroom } from './sendroom.ts'

/**
 * Builds the web app if it is stale, and starts the Sendroom that all others are copies of. Runs once, before the
 * workers. Returns what removes it.
 */
export default async function prepare() {
  const script = join(import.meta.dirname, '../scripts/build-web.mjs')
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The web app could not be built.')
  const { dataDir } = await (await Sendroom.start()).becomeTemplate()
  return () => rm(dataDir, { recursive: true, force: true })
}
