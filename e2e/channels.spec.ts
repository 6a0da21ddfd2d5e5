import { addInstance } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, pickGroups, rowOf, toast, viewJob } from './steps.ts'

const CHANNEL = 'Khuyến mãi mỗi ngày 🎁'
const POST = 'Hôm nay giảm 30 %'

// R-1812
test('a channel is found among the groups, and a job posts to it once', async ({ fresh, openAs }) => {
  const admin = await fresh.signIn()
  const account = await addInstance(admin, 'Shop')
  const page = await openAs(admin, '/groups')

  await test.step('the list shows the channels that the account may post to', async () => {
    await page.getByLabel('Kind').selectOption('Channels only')
    await expect(rowOf(page, CHANNEL)).toContainText('1,284 followers')
    await expect(rowOf(page, /followers/)).toHaveCount(2)
    await expect(rowOf(page, CHANNEL).getByRole('button', { name: 'Export members' })).toBeDisabled()
  })

  await test.step('a job is made for one of them', async () => {
    await page.goto('/jobs/new')
    await page.getByText('Write it here').click()
    await choose(page, 'Account', account.name)
    await page.getByLabel('Text').fill(POST)
    await pickGroups(page, 'khuyen mai moi ngay')
    await expect(page.getByText('1 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
  })

  await test.step('its page says that the post was sent, and that there are no receipts', async () => {
    await viewJob(page, POST)
    await expect(page.getByText('Completed', { exact: true })).toBeVisible()
    const row = page
      .getByRole('table', { name: 'Result for each recipient' })
      .getByRole('row')
      .filter({ hasText: CHANNEL })
    await expect(row.getByText('Channel', { exact: true })).toBeVisible()
    await expect(row.getByText('Sent', { exact: true })).toBeVisible()
    await expect(row.getByText('No receipts in channels')).toBeVisible()
  })

  const accepted = fresh.accepted(account.whapiToken)
  expect(accepted).toMatchObject([{ to: expect.stringMatching(/@newsletter$/), body: POST }])
})
