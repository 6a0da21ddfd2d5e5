import { createHash } from 'node:crypto'
import { setGroupPause } from './fixture.ts'
import { pictureOf, pixelsOf } from './picture.ts'
import { expect, test } from './scenario.ts'
import { choose, expectNoReload, goTo, markPage, pickGroups, rowOf, toast, viewJob } from './steps.ts'

const INSTANCE = 'Shop Hà Nội'
const TOKEN = 'test_shop-hanoi'
const TEXT = 'Giảm 20 % hôm nay 🎉\nChỉ cho khách VIP.'
const TITLE = 'Giảm 20 % hôm nay'

test('from an empty installation to a delivered message', async ({ page, fresh }) => {
  await page.goto(fresh.url)

  await test.step('the first Admin signs in with the printed password', async () => {
    await page.getByLabel('Ngôn ngữ').selectOption('en')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(fresh.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  })

  await test.step('adds an instance', async () => {
    await goTo(page, 'Accounts')
    await page.getByRole('link', { name: 'Add account' }).click()
    await page.getByLabel('Name').fill(INSTANCE)
    await page.getByLabel('API token').fill(TOKEN)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Instance created successfully!')).toBeVisible()
    await expect(rowOf(page, INSTANCE).getByText('Test', { exact: true })).toBeVisible()
  })

  await test.step('links it; the dialog notices that the code was scanned', async () => {
    await rowOf(page, INSTANCE).getByRole('button', { name: 'Scan QR' }).click()
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${INSTANCE}` })
    // In one look, because the simulator scans the code after four seconds.
    const shown = await page.waitForFunction(findCode, 'QR code to link the account')
    expect(await shown.jsonValue()).toEqual({ isSquare: true })
    await expect(dialog.getByText('The account is connected.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(rowOf(page, INSTANCE)).toContainText('Connected')
  })

  await test.step('sees its groups', async () => {
    await goTo(page, 'Groups')
    await page.getByRole('button', { name: 'Sync groups' }).click()
    await expect(page.getByText(`The groups of ${INSTANCE} are synced.`)).toBeVisible()
    await expect(page.getByText(/^Showing 1 to 10 of 3\d\d entries$/)).toBeVisible()
    await page.getByRole('searchbox').fill('vip')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page).toHaveURL(/search=vip/)
    await expect(rowOf(page, /^Khách VIP 💎/).first()).toContainText(INSTANCE)
  })

  const picture = await pictureOf(page, 'VIP −20 %')
  await test.step('writes a message with an image for some groups', async () => {
    await goTo(page, 'Messages')
    await page.getByRole('link', { name: 'Add message' }).click()
    await page.getByLabel('Text').fill(TEXT)
    await choose(page, 'Account', INSTANCE)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Image' }).click()
    await (await chooser).setFiles({ name: 'vip.png', mimeType: 'image/png', buffer: picture })
    await expect(page.getByRole('img', { name: 'New image' })).toBeVisible()
    await pickGroups(page, 'ĐẠI LÝ QUẬN 1')
    await expect(page.getByText('3 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
    await expect(rowOf(page, TITLE)).toContainText(INSTANCE)
  })

  const admin = await fresh.signIn()
  // The job must not end before somebody watches it.
  await setGroupPause(admin, { id: 1 }, 60)

  await test.step('creates a job for these groups and some more', async () => {
    await goTo(page, 'Jobs')
    await page.getByRole('link', { name: 'Add job' }).click()
    await choose(page, 'Message', TITLE)
    await expect(page.getByRole('combobox', { name: 'Account' })).toHaveValue(INSTANCE)
    await expect(page.getByText('3 selected')).toBeVisible()
    await pickGroups(page, 'khách vip 💎 quận 1')
    await expect(page.getByText('6 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
  })

  const isSent = { has: page.getByRole('cell', { name: 'Sent', exact: true }) }
  const sent = page.getByRole('table', { name: 'Result for each recipient' }).getByRole('row').filter(isSent)
  await test.step('watches the job end without a reload', async () => {
    await viewJob(page, TITLE)
    const head = page.getByRole('main')
    await expect(head.getByText(/^(Pending|Running)$/)).toBeVisible()
    await markPage(page)
    await setGroupPause(admin, { id: 1 }, 0)
    await expect(head.getByText('Completed', { exact: true })).toBeVisible()
    await expectNoReload(page)
    await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuenow', '100')
    await expect(page.getByText('100.00%', { exact: true })).toBeVisible()
  })

  await test.step('sees who got it', async () => {
    await expect(sent).toHaveCount(6)
    for (const name of ['Đại lý Quận 1', 'Khách VIP 💎 Quận 1'])
      await expect(sent.filter({ hasText: name })).toHaveCount(3)
  })

  await test.step('the provider has accepted text and image once per group', async () => {
    const { id } = onlyOf(await admin.call('GET /jobs', {}))
    const job = await admin.call('GET /jobs/:id', { params: { id } })
    const image = await fetch(`${fresh.url}${job.imageUrl}`)
    const bytes = Buffer.from(await image.arrayBuffer())
    const accepted = fresh.accepted(TOKEN)
    expect(accepted.map(({ to }) => to).sort()).toEqual(
      job.sentMessages.map(({ recipientId }) => recipientId).sort(),
    )
    expect(new Set(accepted.map(({ to }) => to)).size).toBe(6)
    for (const message of accepted)
      expect(message).toMatchObject({
        type: 'image',
        caption: TEXT,
        media: { sha256: sha256(bytes), size: bytes.length, mime: 'image/png' },
      })
    // The server strips metadata, so only the pixels are compared with the chosen file.
    expect(await pixelsOf(page, bytes)).toBe(await pixelsOf(page, picture))
  })
})

function onlyOf({ data: [only, ...others] }: { data: { id: number }[] }) {
  if (!only || others.length > 0) throw new Error('There should be one job.')
  return only
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64')

/** Describes the QR code with this name once it is there and the countdown beside it has begun. Runs in the page. */
function findCode(name: string) {
  const image = document.querySelector<HTMLImageElement>(`[role=dialog] img[alt="${name}"]`)
  const timer = document.querySelector('[role=dialog] [role=timer]')?.textContent ?? ''
  if (!image?.naturalWidth || !/^New code in ([12]?\d) s$/.test(timer)) return null
  return { isSquare: image.naturalWidth > 100 && image.naturalWidth === image.naturalHeight }
}
