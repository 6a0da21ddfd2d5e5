import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, toast, viewJob } from './steps.ts'

/** Names and numbers. Hoa has asked not to get advertisements. */
const people = [
  ['Lan', '84901000001'],
  ['Minh', '84901000002'],
  ['Hoa', '84901000003'],
  ['', '84901000004'],
] as const

//
test('a message with a name goes to a list and a typed number, without the people of another list', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Lists'))
  const ids: number[] = []
  for (const [name, number] of people)
    ids.push((await admin.call('POST /contacts', { body: { name, phoneNumbers: [`+${number}`] } })).id)
  const addList = async (name: string, contacts: number[]) => {
    const { id } = await admin.call('POST /lists', { body: { name: uniqueName(name) } })
    await admin.call('POST /lists/:id/contacts', { params: { id }, body: { ids: contacts } })
    return (await admin.call('GET /lists/:id', { params: { id } })).name
  }
  const customers = await addList('Customers', ids)
  const unwilling = await addList('Unwilling', ids.slice(2, 3))
  const page = await openAs(admin, '/jobs/new')
  const preview = page.getByRole('region', { name: 'Before sending' })

  await test.step('writes the message and chooses the people', async () => {
    await page.getByText('Write it here').click()
    await page.getByRole('textbox', { name: /^Text/ }).fill('Chào {{name}}!')
    await choose(page, 'Account', instance.name)
    await page.getByLabel('Type').selectOption('Send to phone numbers')
    await choose(page, 'Lists', customers)
    await page.getByLabel('Phone numbers').fill('0901000003, 0901000001')
    await choose(page, 'Leave out', unwilling)
    await expect(preview.getByText('Left out by lists')).toBeVisible()
  })

  await test.step('gives a text for the one without a name', async () => {
    await expect(preview.getByText('1 person lacks a value')).toBeVisible()
    await preview.getByLabel('Instead of {{name}}').fill('bạn')
    await expect(preview.getByText('1 person lacks a value')).toBeHidden()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
    await viewJob(page, 'Chào {{name}}!')
    await expect(page.getByText('Completed', { exact: true })).toBeVisible()
  })

  expect(sendroom.accepted(instance.whapiToken).map(({ to, body }) => [to, body])).toEqual([
    ['84901000001@s.whatsapp.net', 'Chào Lan!'],
    ['84901000002@s.whatsapp.net', 'Chào Minh!'],
    ['84901000004@s.whatsapp.net', 'Chào bạn!'],
  ])
})
