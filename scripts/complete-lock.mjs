/**
 * Adds missing platform packages to package-lock.json. With --check the script only fails if any are missing.
 *
 * Some registries lack packages of other platforms. `npm install` silently leaves those out of the lock file, and
 * `npm ci` then rejects the lock file ("Missing: … from lock file"). An entry with a version and a platform is enough:
 * `npm ci` skips packages of other platforms.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SYSTEMS = { win: 'win32', windows: 'win32', macos: 'darwin' }
const SYSTEM =
  /\b(aix|android|darwin|freebsd|linux|macos|netbsd|openbsd|openharmony|sunos|win|win32|windows)\b/
const CPU = /\b(arm64|arm|ia32|loong64|mips64el|ppc64|ppc|riscv64|s390x|wasm32|x64)/
const LIBC = /(?:-|linux)(musl|gnu|glibc)/

/**
 * Returns the platform in a package name, e.g. `@biomejs/cli-linux-x64-musl`, as the lock file's `os`, `cpu`, `libc`.
 */
export function platformOf(name) {
  const system = SYSTEM.exec(name)?.[1]
  const cpu = CPU.exec(name)?.[1]
  const libc = LIBC.exec(name)?.[1]
  return {
    ...(system && { os: [SYSTEMS[system] ?? system] }),
    ...(cpu && { cpu: [cpu] }),
    ...(system === 'linux' && libc && { libc: [libc === 'musl' ? 'musl' : 'glibc'] }),
  }
}

/** Returns the entries that optionalDependencies name and `packages` lacks, as pairs `[path, entry]`. */
export function missingEntries(packages) {
  const missing = new Map()
  for (const [path, owner] of Object.entries(packages)) {
    for (const [name, wanted] of Object.entries(owner.optionalDependencies ?? {})) {
      if (isLocked(packages, path, name)) continue
      const version = wanted.replace(/^[~^]/, '')
      const dev = owner.dev && { dev: true }
      missing.set(`node_modules/${name}`, { version, ...dev, optional: true, ...platformOf(name) })
    }
  }
  return [...missing]
}

/** Whether Node would find the package: in the node_modules of `from`, or of a folder above. */
function isLocked(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder && `${folder}/`}node_modules/${name}`]) return true
    if (!folder.includes('node_modules/')) return Boolean(packages[`node_modules/${name}`])
  }
}

function main() {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingEntries(lock.packages)
  if (missing.length === 0) return
  const names = missing.map(([path]) => path.replace('node_modules/', '')).join(', ')
  if (process.argv.includes('--check')) {
    console.error(`package-lock.json lacks ${names}.\nRun: node scripts/complete-lock.mjs`)
    process.exitCode = 1
    return
  }
  const entries = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) })
  lock.packages = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`Added ${names}.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
