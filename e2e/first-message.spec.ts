import type { Locator } from '@playwright/test'
import { expect, test } from './scenario.ts'
import { rowOf } from './steps.ts'

const TOKEN = 'test_shop'
const GROUP = 'Khách lẻ Quận 1'
const TEXT = 'Hàng mới về, mời cả nhà ghé shop.'

/** With each field, button and link that a mouse user clicks. Typing is not counted. */
const CLICKS = 14

test('from the printed address to the first delivered message in Vietnamese, click by click', async ({
  page,
  fresh,
}) => {
  let clicks = 0
  const click = async (target: Locator) => {
    await target.click()
    clicks += 1
  }
  const type = async (label: string, text: string) => {
    // A required field's label ends with an asterisk.
    const field = page.getByLabel(new RegExp(`^${label}( \\*)?$`))
    await click(field)
    await field.pressSequentially(text)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await test.step('signs in', async () => {
    await page.goto(fresh.url)
    await type('Tên đăng nhập', 'admin')
    await type('Mật khẩu', fresh.password)
    await click(button('Đăng nhập'))
  })

  await test.step('adds an account in test mode, and the simulator scans its code', async () => {
    await click(page.getByRole('main').getByRole('link', { name: 'Thêm tài khoản' }))
    await type('Tên', 'Cửa hàng')
    await type('Token API', TOKEN)
    await click(button('Lưu'))
    // The simulator scans four seconds after the code was asked for, so the code waits until the words are there.
    const { promise: wordsShown, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/instances/*/qrcode-base64', (route) => wordsShown.then(() => route.continue()))
    await click(rowOf(page, 'Cửa hàng').getByRole('button', { name: 'Quét mã QR' }))
    await expect(page.getByRole('dialog').getByText(/trình mô phỏng sẽ tự quét mã/)).toBeVisible()
    resolve()
  })

  await test.step('follows the dialog to the form, writes the message and sends it', async () => {
    await click(page.getByRole('dialog').getByRole('link', { name: 'Soạn tin nhắn' }))
    await type('Nội dung', TEXT)
    await click(button('Chọn nhóm'))
    await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused()
    await page.keyboard.type(GROUP)
    await click(page.getByRole('dialog').getByRole('checkbox', { name: GROUP, exact: true }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Xác nhận' }))
    await click(button('Tạo lượt gửi'))
  })

  await expect(rowOf(page, TEXT)).toContainText('Hoàn thành')
  expect(fresh.accepted(TOKEN)).toMatchObject([{ type: 'text', body: TEXT }])
  expect(clicks).toBe(CLICKS)
})
