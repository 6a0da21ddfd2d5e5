import { expect, test } from './scenario.ts'

//
test('the sidebar is always visible on wide screens and opens by a button on narrow ones', async ({
  admin,
  openAs,
}) => {
  const page = await openAs(admin, '/users')
  const sidebar = page.getByRole('complementary')
  const main = page.getByRole('main')
  await expect(sidebar).toBeVisible()
  expect((await sidebar.boundingBox())?.width).toBe(250)
  expect((await main.boundingBox())?.x).toBe(250)

  await page.setViewportSize({ width: 360, height: 740 })
  await expect(sidebar).toBeHidden()
  expect((await main.boundingBox())?.x).toBe(0)
  await page.getByRole('button', { name: 'Main menu' }).click()
  await sidebar.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await expect(sidebar).toBeHidden()
})

//
test('toasts appear at the bottom right', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/users/new')
  await page.getByRole('button', { name: 'Save' }).click()
  const toast = page.getByRole('alert').filter({ hasText: 'Please correct the form errors.' })
  await expect(toast).toBeVisible()
  const box = await toast.boundingBox()
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  expect(box?.x).toBeGreaterThan(width / 2)
  expect(box?.y).toBeGreaterThan(height / 2)
})

test('signing out in one tab signs out the other, and signing in opens both again', async ({
  sendroom,
  openAs,
}) => {
  const one = await openAs(await sendroom.signIn(), '/groups')
  const two = await one.context().newPage()
  await two.goto('/messages')
  await expect(two.getByRole('heading', { name: 'Messages' })).toBeVisible()

  await one.getByRole('button', { name: 'User menu of admin' }).click()
  await one.getByRole('button', { name: 'Logout' }).click()
  await expect(two).toHaveURL(/\/login\?returnUrl=%2Fmessages$/)

  await one.getByLabel('Username').fill('admin')
  await one.getByLabel('Password', { exact: true }).fill(sendroom.password)
  await one.getByRole('button', { name: 'Sign in' }).click()
  await expect(one.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  await expect(two.getByRole('heading', { name: 'Messages' })).toBeVisible()
})

test('a dialog traps the focus and returns it', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/users')
  const opener = page.getByRole('row', { name: 'admin@localhost' }).getByRole('button', { name: 'Delete' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete user' })
  await expect(dialog.getByRole('button', { name: 'Delete' })).toBeFocused()
  for (const _ of Array.from({ length: 5 })) {
    await page.keyboard.press('Tab')
    await expect(dialog.locator(':focus')).toHaveCount(1)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
})

test('the color scheme follows the system until the user chooses one, which is stored', async ({
  admin,
  openAs,
}) => {
  const page = await openAs(admin, '/groups')
  const scheme = page.locator('html')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await page.getByRole('button', { name: 'Switch to light mode' }).click()
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Switch to dark mode' })).toBeVisible()
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light')
})
