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
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: await browserOptions(),
    locale: 'en-GB',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    // No screenshots in traces: they cost a sixth of the time, and a trace has DOM snapshots of each step anyway.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
  },
  projects: [
    // This one takes longest, so it begins first. Tracing would take a third of its time. Its findings are readable.
    { name: 'every page', testMatch: EVERY_PAGE, use: { trace: 'off' } },
    { name: 'scenarios', testIgnore: EVERY_PAGE },
  ],
})
