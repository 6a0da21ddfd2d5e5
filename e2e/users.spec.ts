import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, rowOf, signIn, toast } from './steps.ts'

test('an Admin creates a Member, who sees only the assigned instance and has only the granted rights', async ({
  sendroom,
  admin,
  openAs,
  page,
}) => {
  const mine = await addInstance(admin, uniqueName('Assigned'))
  const theirs = await addInstance(admin, uniqueName('Unassigned'))
  const username = uniqueName('seller').replace(' ', '-')
  const users = await openAs(admin, '/users')

  await test.step('creates the user with one instance and one right', async () => {
    await users.getByRole('link', { name: 'Add user' }).click()
    await users.getByLabel('Username').fill(username)
    await users.getByLabel('Email').fill(`${username}@example.com`)
    await users.getByLabel(/^Password/).fill('secret of a seller')
    await choose(users, 'Assigned accounts', mine.name)
    await users.keyboard.press('Escape')
    await users.getByLabel('Can create jobs').uncheck()
    await users.getByRole('button', { name: 'Save' }).click()
    await expect(toast(users, 'User created successfully!')).toBeVisible()
    await expect(toast(users, 'Instances assigned successfully!')).toBeVisible()
    const row = rowOf(users, username)
    await expect(row).toContainText(mine.name)
    await expect(row).toContainText('Member')
    await expect(row).toContainText('Active')
  })

  await test.step('the Member signs in and sees only that instance', async () => {
    await page.goto('/')
    await signIn(page, username, 'secret of a seller')
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
    await page.goto('/instances')
    await expect(rowOf(page, mine.name)).toBeVisible()
    await expect(page.getByRole('table')).not.toContainText(theirs.name)
    await page.goto('/jobs')
    await expect(page.getByRole('button', { name: 'Add job' })).toBeDisabled()
    await page.goto('/messages')
    await expect(page.getByRole('link', { name: 'Add message' })).toBeVisible()
  })

  await test.step('the API shows and allows no more', async () => {
    const member = await sendroom.signIn(username, 'secret of a seller')
    const { data } = await member.call('GET /instances', {})
    expect(data.map(({ name }) => name)).toEqual([mine.name])
    const { id: messageId } = await member.call('POST /messages', { body: { textContent: 'Mine' } })
    const creation = member.call('POST /jobs', {
      body: { jobType: 'SendToUsers', messageId, instanceId: mine.id, phoneNumbers: '+84901234567' },
    })
    await expect(creation).rejects.toThrow('answered 403')
    await expect(member.call('GET /instances/:id', { params: { id: theirs.id } })).rejects.toThrow(
      'answered 404',
    )
  })

  await test.step('a locked Member is signed out at once and can’t sign in again', async () => {
    await rowOf(users, username).getByRole('button', { name: 'Edit' }).click()
    await users.getByLabel('Active').uncheck()
    await users.getByRole('button', { name: 'Save' }).click()
    await expect(toast(users, 'User updated successfully!')).toBeVisible()
    await expect(rowOf(users, username)).toContainText('Locked')
    await page.reload()
    await expect(page).toHaveURL(/\/login\?returnUrl=%2Fmessages/)
    await signIn(page, username, 'secret of a seller')
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Login failed.')
  })
})
