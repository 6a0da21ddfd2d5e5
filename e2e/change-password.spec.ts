import { addMember } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { toast } from './steps.ts'

test('a user changes their password: a typo is refused, the session stays, and the old password stops working', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const member = await addMember(admin, { use: [], canSendMessages: true, canCreateJobs: true })
  const page = await openAs(await sendroom.signIn(member.username, member.password), '/messages')
  await page.getByRole('button', { name: member.username }).click()
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change password' })
  const submit = dialog.getByRole('button', { name: 'Change password' })

  await test.step('a typo in the confirmation is refused', async () => {
    await dialog.getByLabel('New password').fill('a better secret')
    await dialog.getByLabel('Confirm password').fill('a bitter secret')
    const alert = page.waitForEvent('dialog')
    const submitted = submit.click()
    const dialogEvent = await alert
    expect(dialogEvent.message()).toBe('The passwords do not match.')
    await dialogEvent.accept()
    await submitted
    await sendroom.signIn(member.username, member.password)
  })

  await test.step('the change succeeds and the page reloads', async () => {
    await page.evaluate(() => Object.assign(window, { isOldPage: true }))
    await dialog.getByLabel('Confirm password').fill('a better secret')
    await submit.click()
    // However lately the user has signed in.
    const present = page.getByRole('dialog', { name: 'Confirm with your password' })
    await present.getByLabel('Your current password').fill(member.password)
    await present.getByRole('button', { name: 'Continue' }).click()
    await expect(toast(page, 'Your password updated successfully!')).toBeVisible()
    await page.waitForFunction(() => !('isOldPage' in window))
    await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible()
  })

  await sendroom.signIn(member.username, 'a better secret')
  await expect(sendroom.signIn(member.username, member.password)).rejects.toThrow('answered 401')
})
