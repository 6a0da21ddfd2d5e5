import './scripts/temporary.mjs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** For machines that do other things as well: no test is about time. */
const patience = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The default of one second is too short there.
  expect: { poll: { timeout: 30_000 } },
}

/** A test with real processes takes about as long as this many of the server's other files. */
const OTHERS_BESIDE_LONG = 5

/**
 * The largest project first, because a process is used again only for the same one. In it the tests with real processes
 * are spread among the others. They are the longest and mostly wait: together they would leave the processor idle, and
 * at the end each would be alone.
 */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const byProject = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    return byProject.sort((one, other) => other.length - one.length).flatMap(spread)
  }
}

function spread(files: TestSpecification[]): TestSpecification[] {
  const isLong = ({ moduleId }: TestSpecification) =>
    /server\/test\/(system|chaos|rolling|failover)\//.test(moduleId)
  const others = files.filter((file) => !isLong(file))
  const withOthers = files.filter(isLong).flatMap((long) => [long, ...others.splice(0, OTHERS_BESIDE_LONG)])
  return [...withOthers, ...others]
}

/** Tests of the web app that replace modules, or that look at what a module does when it is first loaded. */
const webAlone = [
  'web/src/app/{crash,texts-away}.test.tsx',
  'web/src/features/dashboard/start.test.tsx',
  'web/src/i18n/{i18n,load-texts}.test.ts',
]
const web = {
  environment: 'happy-dom',
  setupFiles: [join(import.meta.dirname, 'web/test/setup.ts')],
  ...patience,
}

export default defineConfig({
  test: {
    // More than cores, for those that wait. With six, tests that wait for a moment begin to fail.
    maxWorkers: 4,
    sequence: { sequencer: InOrder },
    projects: [
      { test: { name: 'contract', isolate: false, include: ['contract/src/**/*.test.ts'], ...patience } },
      { test: { name: 'simulator', isolate: false, include: ['simulator/src/**/*.test.ts'], ...patience } },
      { test: { name: 'scripts', include: ['scripts/**/*.test.mjs'], ...patience } },
      {
        test: {
          name: 'server',
          // Files share a process, because loading the modules takes as long as a small file's tests.
          isolate: false,
          include: ['server/{src,test}/**/*.test.ts'],
          globalSetup: 'server/test/global-setup.ts',
          ...patience,
        },
      },
      {
        test: {
          name: 'web',
          include: ['web/{src,test}/**/*.test.{ts,tsx}'],
          exclude: webAlone,
          isolate: false,
          ...web,
        },
      },
      { test: { name: 'web, alone', include: webAlone, ...web } },
    ],
  },
})
