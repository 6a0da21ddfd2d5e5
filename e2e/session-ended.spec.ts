import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { signIn, toast } from './steps.ts'

test('after an expired session and a new sign-in the user is back on the same page', async ({
  sendroom,
  admin,
  openAs,
}) => {
  // Two instances together have more such groups than fit on one page.
  await addInstance(admin, uniqueName('Return'))
  await addInstance(admin, uniqueName('Return'))
  const user = await sendroom.signIn()
  const page = await openAs(user, '/settings')
  // Without an event stream the page reads nothing by itself, so the click below is what finds the session ended.
  await page.route('**/api/events', () => {})
  await page.goto(`/groups?search=${encodeURIComponent('VIP customers')}`)
  await expect(page.getByText(/^Showing 1 to 10 of /)).toBeVisible()
  await admin.call('DELETE /users/:id/sessions', { params: { id: user.session.user.id } })

  await page.getByRole('button', { name: 'Page 2' }).click()
  await expect(toast(page, 'Unauthorized. Please log in.')).toHaveCount(1)
  await expect(page).toHaveURL(/\/login\?returnUrl=/)
  expect(await page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('user')])).toEqual([
    null,
    null,
  ])

  await signIn(page, 'admin', sendroom.password)
  await expect(page).toHaveURL(/\/groups\?.*page=2/)
  await expect(page.getByRole('searchbox')).toHaveValue('VIP customers')
  await expect(page.getByText(/^Showing 11 to /)).toBeVisible()
})
