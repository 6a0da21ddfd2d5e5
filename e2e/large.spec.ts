import { expect } from '@playwright/test'
import { addAccount, groupsOf, named } from './scene.ts'
import { choose } from './steps.ts'
import { test } from './story.ts'

/** A word that never ends, lines from right to left, emoji of many parts: 4,000 characters of what breaks pages. */
const long = [
  'تخفيضات *اليوم* على كل شيء',
  '👨‍👩‍👧‍👦'.repeat(40),
  'Aa'.repeat(1700),
  'Hẹn gặp lại. '.repeat(100),
]
  .join('\n')
  .slice(0, 4000)

test('[R-539] the picker of three hundred groups scrolls within 300 px', async ({ admin, openAs }) => {
  const shop = await addAccount(admin, named('Shop'))
  const page = await openAs(admin, '/jobs/new')
  await choose(page, 'Account', shop.name)
  await page.getByRole('button', { name: 'Choose groups' }).click()
  const list = page.getByRole('dialog', { name: 'Choose groups' }).getByRole('list')
  await expect(list.getByRole('checkbox').first()).toBeVisible()
  const frame = list.locator('..')
  expect(
    await frame.evaluate((box) => [box.getBoundingClientRect().height, box.scrollHeight > 3000]),
  ).toEqual([300, true])
})

test('[R-576] texts of 4,000 characters in any script fit on every page, wide and narrow', async ({
  admin,
  openAs,
}) => {
  const shop = await addAccount(admin, named('Shop'))
  const [group] = await groupsOf(admin, shop, 'Sales team')
  const body = { textContent: long, instanceId: shop.id }
  const message = await admin.call('POST /messages', { body })
  const job = await admin.call('POST /jobs', {
    body: { messageId: message.id, instanceId: shop.id, groupIds: [group?.id ?? 0] },
  })
  const page = await openAs(admin, '/messages')
  for (const path of ['/messages', `/messages/edit/${message.id}`, '/jobs', `/jobs/${job.id}`])
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(path)
      await expect(page.getByText(/تخفيضات/).first()).toBeVisible()
      const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      expect(await page.evaluate(overflow), `${path} at ${width} px`).toBe(0)
    }
})
