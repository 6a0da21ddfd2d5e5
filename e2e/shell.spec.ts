import { expect, test } from './story.ts'

test('[R-345] [R-346] the sidebar has its place where there is room, and opens by a button where there is none', async ({
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

test('[R-432] toasts stand at the bottom right', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/users/new')
  await page.getByRole('button', { name: 'Save' }).click()
  const toast = page.getByRole('alert').filter({ hasText: 'Please correct the form errors.' })
  await expect(toast).toBeVisible()
  const box = await toast.boundingBox()
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  expect(box?.x).toBeGreaterThan(width / 2)
  expect(box?.y).toBeGreaterThan(height / 2)
})
