import { addInstance, addMember, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { rowOf } from './steps.ts'

test('a Member without rights sees only the assigned instances, with all other actions disabled', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const mine = await addInstance(admin, uniqueName('Mine'))
  const theirs = await addInstance(admin, uniqueName('Theirs'))
  const body = { textContent: 'Read me', instanceId: mine.id }
  const { id } = await admin.call('POST /messages', { body })
  await admin.call('POST /messages', { body: { textContent: 'Not for members', instanceId: theirs.id } })
  const { username, password } = await addMember(admin, {
    use: [mine],
    canSendMessages: false,
    canCreateJobs: false,
  })
  const page = await openAs(await sendroom.signIn(username, password), '/instances')

  await test.step('instances', async () => {
    await expect(rowOf(page, mine.name).getByRole('button', { name: 'Scan QR' })).toBeEnabled()
    await expect(rowOf(page, mine.name).getByRole('button', { name: 'Delete' })).toHaveCount(0)
    await expect(page.getByRole('table')).not.toContainText(theirs.name)
    await expect(page.getByRole('link', { name: 'Add account' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Users' })).toHaveCount(0)
  })

  await test.step('groups', async () => {
    await page.goto('/groups')
    await expect(rowOf(page, mine.name)).toHaveCount(10)
    await expect(page.getByRole('table')).not.toContainText(theirs.name)
  })

  await test.step('messages', async () => {
    await page.goto('/messages')
    const row = rowOf(page, 'Read me')
    await expect(row.getByRole('button', { name: 'Edit' })).toBeDisabled()
    await expect(row.getByRole('button', { name: 'Delete' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Add message' })).toBeDisabled()
    await expect(page.getByRole('table')).not.toContainText('Not for members')
    await row.getByRole('button', { name: 'View' }).click()
    await expect(page).toHaveURL(`/messages/edit/${id}`)
    await expect(page.getByRole('heading', { level: 1, name: `Message #${id}` })).toBeVisible()
    await expect(page.getByText('You can view messages but not write them.')).toBeVisible()
  })

  await test.step('jobs', async () => {
    await page.goto('/jobs')
    await expect(page.getByRole('button', { name: 'Add job' })).toBeDisabled()
    await page.goto('/jobs/new')
    await expect(page).toHaveTitle('Add job · Sendroom')
    await expect(page.getByText('You can view jobs but not change them.')).toBeVisible()
  })
})
