/**
 * npm run guards -- [--only REGEXP]: removes each guard of the API in turn (guards.ts), runs the tests of the access
 * matrix that concern it, and says how many of their cells fail. The exit code is 1 if a guard can go unnoticed. The
 * files stay as they are: the changed sources exist only in the test runner.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest, type TestModule, type TestProject } from 'vitest/node'
import type { DatabaseAddress } from '../../src/database-url.ts'
import setUp from '../global-setup.ts'
import { applyChanges } from '../source-changes.ts'
import type { Guard } from './guard.ts'
import { guards } from './guards.ts'

const MATRIX = 'server/test/access'

const print = (text: string) => process.stdout.write(`${text}\n`)

/** A test with the number of its cells. A test that fails without counting its cells is one wrong cell. */
type Ran = { name: string; all: number; wrong: number }

/** Runs tests with some sources changed. */
async function run(
  cluster: DatabaseAddress,
  { changes, tests = MATRIX, only }: Omit<Guard, 'name'>,
): Promise<Ran[]> {
  const applied = new Set<string>()
  const plugin = {
    name: 'remove-guard',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      const changed = applyChanges(changes, id, code)
      if (changed !== code) applied.add(id)
      return changed
    },
  }
  const vitest = await startVitest(
    'test',
    [tests],
    {
      root: join(import.meta.dirname, '../../..'),
      config: false,
      watch: false,
      // Otherwise the next run would load the changed sources from the disk.
      fsModuleCache: false,
      include: ['server/{src,test}/**/*.test.ts'],
      provide: { testCluster: cluster },
      testTimeout: 30_000,
      reporters: [{}],
      maxWorkers: 3,
      // `each` finds a test by the endpoint in its name, which is cut off after 40 characters otherwise.
      taskTitleValueFormatTruncate: 0,
      ...(only && { testNamePattern: only }),
    },
    { plugins: [plugin] },
  )
  const ran = vitest.state.getTestModules().flatMap(testsOf)
  await vitest.close()
  // The failed tests are what we want.
  process.exitCode = 0
  if (changes.length > 0 && applied.size === 0) throw new Error('No test loads the changed source.')
  return ran
}

function testsOf(module: TestModule): Ran[] {
  const [error] = module.errors()
  if (error) throw new Error(`${module.moduleId}: ${error.message}`)
  const tests = [...module.children.allTests()].filter((test) => test.result().state !== 'skipped')
  return tests.map((test) => {
    const { all, wrong } = test.meta().cells ?? { all: 1, wrong: 0 }
    return { name: test.name, all, wrong: test.result().state === 'failed' ? Math.max(wrong, 1) : 0 }
  })
}

const sum = (ran: Ran[]) => ({
  all: ran.reduce((total, { all }) => total + all, 0),
  wrong: ran.reduce((total, { wrong }) => total + wrong, 0),
})

/** Starts the PostgreSQL that all runs share. */
async function startCluster() {
  let cluster: DatabaseAddress | undefined
  const project = {
    provide: (name: string, value: DatabaseAddress) => {
      if (name === 'testCluster') cluster = value
    },
  }
  const stop = await setUp(project as unknown as TestProject) // the set-up only calls this method
  if (!cluster) throw new Error('The set-up has provided no cluster.')
  return { cluster, stop }
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const began = performance.now()
const { cluster, stop } = await startCluster()
const matrix = values.only === '' ? sum(await run(cluster, { changes: [] })) : null
if (matrix) print(`The access matrix has ${matrix.all} cells, ${matrix.wrong} of them wrong.\n`)

let removed = 0
const unnoticed: string[] = []
function report(name: string, ran: Ran[]) {
  const { all, wrong } = sum(ran)
  print(
    `${String(wrong).padStart(4)} of ${String(all).padStart(3)}  ${name}${wrong === 0 ? '  UNNOTICED' : ''}`,
  )
  removed += 1
  if (wrong === 0) unnoticed.push(name)
}

print('Cells that fail without the guard, and cells that were tried:')
for (const guard of guards.filter(({ name }) => new RegExp(values.only).test(name))) {
  const ran = await run(cluster, guard)
  for (const part of guard.each ?? [])
    report(
      `${guard.name}: ${part}`,
      ran.filter(({ name }) => name.startsWith(`${part} `)),
    )
  if (!guard.each) report(guard.name, ran)
}
await stop()
const seconds = ((performance.now() - began) / 1000).toFixed(0)
print(`\n${removed} guards in ${seconds} s, ${unnoticed.length} of them can go unnoticed.`)
process.exit(unnoticed.length === 0 && !matrix?.wrong ? 0 : 1)
