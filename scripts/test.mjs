/**
 * npm test: the checks, the tests of all rooms, and the browser tests on a freshly built web app.
 * Each stage runs even if an earlier one failed. The last line counts them all.
 */
import './preflight.mjs'
import './temporary.mjs'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWebWhenStale } from './build-web.mjs'
import { runChecks } from './check.mjs'
import { commandOf, compileCache, root } from './root.mjs'

const reports = mkdtempSync(join(tmpdir(), 'sendroom-test-'))

const stages = { checks: runChecks, tests: runVitest, 'browser tests': runPlaywright }

async function runVitest() {
  const file = join(reports, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await run([commandOf('vitest'), 'run', ...reporters], root)
  return counts(code, file, (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(brokeBeforeItsTests).length,
    skipped: report.numPendingTests + report.numTodoTests,
  }))
}

const brokeBeforeItsTests = (file) =>
  file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed')

async function runPlaywright() {
  buildWebWhenStale()
  const file = join(reports, 'playwright.json')
  const command = [commandOf('@playwright/test', 'playwright'), 'test', '--reporter=list,json']
  const code = await run(command, join(root, 'e2e'), { PLAYWRIGHT_JSON_OUTPUT_FILE: file })
  return counts(code, file, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }))
}

function run(args, cwd, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    // Each test file begins in a new process, and loads much the same.
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', resolve))
}

/** A runner that ends badly without naming a failed test, or without a report, has failed itself. */
function counts(code, file, read) {
  if (!existsSync(file)) throw new Error(`Ended with exit code ${code} and without a report.`)
  const result = read(JSON.parse(readFileSync(file, 'utf8')))
  return code === 0 || result.failed > 0 ? result : { ...result, failed: 1 }
}

async function runStage([name, stage]) {
  console.log(`\n── ${name} ──`)
  try {
    return [name, await stage()]
  } catch (error) {
    console.error(error.message)
    return [name, { passed: 0, failed: 1, skipped: 0 }]
  }
}

const inWords = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const results = []
for (const stage of Object.entries(stages)) results.push(await runStage(stage))
rmSync(reports, { recursive: true })

console.log()
for (const [name, result] of results) console.log(`${name}: ${inWords(result)}`)
const sum = (count) => results.reduce((total, [, result]) => total + result[count], 0)
const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
console.log(inWords(total))
process.exitCode = total.failed === 0 ? 0 : 1
