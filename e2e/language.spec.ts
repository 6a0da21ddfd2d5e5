import { expect, test } from './scenario.ts'

test('the login is in Vietnamese by default, the app speaks its language, and a chosen one is stored', async ({
  page,
  sendroom,
}) => {
  await page.goto('/')
  const html = page.locator('html')
  await expect(html).toHaveAttribute('lang', 'vi')
  await expect(page.getByLabel('Ngôn ngữ')).toHaveValue('vi')
  await page.getByLabel('Tên đăng nhập').fill('admin')
  await page.getByLabel('Mật khẩu', { exact: true }).fill(sendroom.password)
  await page.getByRole('button', { name: 'Đăng nhập' }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'Tổng quan' })).toBeVisible()
  await expect(html).toHaveAttribute('lang', 'vi')

  await page.getByLabel('Ngôn ngữ').selectOption('cn')
  await expect(page.getByRole('heading', { level: 1, name: '概览' })).toBeVisible()
  await expect(html).toHaveAttribute('lang', 'zh-CN')

  await page.reload()
  await expect(html).toHaveAttribute('lang', 'zh-CN')
  await expect(page.getByLabel('语言')).toHaveValue('cn')

  await page.getByLabel('语言').selectOption('vi')
  await expect(html).toHaveAttribute('lang', 'vi')
  await page.getByRole('button', { name: 'admin' }).click()
  await page.getByRole('button', { name: 'Đăng xuất' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(html).toHaveAttribute('lang', 'vi')
})
