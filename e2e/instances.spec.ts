import { addInstance, addMember, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { goTo, rowOf, toast } from './steps.ts'

test('a disconnected instance is shown at once, and linking it again is shown to other users', async ({
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Dropout'))
  const path = `/instances?search=${encodeURIComponent(instance.name)}`
  const mine = await openAs(admin, path)
  const other = await openAs(admin, path)
  await expect(rowOf(other, instance.name)).toContainText('Connected')

  mine.on('dialog', (dialog) => dialog.accept())
  await rowOf(mine, instance.name).getByRole('button', { name: 'Log out' }).click()
  await expect(rowOf(mine, instance.name)).toContainText('Needs login')
  await expect(rowOf(other, instance.name)).toContainText('Needs login')

  const scan = (page: typeof mine) =>
    rowOf(page, instance.name).getByRole('button', { name: 'Scan QR' }).click()
  await scan(other)
  await scan(mine)
  for (const page of [mine, other]) {
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${instance.name}` })
    await expect(dialog.getByText('The account is connected.')).toBeVisible({ timeout: 60_000 })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(rowOf(page, instance.name)).toContainText('Connected')
  }
})

test('a dialog says that its instance was deleted', async ({ admin, openAs }) => {
  const { id, name } = await admin.call('POST /instances', {
    body: { name: uniqueName('Doomed'), whapiToken: `test_doomed_${uniqueName('x').replace(' ', '_')}` },
  })
  const page = await openAs(admin, `/instances?search=${encodeURIComponent(name)}`)
  await rowOf(page, name).getByRole('button', { name: 'Get code' }).click()
  await admin.call('DELETE /instances/:id', { params: { id } })
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('This account no longer exists')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('No data found')).toBeVisible()
})

test('a Member without an instance reads whom to ask; after an assignment, its groups and syncs appear', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Given'))
  const { username, password } = await addMember(admin, {
    use: [],
    canSendMessages: false,
    canCreateJobs: false,
  })
  const member = await sendroom.signIn(username, password)
  const page = await openAs(member, '/groups')
  await expect(page.getByText('No groups yet. Ask an Admin to assign you an account.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sync groups' })).toBeDisabled()

  await admin.call('POST /users/:id/assign-instances', {
    params: { id: member.session.user.id },
    body: { instanceIds: [instance.id], canSendMessages: false, canCreateJobs: false },
  })
  await goTo(page, 'Accounts')
  // The groups of the account appear by themselves, also while the page changes.
  await expect(page.getByRole('heading', { name: 'Accounts', exact: true })).toBeVisible()
  await expect(rowOf(page, instance.name)).toContainText('Connected')
  await goTo(page, 'Groups')
  await expect(rowOf(page, instance.name).first()).toBeVisible()

  await admin.call('POST /instances/:id/sync', { params: { id: instance.id } })
  await expect(page.getByText(`The groups of ${instance.name} are synced.`)).toBeVisible({
    timeout: 60_000,
  })
})

test('an expiry date can be typed digit by digit, and a half-typed one is not saved', async ({
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Term'))
  const saved = async () =>
    (await admin.call('GET /instances/:id', { params: { id: instance.id } })).expiredTime
  const page = await openAs(admin, `/instances/edit/${instance.id}`)
  const day = page.getByLabel('Expiry date')

  const error = page.getByText('Enter a full date or leave this empty.')

  await day.fill('0203-05-05') // the intermediate value while a year is typed
  await page.keyboard.press('Enter')
  await expect(error).toBeVisible()
  await day.fill('')
  await expect(error).toBeHidden()
  await day.focus()
  await page.keyboard.type('0505')
  await page.keyboard.press('Enter')
  await expect(error).toBeVisible()
  await expect(day).toBeFocused()
  expect(await saved()).toBeNull()

  await page.keyboard.type('2031')
  await expect(day).toHaveValue('2031-05-05')
  await expect(error).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Instance updated successfully!')).toBeVisible()
  expect(await saved()).toBe('2031-05-05T16:59:59.000Z')
})
