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

/**
 * The tests with real processes first: they are the longest and mostly wait, so that others can run beside them. The
 * others by project, because a process is used again only for the same one.
 */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) =>
      /server\/test\/(system|chaos|rolling|failover)\//.test(moduleId)
    const others = sorted.filter((file) => !isLong(file))
    const byProject = Object.values(Object.groupBy(others, ({ project }) => project.name))
    return [...sorted.filter(isLong), ...byProject.flatMap((group) => group ?? [])]
  }
}

/** Tests of the web app that replace modules, or that look at what a module does when it is first loaded. */
const webAlone = ['web/src/app/crash.test.tsx', 'web/src/i18n/{i18n,load-texts}.test.ts']
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
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], ...patience } },
      { test: { name: 'simulator', include: ['simulator/src/**/*.test.ts'], ...patience } },
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
