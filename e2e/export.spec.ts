import { readFile } from 'node:fs/promises'
import { addInstance, groupsOf, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { rowOf, toast } from './steps.ts'

test("a group's participants can be downloaded as an Excel file named after the group", async ({
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Export'))
  const [group] = await groupsOf(admin, instance, 'Wholesale & retail <north> 55')
  if (!group) throw new Error('The simulator has no such group.')
  const page = await openAs(admin, `/groups?search=${encodeURIComponent(group.name)}`)
  await expect(rowOf(page, instance.name)).toContainText(String(group.participantCount))
  const download = page.waitForEvent('download')
  await rowOf(page, instance.name).getByRole('button', { name: 'Export members' }).click()
  await expect(toast(page, 'Group participants exported successfully!')).toBeVisible()

  const file = await download
  expect(file.suggestedFilename()).toMatch(/^Participants_Wholesale & retail .*_\d{4}-\d\d-\d\d\.xlsx$/)
  const bytes = await readFile(await file.path())
  // An xlsx file is a zip archive with its directory at the end.
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
  expect(bytes.toString('latin1')).toContain('xl/worksheets/sheet1.xml')
})

//
test("a job's results are downloaded as the filter and the search leave them", async ({ admin, openAs }) => {
  const instance = await addInstance(admin, uniqueName('Results'))
  const { id } = await admin.call('POST /jobs/test', {
    body: { textContent: 'Hello', instanceId: instance.id, phoneNumber: '0901234567' },
  })
  const page = await openAs(admin, `/jobs/${id}?search=0901`)
  await expect(page.getByText('No data found')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('table', { name: 'Result for each recipient' })).toContainText('+84901234567')
  for (const [format, name] of [
    ['csv', 'Export CSV'],
    ['xlsx', 'Export Excel'],
  ] as const) {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(new RegExp(`^Job_${id}_\\d{4}-\\d\\d-\\d\\d\\.${format}$`))
    const bytes = await readFile(await file.path())
    expect(bytes.toString('latin1')).toContain(
      format === 'csv' ? '"84901234567"' : 'xl/worksheets/sheet1.xml',
    )
  }
})
