import { addMember } from './scene.ts'
import { toast } from './steps.ts'
import { expect, test } from './story.ts'

test('one changes the password: a slip is told, the session stays, and the old password is none any more', async ({
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

  await test.step('a slip', async () => {
    await dialog.getByLabel('New password').fill('a better secret')
    await dialog.getByLabel('Confirm password').fill('a bitter secret')
    const alert = page.waitForEvent('dialog')
    const sent = submit.click()
    const said = await alert
    expect(said.message()).toBe('The passwords do not match.')
    await said.accept()
    await sent
    await sendroom.signIn(member.username, member.password)
  })

  await test.step('the right one; the page reloads by itself', async () => {
    await page.evaluate(() => Object.assign(window, { isOldPage: true }))
    await dialog.getByLabel('Confirm password').fill('a better secret')
    await submit.click()
    await expect(toast(page, 'Your password updated successfully!')).toBeVisible()
    await page.waitForFunction(() => !('isOldPage' in window))
    await expect(page.getByRole('heading', { name: 'Messages' })).toBeVisible()
  })

  await sendroom.signIn(member.username, 'a better secret')
  await expect(sendroom.signIn(member.username, member.password)).rejects.toThrow('answered 401')
})
