import { expect } from '@playwright/test'
import { addInstance, uniqueName } from './fixture.ts'
import { test } from './scenario.ts'
import { choose, toast } from './steps.ts'

//
test('an operator previews an unsaved message as WhatsApp shows it and sends it to their own phone', async ({
  admin,
  openAs,
  sendroom,
}) => {
  const shop = await addInstance(admin, uniqueName('Shop'))
  const page = await openAs(admin, '/messages/new')
  const preview = page.getByRole('region', { name: 'WhatsApp preview' })

  await test.step('each line follows the direction of its script', async () => {
    await page.getByLabel('Text').first().fill('*Sale* today, on all there is\nتخفيضات *اليوم*')
    await expect(preview.locator('strong')).toHaveText(['Sale', 'اليوم'])
    const sides = await preview.locator('[dir=auto]').evaluateAll((lines) =>
      lines.map((line) => {
        const range = document.createRange()
        range.selectNodeContents(line)
        const [text, box] = [range.getBoundingClientRect(), line.getBoundingClientRect()]
        return Math.abs(text.right - box.right) < Math.abs(text.left - box.left) ? 'right' : 'left'
      }),
    )
    expect(sides).toEqual(['left', 'right'])
  })

  await test.step('the test arrives and the form stays open', async () => {
    const form = page.getByRole('region', { name: 'Send a test to…' })
    await form.getByRole('button', { name: 'Enter a number for a test' }).click()
    await form.getByLabel('Phone number').fill('0901 234 567')
    await choose(page, 'From account', shop.name)
    await form.getByRole('button', { name: 'Send test' }).dblclick()
    await expect(form.getByRole('status')).toContainText(/^(Sent|Delivered|Read).*\+84901234567/)
    expect(sendroom.accepted(shop.whapiToken)).toMatchObject([
      { to: '84901234567@s.whatsapp.net', body: '*Sale* today, on all there is\nتخفيضات *اليوم*' },
    ])
    await expect(page.getByLabel('Text').first()).toHaveValue(/^\*Sale\* today/)
  })

  await test.step('saving does not ask about the test’s phone number', async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
    await expect(page).toHaveURL(/\/messages$/)
  })
})
