import { readFile } from 'node:fs/promises'
import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, toast, viewJob } from './steps.ts'

/** Names as windows-1258 has them, with the tone as a byte of its own behind the vowel. */
const NAMES = [
  'Nguy\xea\xden Hu\xea\xf2',
  'Tr\xe2\xccn Hi\xea\xecu',
  '\xd0\xe3\xf2ng Th\xf9y',
  'L\xea L\xf5\xf2i',
]

/** A semicolon file of 1,000 rows: one number is destroyed, one lacks its zero, one comes twice. */
function customers(): Buffer {
  const rows = Array.from({ length: 1000 }, (_, n) => {
    const number =
      { 500: '8,49E+10', 600: '903000600', 700: '0903000699' }[n] ?? `0903${String(n).padStart(6, '0')}`
    return `${NAMES[n % 4]};${number};khu v\xfd\xf2c ${n % 7}`
  })
  return Buffer.from(`Ho\xf2 t\xean;S\xf4\xec \xd0T;Khu v\xfd\xf2c\r\n${rows.join('\r\n')}\r\n`, 'latin1')
}

//
test('1,000 Vietnamese contacts are imported from a semicolon file in windows-1258, get own texts, and are undone', async ({
  fresh,
  openAs,
}) => {
  // Five times as long as on an idle machine.
  test.setTimeout(900_000)
  const admin = await fresh.signIn()
  await admin.call('POST /contact-fields', { body: { key: 'area', name: 'Khu vực', type: 'text' } })
  await admin.call('POST /lists', { body: { name: 'Customers' } })
  const page = await openAs(admin, '/imports')

  await test.step('the file is understood', async () => {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'Khách hàng.csv', mimeType: 'text/csv', buffer: customers() })
    await expect(page.getByLabel('Encoding')).toHaveValue('windows-1258')
    await expect(page.getByLabel('Separator')).toHaveValue(';')
    await expect(page.getByRole('row', { name: '2 Nguyễn Huệ +84903000000' })).toBeVisible()
    const check = page.getByRole('region', { name: 'Check of all 1,000 rows' })
    await expect(check.locator('dd')).toHaveText(['997', '0', '1', '2'])
  })

  await test.step('a second tab shows the same, also after a reload', async () => {
    const { pathname } = new URL(page.url())
    const other = await page.context().newPage()
    await other.goto(pathname)
    await choose(page, 'Add to a list', 'Customers')
    await page.getByLabel('Why may you write to these people?').fill('They agreed at the fair')
    await page.getByRole('button', { name: 'Import 997 contacts' }).click()
    await expect(toast(page, 'The import has begun.')).toBeVisible()
    for (const tab of [page, other]) {
      await tab.reload()
      await expect(tab.getByRole('region', { name: 'Result' }).locator('dd').first()).toHaveText('997')
    }
    await other.close()
  })

  await test.step('the refused rows come back with their reasons', async () => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download refused rows' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
    expect(lines).toEqual([
      '"Họ tên","Số ĐT","Khu vực","Row","Reason"',
      expect.stringMatching(/^"Nguyễn Huệ","8,49E\+10","khu vực 3","502","Excel has rounded the number/),
      expect.stringMatching(/^"Nguyễn Huệ","903000600","khu vực 5","602",".*Perhaps \+84903000600\?"$/),
      '"Nguyễn Huệ","0903000699","khu vực 0","702","The same person is in row 701 already."',
    ])
  })

  const instance = await addInstance(admin, uniqueName('Fair'))
  await test.step('a message with two variables goes to them, without the people of another list', async () => {
    const { data } = await admin.call('POST /contacts/search', { body: { search: 'Lê Lợi', pageSize: 3 } })
    const { id } = await admin.call('POST /lists', { body: { name: 'Unwilling' } })
    await admin.call('POST /lists/:id/contacts', { params: { id }, body: { ids: data.map((one) => one.id) } })
    await page.goto('/jobs/new')
    await page.getByText('Write it here').click()
    await page.getByRole('textbox', { name: /^Text/ }).fill('Chào {{name}} ở {{area}}!')
    await choose(page, 'Account', instance.name)
    await page.getByLabel('Type').selectOption('Send to phone numbers')
    await choose(page, 'Lists', 'Customers')
    await choose(page, 'Leave out', 'Unwilling')
    await page.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
    await viewJob(page, 'Chào {{name}}')
    await expect(page.getByText('Completed', { exact: true })).toBeVisible({ timeout: 600_000 })
    const sent = fresh.accepted(instance.whapiToken)
    // The simulator takes numbers that end in 0000 for such as are not on WhatsApp.
    expect(new Set(sent.map(({ to }) => to)).size).toBe(993)
    expect(sent).toHaveLength(993)
    const unwilling = data.flatMap(({ phoneNumbers }) => phoneNumbers.map((number) => number.slice(1)))
    for (const { to, body } of sent) {
      const n = Number(to.split('@')[0]?.slice(-6))
      const name = ['Nguyễn Huệ', 'Trần Hiếu', 'Đặng Thùy', 'Lê Lợi'][n % 4]
      expect(body?.normalize('NFC')).toBe(`Chào ${name} ở khu vực ${n % 7}!`)
      expect(unwilling).not.toContain(to.split('@')[0])
    }
    // Whoever is in another list would be kept.
    await admin.call('DELETE /lists/:id', { params: { id } })
  })

  await test.step('the import is undone, but for those who have got the message', async () => {
    await page.goto('/imports')
    await page.getByRole('link', { name: 'Khách hàng.csv' }).click()
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
    await expect(page.getByRole('region', { name: 'Undone' }).locator('dd')).toHaveText(['3', '994', '0'])
  })
})
