import type { Page } from '@playwright/test'
import { choose, goTo, pickGroups, rowOf, toast } from './steps.ts'
import { expect, test } from './story.ts'

const ACCOUNT = 'Shop Đà Lạt'
const TOKEN = 'test_shop-dalat'
const TEXT = 'Hoa tươi về mỗi sáng.'

const guideOf = (page: Page) => page.getByRole('region', { name: 'Your first message in four steps' })

/** What the guide says is done, and where its only button leads next. */
async function expectStep(page: Page, { done, next }: { done: number; next: string }) {
  const steps = guideOf(page).getByRole('listitem')
  await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(done)
  await expect(steps.nth(done)).toHaveAttribute('aria-current', 'step')
  await expect(guideOf(page).getByRole('link')).toHaveText([next])
}

/** As a person does who comes back to the dashboard each time. */
async function follow(page: Page, step: { done: number; next: string }) {
  await goTo(page, 'Dashboard')
  await expectStep(page, step)
  await guideOf(page).getByRole('link').click()
}

//
test('the first Admin follows the guide from the empty dashboard to the first message', async ({
  fresh,
  openAs,
}) => {
  test.setTimeout(180_000)
  const admin = await fresh.signIn()
  expect(await admin.call('GET /groups/stats', {})).toMatchObject({ totalGroups: 0, totalJobs: 0 })
  const page = await openAs(admin, '/dashboard')
  const watching = await openAs(admin, '/dashboard')

  await test.step('adds an account', async () => {
    await follow(page, { done: 0, next: 'Add account' })
    await page.getByLabel('Name').fill(ACCOUNT)
    await page.getByLabel('API token').fill(TOKEN)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Instance created successfully!')).toBeVisible()
  })

  await test.step('links it, and its groups come by themselves', async () => {
    await expectStep(watching, { done: 0, next: 'Open accounts' })
    await follow(page, { done: 0, next: 'Open accounts' })
    await rowOf(page, ACCOUNT).getByRole('button', { name: 'Scan QR' }).click()
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${ACCOUNT}` })
    await expect(dialog.getByText('The account is connected.')).toBeVisible({ timeout: 60_000 })
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expectStep(watching, { done: 2, next: 'Write message' })
    const { data } = await admin.call('GET /instances', {})
    expect(data).toMatchObject([{ name: ACCOUNT, status: 'Connected' }])
    expect((await admin.call('GET /groups/stats', {})).totalGroups).toBeGreaterThan(300)
  })

  await test.step('writes a message', async () => {
    await follow(page, { done: 2, next: 'Write message' })
    await page.getByLabel('Text').fill(TEXT)
    await choose(page, 'Account', ACCOUNT)
    await pickGroups(page, 'sales team 1')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
    expect(await admin.call('GET /groups/stats', {})).toMatchObject({ totalMessages: 1, totalJobs: 0 })
  })

  await test.step('sends it', async () => {
    await follow(page, { done: 3, next: 'Create job' })
    await choose(page, 'Message', TEXT)
    await expect(page.getByText('3 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
  })

  await test.step('and the guide is gone, as it is where somebody has only watched', async () => {
    await goTo(page, 'Dashboard')
    for (const dashboard of [page, watching]) {
      await expect(dashboard.getByRole('heading', { name: 'Quick stats' })).toBeVisible()
      await expect(guideOf(dashboard)).toHaveCount(0)
    }
  })

  await test.step("the provider's own ledger has the message, once for each group", async () => {
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
