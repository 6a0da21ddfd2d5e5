import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
/** The last commit of the version before. With each large release the commit before it takes its place. */
export const PREVIOUS_COMMIT = 'b8c8270'
const OWN_PACKAGES = ['contract', 'server', 'simulator']

/** Whether git has the previous program. A shallow clone and an unpacked release do not. */
export function hasPreviousProgram(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Writes the previous program to a temporary folder. It runs with our present dependencies, and with pg-boss, which
 * only it needs: that goes from package.json with the next previous commit.
 */
export function checkOutPreviousProgram() {
  const root = mkdtempSync(join(tmpdir(), 'sendroom-previous-'))
  const archive = execFileSync('git', ['archive', PREVIOUS_COMMIT, 'package.json', ...OWN_PACKAGES], {
    cwd: ROOT,
    maxBuffer: 1e9,
  })
  execFileSync('tar', ['-x'], { cwd: root, input: archive })
  linkDependencies(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

/** Links each dependency by itself, because its own packages must be those of that commit. */
function linkDependencies(from: string, to: string) {
  mkdirSync(join(to, '@sendroom'), { recursive: true })
  for (const name of readdirSync(from))
    if (name !== '@sendroom') symlinkSync(join(from, name), join(to, name))
  for (const name of OWN_PACKAGES) symlinkSync(join(to, '..', name), join(to, '@sendroom', name))
}
