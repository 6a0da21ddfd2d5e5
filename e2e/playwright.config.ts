import { defineConfig } from '@playwright/test'
import { browserOptions } from './browser.ts'

const EVERY_PAGE = 'every-page.spec.ts'

export default defineConfig({
  testMatch: '*.spec.ts',
  outputDir: '../.tmp/e2e',
  globalSetup: './global-setup.ts',
  fullyParallel: true,
  // Each worker has its own Sendroom, PostgreSQL and browser. They mostly wait, so there are more workers than cores.
  workers: 4,
  forbidOnly: true,
  // Long timeouts for busy machines. Tests wait for conditions, never for a fixed time.
  timeout: 420_000,
  expect: { timeout: 60_000 },
  use: {
    launchOptions: await browserOptions(),
    locale: 'en-GB',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // No traces, which take a third of the time. `npx playwright test NAME --trace=on` records one.
    screenshot: 'only-on-failure',
  },
  projects: [
    // This one takes longest, so it begins first.
    { name: 'every page', testMatch: EVERY_PAGE },
    { name: 'scenarios', testIgnore: EVERY_PAGE },
  ],
})
