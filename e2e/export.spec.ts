import { readFile } from 'node:fs/promises'
import { addAccount, groupsOf, named } from './scene.ts'
import { rowOf, toast } from './steps.ts'
import { expect, test } from './story.ts'

test("a group's participants download as an Excel file named after the group", async ({ admin, openAs }) => {
  const account = await addAccount(admin, named('Export'))
  const [group] = await groupsOf(admin, account, 'Wholesale & retail <north> 55')
  if (!group) throw new Error('The simulator has no such group.')
  const page = await openAs(admin, `/groups?search=${encodeURIComponent(group.name)}`)
  await expect(rowOf(page, account.name)).toContainText(String(group.participantCount))
  const download = page.waitForEvent('download')
  await rowOf(page, account.name)
    .getByRole('button', { name: `Export the members of ${group.name}` })
    .click()
  await expect(toast(page, 'Group participants exported successfully!')).toBeVisible()

  const file = await download
  expect(file.suggestedFilename()).toMatch(/^Participants_Wholesale & retail .*_\d{4}-\d\d-\d\d\.xlsx$/)
  const bytes = await readFile(await file.path())
  // An xlsx is a zip archive, with its list of contents at the end.
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
  expect(bytes.toString('latin1')).toContain('xl/worksheets/sheet1.xml')
})
