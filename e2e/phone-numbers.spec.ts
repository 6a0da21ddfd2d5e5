import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, toast, viewJob } from './steps.ts'

test('a job to phone numbers rejects invalid ones, keeps the text, and sends to each number once', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Numbers'))
  const text = `To ${instance.name}`
  await admin.call('POST /messages', { body: { textContent: text, instanceId: instance.id } })
  const page = await openAs(admin, '/jobs/new')
  const numbers = page.getByLabel('Phone numbers')

  await test.step('an invalid number', async () => {
    await page.getByLabel('Type').selectOption('Send to phone numbers')
    await choose(page, 'Message', text)
    await expect(page.getByRole('combobox', { name: 'Account' })).toHaveValue(instance.name)
    await numbers.fill('0901234567, 12ab\n+84 901 234 567; +84 912 345 678')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(page.getByText('These are not phone numbers: 12ab.').first()).toBeVisible()
    await expect(numbers).toHaveValue('0901234567, 12ab\n+84 901 234 567; +84 912 345 678')
    await expect(page).toHaveURL(/\/jobs\/new$/)
  })

  await test.step('valid numbers', async () => {
    await numbers.fill('0901234567\n+84 901 234 567; +84 912 345 678')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
    await viewJob(page, text)
    await expect(page.getByText('Completed', { exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Target phone numbers (2)' })).toBeVisible()
    await expect(page.getByRole('row', { name: '+84901234567' })).toContainText('Sent')
  })

  expect(sendroom.accepted(instance.whapiToken).map(({ to, body }) => [to, body])).toEqual([
    ['84901234567@s.whatsapp.net', text],
    ['84912345678@s.whatsapp.net', text],
  ])
})
