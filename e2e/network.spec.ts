import { addInstance, groupsOf, setGroupPause, uniqueName, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { expectNoReload, markPage, rowOf, toast } from './steps.ts'

test('while the network is down actions fail with a message, and afterwards the page catches up', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Network'))
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: instance.name } })
  const groups = (await groupsOf(admin, instance, 'VIP')).slice(0, 10)
  await setGroupPause(admin, instance, 60)
  const { id } = await admin.call('POST /jobs', {
    body: {
      jobType: 'SendToGroups',
      messageId,
      instanceId: instance.id,
      groupIds: groups.map((group) => group.id),
    },
  })
  const page = await openAs(admin, `/jobs/${id}`)
  const main = page.getByRole('main')
  await expect(main.getByText('Running', { exact: true })).toBeVisible()
  await markPage(page)

  await test.step('offline, an action fails with a message and the page stays', async () => {
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Pause job' }).click()
    await expect(toast(page, 'Error pausing job')).toBeVisible()
    // The notice is visible far down the page too.
    await page.getByRole('heading', { name: 'Logs' }).scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 5000)
    await expect(page.getByText(/^No connection to Sendroom/)).toBeInViewport()
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    expect((await admin.call('GET /jobs/:id', { params: { id } })).isPaused).toBe(false)
  })

  await test.step('meanwhile the job ends', async () => {
    await setGroupPause(admin, instance, 0)
    await untilJob(admin, id, { status: 'Completed' })
    expect(sendroom.accepted(instance.whapiToken)).toHaveLength(groups.length)
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
  })

  await test.step('online again, the page shows the result without a reload', async () => {
    await page.context().setOffline(false)
    await expect(main.getByText('Completed', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(page.getByText('100.00%', { exact: true })).toBeVisible()
    await expectNoReload(page)
  })
})

test('a page whose code could not be loaded opens when the network is back', async ({ admin, openAs }) => {
  const page = await openAs(admin, '/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('status').getByText('No connection')).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
})

test('a list that could not be loaded says so and can be loaded again', async ({ admin, openAs }) => {
  const instance = await addInstance(admin, uniqueName('Offline'))
  const page = await openAs(admin, '/dashboard')
  // Without an event stream, because the page reads the list again after each connection.
  await page.route('**/api/events', (route) => route.abort())
  await page.reload()
  await page.getByRole('link', { name: 'Accounts' }).hover()
  await page.route('**/api/instances?*', (route) => route.abort('internetdisconnected'))
  await page.getByRole('link', { name: 'Accounts' }).click()
  await expect(page.getByText('Loading failed.')).toBeVisible()
  await page.unroute('**/api/instances?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(rowOf(page, instance.name)).toBeVisible()
})
