import { expect } from '@playwright/test'
import { untilJob } from './fixture.ts'
import { choose, main, mainButton, type Studio, visit } from './guide-studio.ts'

const NAMES = ['Nguyễn Thị Lan', 'Trần Quang Minh', 'Lê Thu Hương', 'Phạm Hoàng Anh', 'Võ Ngọc Ánh']
const CUSTOMERS = 'Khách hàng tháng 5'
const STAFF = 'Nhân viên cửa hàng'

/** A file of customers with their points: Excel has destroyed one number, one is none, and one comes twice. */
function customers(): Buffer {
  const wrong: Record<number, string> = { 1: '8,49E+10', 40: '12', 80: '0903000079' }
  const rows = Array.from({ length: 120 }, (_, n) => {
    const number = wrong[n] ?? `0903${String(n).padStart(6, '0')}`
    return `${NAMES[n % NAMES.length]};${number};${1 + ((n * 37) % 500)}`
  })
  return Buffer.from(['Họ tên;Số điện thoại;Điểm', ...rows].join('\r\n'))
}

/** From a file with customers to a message for each of them, in the order of the guide. */
export async function takePeoplePictures(studio: Studio) {
  const { admin } = studio.shop
  await admin.call('POST /contact-fields', { body: { key: 'points', name: 'Điểm', type: 'number' } })
  await admin.call('POST /lists', { body: { name: CUSTOMERS } })
  const staff = await admin.call('POST /lists', { body: { name: STAFF } })
  await takeImport(studio)
  const { data } = await admin.call('POST /contacts/search', { body: { pageSize: 100 } })
  await admin.call('POST /lists/:id/contacts', {
    params: { id: staff.id },
    body: { ids: data.slice(0, 4).map(({ id }) => id) },
  })
  await takeJobToLists(studio)
  await takeOptOuts(studio)
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

async function takeJobToLists({ page, t, shop, take }: Studio) {
  await visit(page, '/jobs/new')
  await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
  await page.getByText(t('JOB.MESSAGE_WRITTEN'), { exact: true }).click()
  await page
    .getByRole('textbox', { name: t('MESSAGE.TEXT') })
    .fill('Chào {{name}}, bạn đang có {{points|0}} điểm. Đổi quà trước 30/6 nhé!')
  await choose(page, t('FORM.INSTANCE'), 'Áo dài Hà Nội')
  await choose(page, t('JOB.LISTS'), CUSTOMERS)
  await choose(page, t('JOB.EXCLUDED_LISTS'), STAFF)
  await page
    .getByRole('region', { name: t('JOB.PREVIEW') })
    .getByText(t('JOB.PREVIEW_LEFT_OUT'))
    .waitFor()
  await take('new-job-people', main(page))
  await mainButton(page, t('JOB.CREATE')).click()
  await expect(page).toHaveURL(/\/jobs$/)
  const { data } = await shop.admin.call('GET /jobs', {})
  const id = data[0]?.id ?? 0
  await untilJob(shop.admin, id, { status: 'Completed' })
  await visit(page, `/jobs/${id}`)
  await take('job-people', main(page), 1000)
}

/** The simulator's people with these numbers answer after five seconds, see its README. */
const ANSWERING = ['+84903055501', '+84903055502', '+84903055503', '+84903055505']

async function takeOptOuts({ page, t, shop, take }: Studio) {
  const { data } = await shop.admin.call('GET /instances', { query: { search: 'Áo dài Hà Nội' } })
  const textContent = 'Tuần này giảm giá 20 % cho khách quen.'
  for (const [place, number] of ANSWERING.entries())
    await shop.admin.call('POST /contacts', { body: { name: NAMES[place], phoneNumbers: [number] } })
  await shop.admin.call('POST /jobs', {
    body: {
      ...{ jobType: 'SendToUsers', instanceId: data[0]?.id ?? 0, message: { textContent } },
      phoneNumbers: ANSWERING.join(','),
    },
  })
  const countPossible = async () =>
    (await shop.admin.call('GET /possible-opt-outs', {})).pagination.totalCount
  await expect.poll(countPossible, { timeout: 30_000 }).toBe(ANSWERING.length - 1)
  await visit(page, '/possible-opt-outs')
  await take('possible-opt-outs', main(page))
  await mainButton(page, t('OPT_OUT.OPT_OUT')).click()
  await expect.poll(countPossible).toBe(ANSWERING.length - 2)
  await visit(page, '/opt-outs')
  await take('opt-outs', main(page))
}
