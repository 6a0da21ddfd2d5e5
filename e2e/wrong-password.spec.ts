import { expect, test } from './scenario.ts'

test('after a wrong password the login shows an alert, keeps the username and can be tried again', async ({
  page,
  sendroom,
}) => {
  await page.goto('/login')
  await page.getByLabel('Ngôn ngữ').selectOption('en')
  const signIn = page.getByRole('button', { name: 'Sign in' })
  await expect(signIn).toBeDisabled()
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await signIn.click()
  await expect(page.getByRole('alert')).toContainText('Login failed.')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByLabel('Username')).toHaveValue('admin')

  await page.getByLabel('Password', { exact: true }).fill(sendroom.password)
  await signIn.click()
  await expect(page).toHaveURL(/\/dashboard$/)
})
