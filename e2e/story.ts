import { type BrowserContext, test as base, type Page } from '@playwright/test'
import type { Api } from './api.ts'
import { Sendroom } from './sendroom.ts'

type PerWorker = { sendroom: Sendroom; admin: Api }
type PerTest = {
  /** A Sendroom of this story alone, as on an empty machine. */
  fresh: Sendroom
  /** Opens a page of the user's Sendroom at which they are signed in already, in English. */
  openAs: (user: Api, path: string) => Promise<Page>
}

/**
 * A story plays on a real Sendroom, one for each worker, shared by its stories: each makes the accounts and
 * users it needs under names of its own. `page` is a browser where nobody has signed in yet.
 */
export const test = base.extend<PerTest, PerWorker>({
  sendroom: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs
    async ({}, use) => {
      const sendroom = await Sendroom.start()
      await use(sendroom)
      await sendroom.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  admin: [async ({ sendroom }, use) => use(await sendroom.signIn()), { scope: 'worker' }],
  baseURL: ({ sendroom }, use) => use(sendroom.url),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  fresh: async ({}, use) => {
    const sendroom = await Sendroom.start()
    await use(sendroom)
    await sendroom.stop()
  },
  openAs: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    await use(async ({ session, url }, path) => {
      const stored = { token: session.token, user: JSON.stringify(session.user), lang: 'en' }
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
