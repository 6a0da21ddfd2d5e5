import { addInstance, groupsOf, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, toast } from './steps.ts'

//
test('a job with a half-typed time is sent neither by Enter nor by the button until the time is cleared', async ({
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Schedule'))
  const groupIds = (await groupsOf(admin, instance, 'VIP')).map(({ id }) => id)
  const text = `At the time of ${instance.name}`
  await admin.call('POST /messages', { body: { textContent: text, instanceId: instance.id, groupIds } })
  const page = await openAs(admin, '/jobs/new')
  await choose(page, 'Message', text)
  await expect(page.getByText(`${groupIds.length} selected`)).toBeVisible()
  const time = page.getByLabel('Scheduled at')
  const error = page.getByText('Enter both date and time')
  const typeDate = async () => {
    // The position of the input's first part.
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
