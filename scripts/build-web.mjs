/** npm run build: builds web/dist if it is missing or its sources have changed. Other scripts import the function. */
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

/**
 * Builds web/dist unless its stamp matches the sources. Throws with the output of Vite if the build fails. Another
 * process may build or serve at the same time, so the build goes to a temporary folder and is then moved.
 */
export function buildWebWhenStale() {
  const sourceHash = hashOf(SOURCES)
  if (readStamp() === sourceHash) return
  console.log('Building the web app, for up to a minute. Later starts skip this.')
  mkdirSync(join(web, '.tmp'), { recursive: true })
  const temporary = mkdtempSync(join(web, '.tmp', 'build-'))
  try {
    const built = join(temporary, 'dist')
    buildInto(built)
    writeFileSync(join(built, STAMP), sourceHash)
    replaceDist(built, temporary)
  } finally {
    rmSync(temporary, { recursive: true })
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

/** Returns the hash of the sources that web/dist was built from, null without a build. */
function readStamp() {
  const stamp = join(dist, STAMP)
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
}

function buildInto(folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [commandOf('vite'), 'build', '--outDir', folder, '--logLevel', 'warn'],
    // Test runners set NODE_ENV to test, which would build React's development version.
    { cwd: web, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (status !== 0) throw new Error(`The web app could not be built:\n${stdout}${stderr}`)
}

/**
 * Moves the new build to web/dist. A rename onto a folder with files fails, so the old build moves away first. If
 * another process puts a build there in between, the loop moves that build away too.
 */
function replaceDist(built, temporary) {
  for (let attempt = 1; ; attempt += 1) {
    rename(dist, join(temporary, `old-${attempt}`), 'ENOENT')
    if (rename(built, dist, 'ENOTEMPTY', 'EEXIST')) return
  }
}

/** Returns false if the rename fails with an expected error code. */
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
