import { addAccount, groupsOf, named } from './scene.ts'
import { confirm, rowOf, toast, viewJob } from './steps.ts'
import { expect, test } from './story.ts'

//
test('a job is cancelled and restarted, each after a question; the restart begins from nothing', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const account = await addAccount(admin, named('Cancel'))
  const text = `To ${account.name}`
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: text } })
  const groups = await groupsOf(admin, account, 'Order updates')
  const groupIds = groups.map(({ id }) => id)
  const params = { id: account.id }
  // Slow enough to be cancelled before its end.
  await admin.call('PUT /instances/:id', { params, body: { groupPauseSeconds: [5, 5] } })
  await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', messageId, instanceId: account.id, groupIds },
  })

  const page = await openAs(admin, '/jobs')
  const main = page.getByRole('main')
  await expect(rowOf(page, text).getByRole('button', { name: 'Restart' })).toBeDisabled()
  await viewJob(page, text)

  await test.step('cancel, after thinking again', async () => {
    await expect(page.getByRole('row', { name: /Order updates/ }).first()).toBeVisible()
    const cancel = page.getByRole('button', { name: 'Cancel job' })
    await cancel.click()
    await confirm(page, 'Are you sure you want to cancel this job?', 'Close')
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    // The second click of a double one falls beside the dialog.
    await cancel.dblclick({ delay: 100 })
    await confirm(page, 'Are you sure you want to cancel this job?', 'Cancel job')
    await expect(toast(page, 'Job cancelled successfully!')).toBeVisible()
    await expect(main.getByText('Cancelled', { exact: true })).toBeVisible()
    await expect(cancel).toBeDisabled()
  })

  const sentBefore = sendroom.accepted(account.whapiToken).length
  await test.step('what was not sent yet is skipped', async () => {
    expect(sentBefore).toBeLessThan(groups.length)
    await expect(main).toContainText(`Skipped${groups.length - sentBefore}`)
  })

  await admin.call('PUT /instances/:id', { params, body: { groupPauseSeconds: [0, 0] } })

  await test.step('restart', async () => {
    await page.getByRole('button', { name: 'Restart' }).click()
    await confirm(page, 'All previous sent messages and logs will be cleared.', 'Restart')
    await expect(toast(page, 'Job restarted successfully!')).toBeVisible()
    await expect(main.getByText('Completed', { exact: true })).toBeVisible()
    await expect(page.getByRole('table', { name: 'Sent messages' }).getByRole('row')).toHaveCount(
      1 + groups.length,
    )
    await expect(page.getByRole('table', { name: 'Logs' })).not.toContainText('Cancelled by')
    expect(sendroom.accepted(account.whapiToken)).toHaveLength(sentBefore + groups.length)
  })
})
