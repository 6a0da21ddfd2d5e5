import type { Page } from '@playwright/test'
import { addAccount, groupsOf } from './scene.ts'
import { confirm, rowOf } from './steps.ts'
import { expect, test } from './story.ts'

test('pages move by themselves: what another tab does, what a worker does, and across a restart', async ({
  fresh,
  openAs,
}) => {
  test.setTimeout(240_000)
  const admin = await fresh.signIn()
  const account = await addAccount(admin, 'Shop')
  const groupIds = (await groupsOf(admin, account, 'VIP')).slice(0, 12).map(({ id }) => id)
  const { id: messageId } = await admin.call('POST /messages', {
    body: { textContent: 'Hello', groupIds: [] },
  })
  // A test-mode account sends without a pause: too fast to be watched.
  await admin.call('PUT /instances/:id', {
    params: { id: account.id },
    body: { groupPauseSeconds: [2, 2] },
  })
  const order = (scheduledAt: string | null) =>
    admin.call('POST /jobs', {
      body: {
        jobType: 'SendToGroups',
        instanceId: account.id,
        messageId,
        groupIds,
        phoneNumbers: '',
        scheduledAt,
      },
    })

  await test.step('a list that asks for nothing by itself shows what another user changed', async () => {
    const page = await openAs(admin, '/instances')
    await expect(rowOf(page, 'Shop')).toBeVisible()
    await stays(page)
    await admin.call('PUT /instances/:id', { params: { id: account.id }, body: { name: 'Market' } })
    await expect(rowOf(page, 'Market')).toBeVisible()
    await expectSamePage(page)
  })

  const scheduled = await order(new Date(Date.now() + 86_400_000).toISOString())
  const job = await order(null)
  const watched = await openAs(admin, `/jobs/${job.id}`)
  const other = await openAs(admin, '/jobs')
  const main = watched.getByRole('main')

  await test.step('another tab cancels a job, and a third one that shows it follows', async () => {
    const third = await openAs(admin, `/jobs/${scheduled.id}`)
    await expect(third.getByRole('main').getByText('Pending', { exact: true })).toBeVisible()
    await stays(third)
    await rowOf(other, new RegExp(`\\b${scheduled.id}\\b.*Pending`))
      .getByRole('button', { name: 'Cancel job' })
      .click()
    await confirm(other, 'cancel', 'Cancel job')
    await expect(third.getByRole('main').getByText('Cancelled', { exact: true })).toBeVisible()
    await expectSamePage(third)
  })

  await test.step('the job’s page goes on when the server was restarted', async () => {
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    await expect(main.getByText('Expected end')).toBeVisible()
    await stays(watched)
    await fresh.restart()
    await expect(main.getByText('Completed', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(watched.getByText('100.00%', { exact: true })).toBeVisible()
    await expectSamePage(watched)
    await expect(rowOf(other, /Completed/)).toBeVisible()
  })
})

const stays = (page: Page) => page.evaluate(() => Object.assign(window, { isSamePage: true }))

const expectSamePage = async (page: Page) =>
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
