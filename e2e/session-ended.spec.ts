import { addAccount, named } from './scene.ts'
import { signIn, toast } from './steps.ts'
import { expect, test } from './story.ts'

test('when the session has ended one signs in again and is back where one was', async ({
  sendroom,
  admin,
  openAs,
}) => {
  // Two accounts have more such groups than one page shows.
  await addAccount(admin, named('Return'))
  await addAccount(admin, named('Return'))
  const user = await sendroom.signIn()
  const page = await openAs(user, `/groups?search=${encodeURIComponent('VIP customers')}`)
  await expect(page.getByText(/^Showing 1 to 10 of /)).toBeVisible()
  // It asks anew when its stream of changes begins; from then on it is silent until somebody asks for more.
  await page.waitForFunction(
    () =>
      performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/api/groups/search'))
        .length > 1,
  )
  await user.call('POST /auth/logout', {})

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
