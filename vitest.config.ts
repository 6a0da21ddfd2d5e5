import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** For machines that do other things as well: no test is about time. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // More than cores: the tests with real processes mostly wait.
    maxWorkers: 3,
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], ...patience } },
      { test: { name: 'simulator', include: ['simulator/src/**/*.test.ts'], ...patience } },
      { test: { name: 'scripts', include: ['scripts/**/*.test.mjs'], ...patience } },
      {
        test: {
          name: 'server',
          include: ['server/{src,test}/**/*.test.ts'],
          globalSetup: 'server/test/global-setup.ts',
          ...patience,
        },
      },
      {
        test: {
          name: 'web',
          include: ['web/{src,test}/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          setupFiles: [join(import.meta.dirname, 'web/test/setup.ts')],
          ...patience,
        },
      },
    ],
  },
})
