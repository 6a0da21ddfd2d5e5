import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

/** What Node has compiled: later processes need not strip types again. */
export const compileCache = join(root, 'node_modules/.cache/compile')

/**
 * The JavaScript file behind an installed command, to be run with `process.execPath`:
 * the shims in node_modules/.bin differ on Windows and might start another Node.
 */
export function commandOf(packageName, command = packageName.split('/').pop()) {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}
