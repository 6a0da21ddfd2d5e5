import { Secret, TOTP } from 'otpauth'
import { addMember } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { signIn, toast } from './steps.ts'

/** Returns what the app on the user's phone shows at this moment. */
const codeAt = (secret: string, timestamp: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

test('a user sets up a second factor, signs in with app and recovery code, and an Admin resets the factor', async ({
  sendroom,
  admin,
  openAs,
  page,
}) => {
  const member = await addMember(admin, { use: [], canSendMessages: true, canCreateJobs: true })
  const own = await openAs(await sendroom.signIn(member.username, member.password), '/security')
  let secret = ''
  let recoveryCode = ''

  await test.step('set-up with the QR code', async () => {
    await own.getByRole('button', { name: 'Set up' }).click()
    const dialog = own.getByRole('dialog', { name: 'Set up the second factor' })
    await expect(dialog.getByRole('img', { name: /^QR code/ })).toBeVisible()
    secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    await dialog.getByLabel('The code that the app shows').fill(codeAt(secret, Date.now()))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    const codes = dialog.getByRole('listitem')
    await expect(codes).toHaveCount(10)
    recoveryCode = (await codes.first().textContent()) ?? ''
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await expect(own.getByText('Recovery codes left: 10')).toBeVisible()
  })

  await test.step('sign-in with password and code', async () => {
    await page.goto('/login')
    await signIn(page, member.username, member.password)
    const code = page.getByLabel('Code')
    await code.fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toContainText('This code is wrong')
    // The code of the set-up was used. The next one is taken before its time has come.
    await code.fill(codeAt(secret, Date.now() + 30_000))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  await test.step('sign-in with a recovery code', async () => {
    await page.evaluate(() => localStorage.clear())
    await page.goto('/login')
    await signIn(page, member.username, member.password)
    await page.getByLabel('Code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  await test.step('a reset by an Admin ends the sessions, and the password is enough again', async () => {
    const adminPage = await openAs(admin, `/users/edit/${member.id}`)
    await adminPage.getByRole('button', { name: 'Reset second factor' }).click()
    await adminPage.getByRole('dialog').getByRole('button', { name: 'Reset second factor' }).click()
    await expect(toast(adminPage, 'Second factor reset.')).toBeVisible()
    await page.reload()
    await expect(page).toHaveURL(/\/login/)
    await signIn(page, member.username, member.password)
    await expect(page).toHaveURL(/\/dashboard$/)
  })
})
