import { addInstance, groupsOf, setGroupPause, uniqueName, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { confirm, toast } from './steps.ts'

//
test('a job is paused, resumed, cancelled and retried, and each group gets the message once', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Pause'))
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: instance.name } })
  const groups = (await groupsOf(admin, instance, 'VIP')).slice(0, 10)
  const sentTo = () => sendroom.accepted(instance.whapiToken).map(({ to }) => to)
  // Slow enough that the job is still running at each step.
  await setGroupPause(admin, instance, 600)
  const groupIds = groups.map(({ id }) => id)
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', messageId, instanceId: instance.id, groupIds },
  })
  // Otherwise the first message may be on its way while sent messages are counted.
  await untilJob(admin, id, { recipients: { sent: 1 } })
  const page = await openAs(admin, `/jobs/${id}`)
  const main = page.getByRole('main')
  const status = (name: string) => main.getByText(name, { exact: true })

  await test.step('pause stops the sending and is shown', async () => {
    await expect(page.getByRole('table', { name: 'Result for each recipient' })).toBeVisible()
    // The second click of a double-click would resume the job.
    await page.getByRole('button', { name: 'Pause job' }).dblclick({ delay: 100 })
    await expect(toast(page, 'Job paused.')).toBeVisible()
    await expect(status('Paused')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Resume job' })).toBeFocused()
    await expect(main.getByRole('note')).toContainText('The job is paused.')
    expect(await admin.call('GET /jobs/:id', { params: { id } })).toMatchObject({
      isPaused: true,
      waiting: { code: 'paused' },
      recipients: { sent: sentTo().length },
    })
  })

  await test.step('resume', async () => {
    await page.keyboard.press('Enter')
    await expect(toast(page, 'Job resumed.')).toBeVisible()
    await expect(status('Running')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Pause job' })).toBeEnabled()
  })

  await test.step('cancel skips the remaining recipients', async () => {
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await confirm(page, 'Are you sure you want to cancel this job?', 'Cancel job')
    await expect(status('Cancelled')).toBeVisible()
    await expect(main).toContainText(`Skipped${groups.length - sentTo().length}`)
  })

  await setGroupPause(admin, instance, 0)
  await test.step('retry asks with the number of remaining recipients and sends only to them', async () => {
    const button = page.getByRole('button', { name: 'Send to remaining' })
    await button.click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(button).toBeFocused()
    await page.keyboard.press('Enter')
    const question = `${groups.length - sentTo().length} recipients don’t have this message and will get it now.`
    await confirm(page, question, 'Send')
    await expect(toast(page, 'Sending to remaining recipients.')).toBeVisible()
    await expect(status('Completed')).toBeVisible()
    await expect(page.getByText('100.00%', { exact: true })).toBeVisible()
  })

  const { sentMessages } = await admin.call('GET /jobs/:id', { params: { id } })
  expect(sentTo().sort()).toEqual(sentMessages.map(({ recipientId }) => recipientId).sort())
  expect(new Set(sentTo()).size).toBe(groups.length)
})
