/** Builds web/dist when it is missing or older than its sources. `npm run build` runs it by hand. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOf, root } from './root.mjs'

const web = join(root, 'web')
const dist = join(web, 'dist')
const STAMP = '.built-from'
const SOURCES = [
  'web/src',
  'web/public',
  'web/index.html',
  'web/vite.config.ts',
  'contract/src',
  'package-lock.json',
]

/** Throws with the build's own output if it fails. Another start may build or serve at the same moment. */
export function buildWebWhenStale() {
  const wanted = hashOf(SOURCES)
  if (builtFrom() === wanted) return
  mkdirSync(join(web, '.tmp'), { recursive: true })
  const workshop = mkdtempSync(join(web, '.tmp', 'build-'))
  try {
    const fresh = join(workshop, 'dist')
    buildInto(fresh)
    writeFileSync(join(fresh, STAMP), wanted)
    replaceDist(fresh, workshop)
  } finally {
    rmSync(workshop, { recursive: true })
  }
}

function hashOf(sources) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(filesIn)) {
    const content = readFileSync(join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function filesIn(path) {
  const folder = readdirOrNull(path)
  return folder === null ? [path] : folder.sort().flatMap((name) => filesIn(`${path}/${name}`))
}

function readdirOrNull(path) {
  try {
    return readdirSync(join(root, path))
  } catch (error) {
    if (error.code === 'ENOTDIR') return null
    throw error
  }
}

function builtFrom() {
  const stamp = join(dist, STAMP)
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
}

function buildInto(folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [commandOf('vite'), 'build', '--outDir', folder, '--logLevel', 'warn'],
    // A test's NODE_ENV would build React's development version.
    { cwd: web, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (status !== 0) throw new Error(`The web app could not be built:\n${stdout}${stderr}`)
}

/** A folder can't be renamed onto a full one, so the old one moves away first; of two at once the last wins. */
function replaceDist(fresh, workshop) {
  for (let turn = 1; ; turn += 1) {
    rename(dist, join(workshop, `old-${turn}`), 'ENOENT')
    if (rename(fresh, dist, 'ENOTEMPTY', 'EEXIST')) return
  }
}

/** False if it failed in one of the expected ways. */
function rename(from, to, ...expected) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (expected.includes(error.code)) return false
    throw error
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await import('./preflight.mjs')
  buildWebWhenStale()
}
