import { expect, test } from './scenario.ts'
import { rowOf, signIn, toast } from './steps.ts'

test('a new user registers, waits for an Admin, and can sign in once activated', async ({
  page,
  fresh,
  openAs,
}) => {
  const password = 'secret of the new one'
  const admin = await fresh.signIn()
  await page.goto(fresh.url)
  await page.getByLabel('Ngôn ngữ').selectOption('en')

  await test.step('registers', async () => {
    await page.getByRole('button', { name: 'Register' }).click()
    const form = page.getByRole('dialog', { name: 'Register' })
    const submit = form.getByRole('button', { name: 'Register' })
    await expect(submit).toBeDisabled()
    await form.getByLabel('Username').fill('new-one')
    await form.getByLabel('Email').fill('new@example.com')
    await form.getByLabel(/^Password/).fill(password)
    await form.getByLabel('Repeat password').fill('another one')
    await expect(form.getByText('The passwords do not match.')).toBeVisible()
    await expect(submit).toBeDisabled()
    await form.getByLabel('Repeat password').fill(password)
    const alert = page.waitForEvent('dialog')
    const submitted = submit.click()
    const dialogEvent = await alert
    expect(dialogEvent.message()).toContain('Registration received.')
    await dialogEvent.accept()
    await submitted
    await expect(form).toBeHidden()
  })

  await test.step('can’t sign in yet', async () => {
    const { data } = await admin.call('GET /users', { query: { search: 'new-one' } })
    expect(data).toMatchObject([
      { username: 'new-one', role: 'Member', isActive: false, assignedInstances: [] },
    ])
    await signIn(page, 'new-one', password)
    await expect(page.getByRole('alert')).toContainText('an Admin has to activate you')
  })

  await test.step('is activated by an Admin', async () => {
    const users = await openAs(admin, '/users')
    await expect(rowOf(users, 'new-one')).toContainText('Locked')
    await expect(rowOf(users, 'new-one')).toContainText('Waiting for activation')
    await rowOf(users, 'new-one').getByRole('button', { name: 'Edit' }).click()
    await users.getByLabel('Active').check()
    await users.getByRole('button', { name: 'Save' }).click()
    await expect(toast(users, 'User updated successfully!')).toBeVisible()
    await expect(rowOf(users, 'new-one')).toContainText('Active')
  })

  await test.step('can sign in', async () => {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  })
})
