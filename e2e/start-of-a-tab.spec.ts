import type { Page } from '@playwright/test'
import { expect, test } from './scenario.ts'
import { signIn } from './steps.ts'

const me = '**/api/auth/me'
const stored = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? 'null'))

/** Answers with this status in place of the server, until the page no longer routes the call. */
const refuse = (page: Page, status: number, code: string) =>
  page.route(me, (route) => route.fulfill({ status, json: { code, error: '' } }))

// R-1947, R-1948
test('a reload reads the user beside the code, and draws no page before', async ({ admin, openAs }) => {
  // Not yet a page of the app, whose event stream would read the user once more.
  const page = await openAs(admin, '/i18n/en.json')
  await page.route('**/api/events', (route) => route.abort())
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  await page.route(me, async (route) => {
    calls += 1
    await promise
    await route.continue()
  })
  // An earlier version stored the whole user.
  await page.evaluate((user) => localStorage.setItem('user', JSON.stringify(user)), admin.session.user)
  const code = page.waitForResponse(/users-page.*\.js$/)
  const asked = page.waitForRequest(me)
  await page.goto('/users', { waitUntil: 'commit' })
  await Promise.all([asked, code])
  await page.waitForFunction(() => !document.fonts || document.readyState === 'complete')

  await expect(page.locator('.arriving')).toBeVisible()
  await expect(page.locator('h1, nav, button')).toHaveCount(0)
  expect(await stored(page)).toEqual({ id: admin.session.user.id, role: 'Admin' })

  resolve()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Settings' })).toBeVisible()
  expect(calls).toBe(1)
})

// R-1949
test('a user who could not be read can be read again', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/users')
  await refuse(page, 500, 'internal')
  await page.goto('/groups')
  await expect(page.getByRole('alert')).toContainText('Internal Server Error. Please try again later.')
  await page.unroute(me)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Groups' })).toBeVisible()
})

// R-1949
test('a tab that starts after its session has ended comes back to its page', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const user = await sendroom.signIn()
  const page = await openAs(user, '/users')
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  await page.goto('about:blank')
  await admin.call('DELETE /users/:id/sessions', { params: { id: user.session.user.id } })

  await page.goto('/groups?search=VIP')
  await expect(page).toHaveURL(/\/login\?returnUrl=%2Fgroups%3Fsearch%3DVIP$/)
  await signIn(page, 'admin', sendroom.password)
  await expect(page).toHaveURL(/\/groups\?.*search=VIP/)
  await expect(page.getByRole('heading', { level: 1, name: 'Groups' })).toBeVisible()
})

// R-1947
test('no search and no name is in the browser’s storage', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/groups?search=VIP')
  await expect(page.getByRole('table')).toBeVisible()
  await page.mouse.wheel(0, 500)
  await page.reload()
  await page.getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  const all = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expect(all).toContain('scroll-restoration')
  expect(all).not.toMatch(/VIP|groups|admin@|username|can[A-Z]/)
})
