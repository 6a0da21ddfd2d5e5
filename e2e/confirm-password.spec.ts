import { addMember } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { rowOf, toast } from './steps.ts'

test('an Admin whose sign-in is long ago changes a role after entering the password', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const { username } = await addMember(admin, { use: [], canSendMessages: true, canCreateJobs: true })
  const page = await openAs(admin, '/users')
  await rowOf(page, username).getByRole('button', { name: 'Edit' }).click()
  // A running server's clock can't be moved. So the first answer is the one that the server gives ten minutes later.
  let isFirst = true
  await page.route('**/api/users/*', (route) => {
    if (!isFirst || route.request().method() !== 'PUT') return route.fallback()
    isFirst = false
    return route.fulfill({ status: 403, json: { code: 'confirm_password', error: '', params: {} } })
  })
  await page.getByLabel('Role').selectOption('Admin')
  await page.getByRole('button', { name: 'Save' }).click()

  const dialog = page.getByRole('dialog', { name: 'Confirm with your password' })
  const password = dialog.getByLabel('Your current password')
  await expect(password).toBeFocused()
  await password.fill('not the password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('This is not your password.')).toBeVisible()
  await password.fill(sendroom.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()

  await expect(toast(page, 'User updated successfully!')).toBeVisible()
  await expect(rowOf(page, username)).toContainText('Admin')
})
