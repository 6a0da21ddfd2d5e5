import { defineConfig } from '@playwright/test'
import { browserOptions } from './browser.ts'

export default defineConfig({
  testMatch: '*.spec.ts',
  outputDir: '../.tmp/e2e',
  globalSetup: './global-setup.ts',
  fullyParallel: true,
  // Each has a Sendroom, a PostgreSQL and a browser of its own.
  workers: 2,
  forbidOnly: true,
  // Generous: the machine may do other things as well. A condition is waited for, never a time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    launchOptions: await browserOptions(),
    locale: 'en-GB',
    actionTimeout: 20_000,
    navigationTimeout: 30_000,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
})
