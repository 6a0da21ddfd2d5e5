import { addAccount, groupsOf, named } from './scene.ts'
import { choose, toast } from './steps.ts'
import { expect, test } from './story.ts'

//
test('a job whose time is typed in part is not sent: neither by Enter nor by its button, until it is cleared', async ({
  admin,
  openAs,
}) => {
  const account = await addAccount(admin, named('Schedule'))
  const groupIds = (await groupsOf(admin, account, 'VIP')).map(({ id }) => id)
  const text = `At the time of ${account.name}`
  await admin.call('POST /messages', { body: { textContent: text, instanceId: account.id, groupIds } })
  const page = await openAs(admin, '/jobs/new')
  await choose(page, 'Message', text)
  await expect(page.getByText(`${groupIds.length} selected`)).toBeVisible()
  const time = page.getByLabel('Scheduled at')
  const error = page.getByText('Enter both the date and the time')
  const typeDate = async () => {
    // Where its first part is.
    await time.click({ position: { x: 15, y: 15 } })
    await page.keyboard.type('01052099')
  }
  const clear = async () => {
    for (let part = 0; part < 6; part++) {
      await page.keyboard.press('Backspace')
      await page.keyboard.press('Shift+Tab')
    }
  }

  await typeDate()
  await page.keyboard.press('Enter')
  await expect(error).toBeVisible()
  await page.getByRole('button', { name: 'Create job' }).click()
  await expect(time).toBeFocused()
  await expect(page).toHaveURL(/\/jobs\/new$/)

  await page.keyboard.type('01052099')
  await clear()
  await time.press('Enter')
  await expect(toast(page, 'Job created successfully!')).toBeVisible()
})
