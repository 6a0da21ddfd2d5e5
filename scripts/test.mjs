/**
 * npm test: runs the static checks, Vitest, and the browser tests, on a current build of the web app. Each suite runs
 * even if an earlier one failed. The last line of the output sums up all suites.
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

const suites = { checks: runChecks, tests: runVitest, 'browser tests': runPlaywright }

async function runVitest() {
  // Some tests are of the build. The browser tests use it as well.
  buildWebWhenStale()
  const file = join(reports, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await run([commandOf('vitest'), 'run', ...reporters], root)
  return counts(code, file, (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(failedOutsideTests).length,
    skipped: report.numPendingTests + report.numTodoTests,
  }))
}

/** Whether a file failed without a failed test, e.g. in an import. */
const failedOutsideTests = (file) =>
  file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed')

async function runPlaywright() {
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
    // Every test file starts a process, and all of them load much the same modules.
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', resolve))
}

/** Returns the counts of a report. A bad exit code without a failed test is one failure. Throws without a report. */
function counts(code, file, read) {
  if (!existsSync(file)) throw new Error(`Ended with exit code ${code} and without a report.`)
  const result = read(JSON.parse(readFileSync(file, 'utf8')))
  return code === 0 || result.failed > 0 ? result : { ...result, failed: 1 }
}

async function runSuite([name, runTests]) {
  console.log(`\n── ${name} ──`)
  try {
    return [name, await runTests()]
  } catch (error) {
    console.error(error.message)
    return [name, { passed: 0, failed: 1, skipped: 0 }]
  }
}

const summarize = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const results = []
for (const suite of Object.entries(suites)) results.push(await runSuite(suite))
rmSync(reports, { recursive: true })

console.log()
for (const [name, result] of results) console.log(`${name}: ${summarize(result)}`)
const sum = (count) => results.reduce((total, [, result]) => total + result[count], 0)
const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
console.log(summarize(total))
process.exitCode = total.failed === 0 ? 0 : 1
