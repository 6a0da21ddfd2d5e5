import { addInstance, uniqueName } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { confirm, rowOf, toast } from './steps.ts'

test('after ten failures in a row an instance stops and says why, until a user resumes it', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Failures'))
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: instance.name } })
  // Numbers that end in 0000 are not on WhatsApp.
  const bad = Array.from({ length: 10 }, (_, i) => `+8490${i}110000`)
  const good = ['+84901234567', '+84912345678']
  const { id } = await admin.call('POST /jobs', {
    body: {
      jobType: 'SendToUsers',
      messageId,
      instanceId: instance.id,
      phoneNumbers: [...bad, ...good].join('\n'),
    },
  })
  const why = 'The last 10 messages of this account failed.'

  const page = await openAs(admin, `/jobs/${id}`)
  await expect(page.getByRole('note')).toContainText(why)
  expect(await admin.call('GET /jobs/:id', { params: { id } })).toMatchObject({
    status: 'Running',
    recipients: { failed: 10, waiting: 2, sent: 0 },
  })
  expect(sendroom.accepted(instance.whapiToken)).toEqual([])

  await page.getByRole('button', { name: 'Resume sending' }).click()
  await confirm(page, why, 'Resume sending')
  await expect(toast(page, 'Sending resumed.')).toBeVisible()
  await expect(page.getByRole('main').getByText('Completed', { exact: true })).toBeVisible()
  const rows = page.getByRole('table', { name: 'Result for each recipient' })
  for (const number of bad) await expect(rowOf(rows, number)).toContainText('Failed')
  for (const number of good) await expect(rowOf(rows, number)).toContainText('Sent')
  expect(sendroom.accepted(instance.whapiToken).map(({ to }) => to)).toEqual([
    '84901234567@s.whatsapp.net',
    '84912345678@s.whatsapp.net',
  ])
})
