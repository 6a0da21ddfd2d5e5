import { addAccount, groupsOf, named } from './scene.ts'
import { rowOf, toast } from './steps.ts'
import { expect, test } from './story.ts'

test('the network goes and comes back: what was done is told as failed, and the page catches up by itself', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const account = await addAccount(admin, named('Network'))
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: account.name } })
  const groups = (await groupsOf(admin, account, 'VIP')).slice(0, 10)
  const setPause = (seconds: number) =>
    admin.call('PUT /instances/:id', {
      params: { id: account.id },
      body: { groupPauseSeconds: [seconds, seconds] },
    })
  await setPause(60)
  const { id } = await admin.call('POST /jobs', {
    body: {
      jobType: 'SendToGroups',
      messageId,
      instanceId: account.id,
      groupIds: groups.map((group) => group.id),
    },
  })
  const page = await openAs(admin, `/jobs/${id}`)
  const main = page.getByRole('main')
  await expect(main.getByText('Running', { exact: true })).toBeVisible()
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))

  await test.step('gone: an action says that it failed, and the page stays', async () => {
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Pause job' }).click()
    await expect(toast(page, 'Error pausing job')).toBeVisible()
    // Also far down, where the button of a form is.
    await page.getByRole('heading', { name: 'Logs' }).scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 5000)
    await expect(page.getByText(/^No connection to Sendroom/)).toBeInViewport()
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    expect((await admin.call('GET /jobs/:id', { params: { id } })).isPaused).toBe(false)
  })

  await test.step('meanwhile the job comes to its end', async () => {
    await setPause(0)
    await expect
      .poll(() => admin.call('GET /jobs/:id', { params: { id } }), { timeout: 60_000 })
      .toMatchObject({ status: 'Completed' })
    expect(sendroom.accepted(account.whapiToken)).toHaveLength(groups.length)
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
  })

  await test.step('back: the page shows it without a reload', async () => {
    await page.context().setOffline(false)
    await expect(main.getByText('Completed', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(page.getByText('100.00%', { exact: true })).toBeVisible()
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  })
})

test('a page whose code is not there yet comes by itself when the network is back', async ({
  admin,
  openAs,
}) => {
  const page = await openAs(admin, '/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('status').getByText('No connection')).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
})

test('a list that could not be loaded says so, and loads at the next try', async ({ admin, openAs }) => {
  const account = await addAccount(admin, named('Offline'))
  const page = await openAs(admin, '/dashboard')
  // Or the page may load the list by itself, as it does after each connection.
  await page.route('**/api/events', (route) => route.abort())
  await page.reload()
  await page.getByRole('link', { name: 'Accounts' }).hover()
  await page.route('**/api/instances?*', (route) => route.abort('internetdisconnected'))
  await page.getByRole('link', { name: 'Accounts' }).click()
  await expect(page.getByText('This could not be loaded.')).toBeVisible()
  await page.unroute('**/api/instances?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(rowOf(page, account.name)).toBeVisible()
})
