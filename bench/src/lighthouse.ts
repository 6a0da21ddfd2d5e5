/**
 * How does Lighthouse rate the login and the dashboard of the built web app on a phone? npx fetches Lighthouse on
 * demand, because its 180 MB are too much for every `npm ci`. The reports are in .tmp/lighthouse/.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { storageOf } from '../../e2e/api.ts'
import { browserOptions } from '../../e2e/browser.ts'
import { furnish } from '../../e2e/gallery.ts'
import { Sendroom } from '../../e2e/sendroom.ts'
import { printTable } from './table.ts'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const RUNS = 3
const REPORTS = join(import.meta.dirname, '../../.tmp/lighthouse')

type Report = {
  categories: Record<'performance' | 'accessibility', { score: number }>
  audits: Record<string, { numericValue: number }>
}

const sendroom = await Sendroom.start()
const profile = await mkdtemp(join(tmpdir(), 'sendroom-lighthouse-'))
await mkdir(REPORTS, { recursive: true })
const port = '9333'
const options = await browserOptions()
const browser = await chromium.launchPersistentContext(profile, {
  ...options,
  args: [...(options.args ?? []), `--remote-debugging-port=${port}`],
})
try {
  const painter = await chromium.launch(options)
  const { session } = (await furnish(sendroom, painter)).admin
  await painter.close()

  const rows = await audit('login', '/login')
  const page = await browser.newPage()
  await page.goto(`${sendroom.url}/login`)
  await page.evaluate((stored) => Object.assign(localStorage, stored), storageOf(session, 'en'))
  await page.close()
  rows.push(...(await audit('dashboard', '/dashboard')))
  printTable('Lighthouse, mobile (budget: performance 98, accessibility 100)', rows)
} finally {
  await browser.close()
  await sendroom.stop()
  await rm(profile, { recursive: true, force: true })
}

async function clearCache() {
  const page = await browser.newPage()
  await (await browser.newCDPSession(page)).send('Network.clearBrowserCache')
  await page.close()
}

async function audit(name: string, path: string) {
  const rows = []
  for (let run = 1; run <= RUNS; run++) {
    const file = join(REPORTS, `${name}-${run}.json`)
    const flags = ['--quiet', '--output=json', `--output-path=${file}`, `--port=${port}`]
    // A storage reset would end the session. `clearCache` empties only the cache, so that every run loads all files.
    flags.push('--disable-storage-reset', '--only-categories=performance,accessibility')
    await clearCache()
    await promisify(execFile)('npx', ['--yes', LIGHTHOUSE, sendroom.url + path, ...flags])
    const { categories, audits }: Report = JSON.parse(await readFile(file, 'utf8'))
    const value = (audit: string) => audits[audit]?.numericValue ?? Number.NaN
    rows.push({
      page: name,
      performance: categories.performance.score * 100,
      accessibility: categories.accessibility.score * 100,
      'first paint, ms': value('first-contentful-paint'),
      'largest paint, ms': value('largest-contentful-paint'),
      'blocked, ms': value('total-blocking-time'),
      shift: value('cumulative-layout-shift').toFixed(3),
      'kB loaded': value('total-byte-weight') / 1000,
    })
  }
  return rows
}
