import { expect } from '@playwright/test'
import { choose, main, mainButton, type Studio, visit } from './guide-studio.ts'

const NAMES = ['Nguyễn Thị Lan', 'Trần Quang Minh', 'Lê Thu Hương', 'Phạm Hoàng Anh', 'Võ Ngọc Ánh']
const CUSTOMERS = 'Khách hàng tháng 5'

/** A file of customers with their points: Excel has destroyed one number, one is none, and one comes twice. */
function customers(): Buffer {
  const wrong: Record<number, string> = { 1: '8,49E+10', 40: '12', 80: '0903000079' }
  const rows = Array.from({ length: 120 }, (_, n) => {
    const number = wrong[n] ?? `0903${String(n).padStart(6, '0')}`
    return `${NAMES[n % NAMES.length]};${number};${1 + ((n * 37) % 500)}`
  })
  return Buffer.from(['Họ tên;Số điện thoại;Điểm', ...rows].join('\r\n'))
}

/** The import of a file with customers, in the order of the guide. */
export async function takePeoplePictures(studio: Studio) {
  const { admin } = studio.shop
  await admin.call('POST /contact-fields', { body: { key: 'points', name: 'Điểm', type: 'number' } })
  await admin.call('POST /lists', { body: { name: CUSTOMERS } })
  await takeImport(studio)
}

async function takeImport({ page, t, take }: Studio) {
  await visit(page, '/imports')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'khach-hang.csv', mimeType: 'text/csv', buffer: customers() })
  await expect(mainButton(page, t('IMPORT.DOWNLOAD_PROBLEMS'))).toBeVisible()
  await choose(page, t('IMPORT.LIST'), CUSTOMERS)
  await page.getByRole('textbox', { name: t('IMPORT.CONSENT') }).fill('Khách đồng ý khi mua hàng ngày 5/5.')
  await take('import', main(page))
  await page.getByRole('main').locator('button[type=submit]').click()
  await page.getByText(t('IMPORT.STATUS_DONE'), { exact: true }).waitFor()
  await take('import-result', main(page))
  await visit(page, '/contacts')
  await take('contacts', main(page))
}
