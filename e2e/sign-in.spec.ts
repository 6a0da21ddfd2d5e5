import { expect, test } from './scenario.ts'

test('after signing in, a visitor is back on the requested page', async ({ page, sendroom }) => {
  await page.goto('/groups?page=1&search=nobody')
  await expect(page).toHaveURL(/\/login\?returnUrl=/)
  await page.getByLabel('Ngôn ngữ').selectOption('en')
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(sendroom.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Groups' })).toBeVisible()
  await expect(page).toHaveURL(/\/groups\?.*search=nobody/)
  await expect(page.getByRole('searchbox')).toHaveValue('nobody')
  await expect(page.getByText('Login successful!')).toBeVisible()
})
