import { defineConfig } from '@playwright/test'
import { browserOptions } from './browser.ts'

export default defineConfig({
  testMatch: '*.spec.ts',
  outputDir: '../.tmp/e2e',
  globalSetup: './global-setup.ts',
  fullyParallel: true,
  // Each has a Sendroom, a PostgreSQL and a browser of its own. More than cores: they often wait.
  workers: 3,
  forbidOnly: true,
  // Generous: the machine may do other things as well. A condition is waited for, never a time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: await browserOptions(),
    locale: 'en-GB',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    // Without the film: taking it is a sixth of all the work, for stories that pass. The trace has each step's page anyhow.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
  },
})
