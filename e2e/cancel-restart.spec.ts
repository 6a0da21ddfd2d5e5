import { addInstance, groupsOf, setGroupPause, uniqueName, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { confirm, rowOf, toast, viewJob } from './steps.ts'

//
test('a job is cancelled and restarted, each after a confirmation; the restart starts from zero', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Cancel'))
  const text = `To ${instance.name}`
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: text } })
  const groups = await groupsOf(admin, instance, 'Order updates')
  const groupIds = groups.map(({ id }) => id)
  // Slow enough to be cancelled before its end.
  await setGroupPause(admin, instance, 600)
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', messageId, instanceId: instance.id, groupIds },
  })
  // Otherwise the first message may be on its way while sent messages are counted.
  await untilJob(admin, id, { recipients: { sent: 1 } })

  const page = await openAs(admin, '/jobs')
  const main = page.getByRole('main')
  await expect(rowOf(page, text).getByRole('button', { name: 'Restart' })).toBeDisabled()
  await viewJob(page, text)

  await test.step('cancel, after closing the question once', async () => {
    await expect(page.getByRole('row', { name: /Order updates/ }).first()).toBeVisible()
    const cancel = page.getByRole('button', { name: 'Cancel job' })
    await cancel.click()
    await confirm(page, 'Are you sure you want to cancel this job?', 'Close')
    await expect(main.getByText('Running', { exact: true })).toBeVisible()
    // The second click of a double-click lands outside of the dialog.
    await cancel.dblclick({ delay: 100 })
    await confirm(page, 'Are you sure you want to cancel this job?', 'Cancel job')
    await expect(toast(page, 'Job cancelled successfully!')).toBeVisible()
    await expect(main.getByText('Cancelled', { exact: true })).toBeVisible()
    await expect(cancel).toBeDisabled()
  })

  const sentBefore = sendroom.accepted(instance.whapiToken).length
  await test.step('remaining recipients are skipped', async () => {
    expect(sentBefore).toBeLessThan(groups.length)
    await expect(main).toContainText(`Skipped${groups.length - sentBefore}`)
  })

  await setGroupPause(admin, instance, 0)

  await test.step('restart', async () => {
    await page.getByRole('button', { name: 'Restart' }).click()
    await confirm(page, 'All previous sent messages and logs will be cleared.', 'Restart')
    await expect(toast(page, 'Job restarted successfully!')).toBeVisible()
    await expect(main.getByText('Completed', { exact: true })).toBeVisible()
    await expect(page.getByRole('table', { name: 'Result for each recipient' }).getByRole('row')).toHaveCount(
      1 + groups.length,
    )
    await expect(page.getByRole('table', { name: 'Logs' })).not.toContainText('Cancelled by')
    expect(sendroom.accepted(instance.whapiToken)).toHaveLength(sentBefore + groups.length)
  })
})
