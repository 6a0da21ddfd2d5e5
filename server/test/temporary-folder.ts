import { rmSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder that is removed at the latest when this process exits. A PostgreSQL in it stops within a minute. */
export async function makeTemporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `sendroom-${name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  // If we are root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(folder, 0o755)
  return folder
}
