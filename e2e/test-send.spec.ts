import { expect } from '@playwright/test'
import { addAccount, named } from './scene.ts'
import { choose, toast } from './steps.ts'
import { test } from './story.ts'

//
test('an operator looks at a message as WhatsApp shows it, and sends it to their own phone before it is saved', async ({
  admin,
  openAs,
  sendroom,
}) => {
  const shop = await addAccount(admin, named('Shop'))
  const page = await openAs(admin, '/messages/new')
  const preview = page.getByRole('region', { name: 'In WhatsApp' })

  await test.step('each line runs the way of its own script', async () => {
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

  await test.step('the test arrives, and the form is still there', async () => {
    const form = page.getByRole('region', { name: 'Send a test to…' })
    await form.getByLabel('Phone number').fill('0901 234 567')
    await choose(page, 'From the account', shop.name)
    await form.getByRole('button', { name: 'Send test' }).dblclick()
    await expect(form.getByRole('status')).toContainText(/^(Sent|Delivered|Read).*\+84901234567/)
    expect(sendroom.accepted(shop.whapiToken)).toMatchObject([
      { to: '84901234567@s.whatsapp.net', body: '*Sale* today, on all there is\nتخفيضات *اليوم*' },
    ])
    await expect(page.getByLabel('Text').first()).toHaveValue(/^\*Sale\* today/)
  })

  await test.step('saving asks nothing of the number that was typed', async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
    await expect(page).toHaveURL(/\/messages$/)
  })
})
