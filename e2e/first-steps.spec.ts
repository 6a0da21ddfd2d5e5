import type { Page } from '@playwright/test'
import { expect, test } from './scenario.ts'
import { goTo, pickGroups, rowOf, toast } from './steps.ts'

const INSTANCE = 'Shop Đà Lạt'
const TOKEN = 'test_shop-dalat'
const TEXT = 'Hoa tươi về mỗi sáng.'

const guideOf = (page: Page) => page.getByRole('region', { name: 'Your first message in three steps' })

/** Expects this number of completed steps and this label of the guide's only button. */
async function expectStep(page: Page, { done, next }: { done: number; next: string }) {
  const steps = guideOf(page).getByRole('listitem')
  await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(done)
  await expect(steps.nth(done)).toHaveAttribute('aria-current', 'step')
  await expect(guideOf(page).getByRole('link')).toHaveText([next])
}

/** Opens the dashboard and follows the guide's button. */
async function follow(page: Page, step: { done: number; next: string }) {
  await goTo(page, 'Dashboard')
  await expectStep(page, step)
  await guideOf(page).getByRole('link').click()
}

//
test('the first Admin follows the guide from an empty dashboard to the first message', async ({
  fresh,
  openAs,
}) => {
  const admin = await fresh.signIn()
  expect(await admin.call('GET /groups/stats', {})).toMatchObject({ totalGroups: 0, totalJobs: 0 })
  const page = await openAs(admin, '/dashboard')
  const watching = await openAs(admin, '/dashboard')

  await test.step('adds an instance', async () => {
    await follow(page, { done: 0, next: 'Add account' })
    await page.getByLabel('Name').fill(INSTANCE)
    await page.getByLabel('API token').fill(TOKEN)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Instance created successfully!')).toBeVisible()
  })

  await test.step('links it, which also reads its groups', async () => {
    await expectStep(watching, { done: 0, next: 'Open accounts' })
    await follow(page, { done: 0, next: 'Open accounts' })
    await rowOf(page, INSTANCE).getByRole('button', { name: 'Scan QR' }).click()
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${INSTANCE}` })
    await expect(dialog.getByText('The account is connected.')).toBeVisible({ timeout: 60_000 })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expectStep(watching, { done: 2, next: 'Create job' })
    const { data } = await admin.call('GET /instances', {})
    expect(data).toMatchObject([{ name: INSTANCE, status: 'Connected' }])
    const countGroups = async () => (await admin.call('GET /groups/stats', {})).totalGroups
    await expect.poll(countGroups).toBeGreaterThan(300)
  })

  await test.step('writes a message and sends it', async () => {
    await follow(page, { done: 2, next: 'Create job' })
    await page.getByLabel('Text').fill(TEXT)
    await pickGroups(page, 'đại lý quận 1')
    await expect(page.getByText('3 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
    expect(await admin.call('GET /groups/stats', {})).toMatchObject({ totalMessages: 1, totalJobs: 1 })
  })

  await test.step('the guide disappears, also on a dashboard that was open all the time', async () => {
    await goTo(page, 'Dashboard')
    for (const dashboard of [page, watching]) {
      await expect(dashboard.getByRole('heading', { name: 'Quick stats' })).toBeVisible()
      await expect(guideOf(dashboard)).toHaveCount(0)
    }
  })

  await test.step('the provider has accepted the message once per group', async () => {
    await expect
      .poll(() => admin.call('GET /groups/stats', {}))
      .toMatchObject({ completedJobs: 1, totalSentMessages: 3 })
    const job = await admin.call('GET /jobs/:id', { params: { id: 1 } })
    const accepted = fresh.accepted(TOKEN)
    expect(accepted).toHaveLength(3)
    expect(accepted.map(({ to }) => to).sort()).toEqual(
      job.sentMessages.map(({ recipientId }) => recipientId).sort(),
    )
    for (const message of accepted) expect(message).toMatchObject({ type: 'text', body: TEXT })
  })
})
