import { addInstance, groupsOf, setGroupPause } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { confirm, expectNoReload, markPage, rowOf } from './steps.ts'

test('open pages follow changes by other tabs and by the engine, even across a restart', async ({
  fresh,
  openAs,
}) => {
  const admin = await fresh.signIn()
  const instance = await addInstance(admin, 'Shop')
  const groupIds = (await groupsOf(admin, instance, 'VIP')).slice(0, 12).map(({ id }) => id)
  const { id: messageId } = await admin.call('POST /messages', {
    body: { textContent: 'Hello', groupIds: [] },
  })
  await setGroupPause(admin, instance, 60)
  const createJob = (scheduledAt: string | null) =>
    admin.call('POST /jobs', {
      body: {
        jobType: 'SendToGroups',
        instanceId: instance.id,
        messageId,
        groupIds,
        phoneNumbers: '',
        scheduledAt,
      },
    })

  await test.step('a list shows the change of another user without polling', async () => {
    const page = await openAs(admin, '/instances')
    await expect(rowOf(page, 'Shop')).toBeVisible()
    await markPage(page)
    await admin.call('PUT /instances/:id', { params: { id: instance.id }, body: { name: 'Market' } })
    await expect(rowOf(page, 'Market')).toBeVisible()
    await expectNoReload(page)
  })

  const scheduled = await createJob(new Date(Date.now() + 86_400_000).toISOString())
  const job = await createJob(new Date(Date.now() + 5000).toISOString())
  const watched = await openAs(admin, `/jobs/${job.id}`)
  // On a very busy machine the job may be running already.
  await expect(watched.getByRole('main').getByText(/^(Pending|Running)$/)).toBeVisible()
  await markPage(watched)
  const other = await openAs(admin, '/jobs')
  const main = watched.getByRole('main')

  await test.step('a tab that shows a job follows when another tab cancels it', async () => {
    const third = await openAs(admin, `/jobs/${scheduled.id}`)
    await expect(third.getByRole('main').getByText('Pending', { exact: true })).toBeVisible()
    await markPage(third)
    await rowOf(other, new RegExp(`\\b${scheduled.id}\\b.*Pending`))
      .getByRole('button', { name: 'Cancel job' })
      .click()
    await confirm(other, 'cancel', 'Cancel job')
    await expect(third.getByRole('main').getByText('Cancelled', { exact: true })).toBeVisible()
    await expectNoReload(third)
  })

  await test.step('the job’s page follows the job after a server restart', async () => {
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    await expect(main.getByText('Expected end')).toBeVisible()
    await fresh.restart()
    await setGroupPause(admin, instance, 1)
    await expect(main.getByText('Completed', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(watched.getByText('100.00%', { exact: true })).toBeVisible()
    await expect(rowOf(other, /Completed/)).toBeVisible()
  })

  await test.step('the job’s page shows the receipts', async () => {
    const rows = watched.getByRole('table', { name: 'Result for each recipient' }).getByRole('row')
    const delivered = rows.filter({ hasText: /Delivered to (\d+), read by \d+ of \1 members/ })
    await expect(delivered).toHaveCount(groupIds.length, { timeout: 60_000 })
    const { sentMessages } = await admin.call('GET /jobs/:id', { params: { id: job.id } })
    for (const { deliveredTo, members } of sentMessages) expect(deliveredTo).toBe(members)
    await expectNoReload(watched)
  })

  await test.step('the provider has accepted each message once, despite the restart', async () => {
    const accepted = fresh.accepted(instance.whapiToken).map(({ to }) => to)
    expect(accepted).toHaveLength(groupIds.length)
    expect(new Set(accepted).size).toBe(groupIds.length)
  })
})
