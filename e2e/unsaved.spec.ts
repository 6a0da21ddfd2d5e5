import { expect, test } from './scenario.ts'

test('unsaved values survive a cancelled reload, the back button and the end of the session', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const user = await sendroom.signIn()
  const page = await openAs(user, '/messages')
  await page.getByRole('link', { name: 'Add message' }).click()
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill('Half a sen')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })

  await test.step('a reload', async () => {
    const dialogEvent = page.waitForEvent('dialog')
    // Not awaited, because a dismissed reload never ends.
    page.reload().catch(() => {})
    const dialog = await dialogEvent
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await expect(text).toHaveValue('Half a sen')
  })

  await test.step('a reload during a failing send', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      await promise
      await route.abort()
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(text).toBeDisabled()
    const dialogEvent = page.waitForEvent('dialog')
    page.reload().catch(() => {})
    await (await dialogEvent).dismiss()
    resolve()
    await expect(text).toBeEnabled()
    await expect(text).toHaveValue('Half a sen')
    await page.unroute('**/api/messages')
  })

  await test.step('the back button', async () => {
    await page.goBack().catch(() => {})
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect(question).toBeHidden()
    await expect(page).toHaveURL(/\/messages\/new$/)
    await expect(text).toHaveValue('Half a sen')
  })

  await test.step('the end of the session', async () => {
    // Without an event stream the page reads nothing by itself, so the click below is what finds the session ended.
    await page.route('**/api/events', () => {})
    await admin.call('DELETE /users/:id/sessions', { params: { id: user.session.user.id } })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(/\/login\?returnUrl=%2Fmessages%2Fnew$/)
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(sendroom.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(text).toHaveValue('Half a sen')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('row', { name: 'Half a sen' })).toBeVisible()
  })
})

// R-1951
test('signing out asks about unsaved values, and forgets them', async ({ sendroom, openAs }) => {
  const page = await openAs(await sendroom.signIn(), '/messages/new')
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill('Half a sen')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  const signOut = async () => {
    await page.getByRole('button', { name: 'User menu of admin' }).click()
    await page.getByRole('button', { name: 'Logout' }).click()
  }
  await signOut()
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(text).toHaveValue('Half a sen')
  await signOut()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(sendroom.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('link', { name: 'Add message' }).click()
  await expect(text).toHaveValue('')
})
