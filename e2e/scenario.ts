import { type BrowserContext, test as base, type Page } from '@playwright/test'
import { type Api, storageOf } from './api.ts'
import { Sendroom } from './sendroom.ts'

type PerWorker = { sendroom: Sendroom; workerAdmin: Api }
type PerTest = {
  /** Signed in as the first Admin. */
  admin: Api
  /** A new, empty Sendroom for this scenario alone. */
  fresh: Sendroom
  /** Opens a page in English on which the user is signed in. */
  openAs: (user: Api, path: string) => Promise<Page>
}

/**
 * Playwright's `test` with a real Sendroom. The scenarios of a worker share one, so each adds the instances and users
 * it needs under unique names. On `page` nobody is signed in.
 */
export const test = base.extend<PerTest, PerWorker>({
  sendroom: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from the pattern
    async ({}, use) => {
      const sendroom = await Sendroom.start()
      await use(sendroom)
      await sendroom.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  admin: async ({ workerAdmin }, use) => {
    await workerAdmin.confirm()
    await use(workerAdmin)
  },
  workerAdmin: [async ({ sendroom }, use) => use(await sendroom.signIn()), { scope: 'worker' }],
  baseURL: ({ sendroom }, use) => use(sendroom.url),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  fresh: async ({}, use) => {
    const sendroom = await Sendroom.start()
    await use(sendroom)
    await sendroom.stop()
  },
  openAs: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (user, path) => {
      const { url } = user
      const stored = storageOf(await user.anotherSession(), 'en')
      const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }))
      const storageState = { cookies: [], origins: [{ origin: url, localStorage }] }
      const context = await browser.newContext({ baseURL: url, storageState })
      contexts.push(context)
      const page = await context.newPage()
      await page.goto(path)
      return page
    })
    for (const context of contexts) await context.close()
  },
})

export { expect } from '@playwright/test'
