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
  const setPause = (seconds: number) =>
    admin.call('PUT /instances/:id', {
      params: { id: account.id },
      body: { groupPauseSeconds: [seconds, seconds] },
    })
  await setPause(60)
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
  const job = await order(new Date(Date.now() + 5000).toISOString())
  const watched = await openAs(admin, `/jobs/${job.id}`)
  // On a very busy machine it may have begun already.
  await expect(watched.getByRole('main').getByText(/^(Pending|Running)$/)).toBeVisible()
  await stays(watched)
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
    await fresh.restart()
    await setPause(1)
    await expect(main.getByText('Completed', { exact: true })).toBeVisible({ timeout: 90_000 })
    await expect(watched.getByText('100.00%', { exact: true })).toBeVisible()
    await expect(rowOf(other, /Completed/)).toBeVisible()
  })

  await test.step('and its receipts follow', async () => {
    const rows = watched.getByRole('table', { name: 'Sent messages' }).getByRole('row')
    const delivered = rows.filter({ hasText: /Delivered to (\d+) and read by \d+ of \1 members/ })
    await expect(delivered).toHaveCount(groupIds.length, { timeout: 60_000 })
    const { sentMessages } = await admin.call('GET /jobs/:id', { params: { id: job.id } })
    for (const { deliveredTo, members } of sentMessages) expect(deliveredTo).toBe(members)
    await expectSamePage(watched)
  })

  await test.step('the provider has each message once, over the restart', async () => {
    const accepted = fresh.accepted(account.whapiToken).map(({ to }) => to)
    expect(accepted).toHaveLength(groupIds.length)
    expect(new Set(accepted).size).toBe(groupIds.length)
  })
})

const stays = (page: Page) => page.evaluate(() => Object.assign(window, { isSamePage: true }))

const expectSamePage = async (page: Page) =>
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
