import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds the web app if it is stale. Runs once, before the workers start their Sendrooms. */
export default function build() {
  const script = join(import.meta.dirname, '../scripts/build-web.mjs')
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The web app could not be built.')
}
