import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the project, without a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

/** The folder of Node's compile cache, which saves later processes the stripping of types. */
export const compileCache = join(root, 'node_modules/.cache/compile')

/**
 * Returns the JavaScript file of an installed command, to run with `process.execPath`. The shims in node_modules/.bin
 * differ on Windows and may start another Node.
 */
export function commandOf(packageName, command = packageName.split('/').pop()) {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}
