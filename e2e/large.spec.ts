import { expect } from '@playwright/test'
import { addInstance, addMember, groupsOf, uniqueName } from './fixture.ts'
import { test } from './scenario.ts'
import { choose, rowOf } from './steps.ts'

/** 4,000 characters that tend to break layouts: right-to-left text, compound emoji and a very long word. */
const long = [
  'تخفيضات *اليوم* على كل شيء',
  '👨‍👩‍👧‍👦'.repeat(40),
  'Aa'.repeat(1700),
  'Hẹn gặp lại. '.repeat(100),
]
  .join('\n')
  .slice(0, 4000)

//
test('the picker of three hundred groups scrolls within 300 px', async ({ admin, openAs }) => {
  const shop = await addInstance(admin, uniqueName('Shop'))
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

//
test('texts of 4,000 characters in any script fit on every page, wide and narrow', async ({
  admin,
  openAs,
}) => {
  const shop = await addInstance(admin, uniqueName('Shop'))
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

//
test('names of 100 characters without a space fit on a phone, in dialogs and drop-downs too', async ({
  admin,
  openAs,
}) => {
  const name = uniqueName('Shop').replaceAll(' ', '').padEnd(100, 'W')
  const shop = await addInstance(admin, name)
  const member = await addMember(admin, { use: [shop], canSendMessages: true, canCreateJobs: true })
  const page = await openAs(admin, '/users')
  await page.setViewportSize({ width: 360, height: 740 })
  /** The number of pixels by which the name exceeds the viewport; -1 if the name is not shown. */
  const overflow = () =>
    page.evaluate((text) => {
      const range = document.createRange()
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      let max = -1
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.textContent?.includes(text)) continue
        range.selectNodeContents(node)
        const { left, right } = range.getBoundingClientRect()
        max = Math.max(max, 0, -left, right - document.documentElement.clientWidth)
      }
      return max
    }, name)
  const expectFit = (where: string) => expect.poll(overflow, where).toBe(0)
  const dialog = page.getByRole('dialog')
  const shopRow = rowOf(page, name)

  await expect(rowOf(page, member.username)).toBeVisible()
  await expectFit('the users')
  await page.goto('/instances')
  for (const action of ['Delete', 'Scan QR', 'Get code']) {
    if (action !== 'Scan QR') await shopRow.getByRole('button', { name: 'More' }).click()
    await shopRow.getByRole('button', { name: action, exact: true }).click()
    await expect(dialog).toContainText(name)
    await expectFit(action)
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(dialog).toBeHidden()
  }
  await page.goto('/messages/new')
  await page.getByRole('combobox', { name: 'Account', exact: true }).fill(name)
  await expect(page.getByRole('option', { name })).toBeVisible()
  await expectFit('the options')
  // The simulator knows no group with such a name.
  await page.route('**/api/groups/search', async (route) => {
    // Read by the test's own client: `route.fetch` fails if the page aborts its request meanwhile.
    const found = await admin.call('POST /groups/search', { body: route.request().postDataJSON() })
    const body = JSON.stringify(found).replace(/"name":"[^"]*"/, `"name":"${name}"`)
    await route.fulfill({ body, contentType: 'application/json' })
  })
  await page.getByRole('option', { name }).click()
  await page.getByRole('button', { name: 'Choose groups' }).click()
  const group = dialog.getByRole('checkbox', { name })
  await expect(group).toBeVisible()
  const frame = dialog.getByRole('list').locator('..')
  expect(await frame.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
})
