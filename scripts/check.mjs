/** npm run check: all static checks. `npm test` runs them too. */
import './preflight.mjs'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOf, root } from './root.mjs'

const workspaces = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces

/** The results for unchanged files are kept here, so that a second run takes a third of the time. */
const cache = join(root, 'node_modules/.cache/check')
const incrementally = (workspace) => [
  '--incremental',
  '--tsBuildInfoFile',
  join(cache, `${workspace}.tsbuildinfo`),
]

/** The arguments of `node` for each check. Slow checks come first, so that none runs alone at the end. */
const checks = {
  'import rules': [commandOf('dependency-cruiser'), '--config', '.dependency-cruiser.cjs', ...workspaces],
  'unused code': [commandOf('knip'), '--no-progress', '--cache', '--cache-location', join(cache, 'knip')],
  'lint and format': [commandOf('@biomejs/biome'), 'check', '--error-on-warnings', '--colors=off'],
  ...Object.fromEntries(
    workspaces.map((workspace) => [
      `types: ${workspace}`,
      [commandOf('@typescript/native', 'tsc'), '-p', workspace, ...incrementally(workspace)],
    ]),
  ),
  translations: ['scripts/check-translations.mjs'],
  requirements: ['scripts/check-conformance.mjs'],
  links: ['scripts/check-links.mjs'],
  comments: ['scripts/check-comments.mjs'],
  'lock file': ['scripts/complete-lock.mjs', '--check'],
}

/** Runs all checks, at most four at a time, and prints a line for each. Returns how many passed and failed. */
export async function runChecks() {
  const waiting = Object.entries(checks)
  let failed = 0
  const runNext = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      if (!(await run(...check))) failed += 1
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, runNext))
  return { passed: Object.keys(checks).length - failed, failed, skipped: 0 }
}

async function run(name, args) {
  const startedAt = performance.now()
  const { code, output } = await outputOf(args)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(18)} ${seconds} s`)
  if (code !== 0 || name === 'requirements') console.log(output.trimEnd().replace(/^/gm, '      '))
  return code === 0
}

function outputOf(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await runChecks()
  process.exitCode = failed === 0 ? 0 : 1
}
