import { addAccount, groupsOf, named } from './scene.ts'
import { confirm, toast } from './steps.ts'
import { expect, test } from './story.ts'

//
test('a job is paused, goes on, is cancelled, and is sent to the rest: each group gets it once', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const account = await addAccount(admin, named('Pause'))
  const { id: messageId } = await admin.call('POST /messages', { body: { textContent: account.name } })
  const groups = (await groupsOf(admin, account, 'VIP')).slice(0, 10)
  const setPause = (seconds: number) =>
    admin.call('PUT /instances/:id', {
      params: { id: account.id },
      body: { groupPauseSeconds: [seconds, seconds] },
    })
  const sentTo = () => sendroom.accepted(account.whapiToken).map(({ to }) => to)
  // Slow enough that there is time for everything.
  await setPause(60)
  const groupIds = groups.map(({ id }) => id)
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', messageId, instanceId: account.id, groupIds },
  })
  const page = await openAs(admin, `/jobs/${id}`)
  const main = page.getByRole('main')
  const status = (name: string) => main.getByText(name, { exact: true })

  await test.step('pause: it says so, and nothing more goes out', async () => {
    await expect(page.getByRole('table', { name: 'Sent messages' })).toBeVisible()
    // The second click of a double one would let it go on.
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
    await expect(toast(page, 'The job goes on.')).toBeVisible()
    await expect(status('Running')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Pause job' })).toBeEnabled()
  })

  await test.step('cancel: the rest is skipped', async () => {
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await confirm(page, 'Are you sure you want to cancel this job?', 'Cancel job')
    await expect(status('Cancelled')).toBeVisible()
    await expect(main).toContainText(`Skipped${groups.length - sentTo().length}`)
  })

  await setPause(0)
  await test.step('send to the rest: asked with their number, those who have it are left alone', async () => {
    const button = page.getByRole('button', { name: 'Send to the rest' })
    await button.click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(button).toBeFocused()
    await page.keyboard.press('Enter')
    const question = `${groups.length - sentTo().length} recipients did not get this message and will get it now.`
    await confirm(page, question, 'Send')
    await expect(toast(page, 'The job goes on with the rest.')).toBeVisible()
    await expect(status('Completed')).toBeVisible()
    await expect(page.getByText('100.00%', { exact: true })).toBeVisible()
  })

  const { sentMessages } = await admin.call('GET /jobs/:id', { params: { id } })
  expect(sentTo().sort()).toEqual(sentMessages.map(({ recipientId }) => recipientId).sort())
  expect(new Set(sentTo()).size).toBe(groups.length)
})
