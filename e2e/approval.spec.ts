import { addInstance, addMember, groupsOf, uniqueName, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, confirm, rowOf, toast } from './steps.ts'

// R-1520
test('a job is sent as a second person has approved it, after the changes that were asked for', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Approval'))
  const maker = await addMember(admin, { use: [instance], canSendMessages: true, canCreateJobs: true })
  const approver = await addMember(admin, {
    ...{ use: [instance], canSendMessages: false, canCreateJobs: false },
    canApproveJobs: true,
  })
  await admin.call('PUT /instances/:id', { params: { id: instance.id }, body: { approval: 'always' } })
  const groupIds = (await groupsOf(admin, instance, 'VIP')).map(({ id }) => id)
  const [first, second] = [`First text of ${instance.name}`, `Second text of ${instance.name}`]
  for (const textContent of [first, second])
    await admin.call('POST /messages', { body: { textContent, instanceId: instance.id, groupIds } })
  const sent = () => sendroom.accepted(instance.whapiToken).map(({ body }) => body)

  const making = await openAs(await sendroom.signIn(maker.username, maker.password), '/jobs/new')
  const approving = await openAs(
    await sendroom.signIn(approver.username, approver.password),
    '/jobs?only=in_review',
  )

  await test.step('a Member makes a job, which waits', async () => {
    await choose(making, 'Message', first)
    await expect(making.getByText('Jobs of this account need approval.')).toBeVisible()
    await expect(making.getByText(`${groupIds.length} selected`)).toBeVisible()
    await making.getByRole('button', { name: 'Create job' }).click()
    await expect(toast(making, 'Job created. The job waits for approval.')).toBeVisible()
    await expect(rowOf(making, first)).toContainText('In review')
  })

  await test.step('a second person asks for changes in words', async () => {
    await rowOf(approving, first).getByRole('button', { name: 'View details' }).click()
    const approval = approving.getByRole('region', { name: 'Approval' })
    await expect(approval).toContainText(first)
    await approval.getByRole('button', { name: 'Ask for changes' }).click()
    const dialog = approving.getByRole('dialog')
    await dialog.getByLabel('What should change?').fill('Please take the second text.')
    await dialog.getByRole('button', { name: 'Ask for changes' }).click()
    await expect(toast(approving, 'Changes asked for.')).toBeVisible()
    await expect(approval.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  })

  await test.step('the author reads them and changes the text', async () => {
    await expect(rowOf(making, first)).toContainText('Changes asked for')
    await rowOf(making, first).getByRole('button', { name: 'View details' }).click()
    const approval = making.getByRole('region', { name: 'Approval' })
    await approval.getByRole('link', { name: 'Change' }).click()
    await expect(making.getByRole('heading', { name: /^Change job/ })).toBeVisible()
    await expect(making.getByText('Please take the second text.')).toBeVisible()
    await choose(making, 'Another message', second)
    await making.getByRole('button', { name: 'Save' }).click()
    await expect(toast(making, 'Job changed. The job waits for approval.')).toBeVisible()
    await expect(approval).toContainText(second)
  })

  await test.step('the approver sees the new text at once, approves it, and that is sent', async () => {
    const approval = approving.getByRole('region', { name: 'Approval' })
    await expect(approval).toContainText(second)
    expect(sent()).toEqual([])
    await approval.getByRole('button', { name: 'Approve' }).click()
    await confirm(approving, `It is sent to ${groupIds.length} recipients`, 'Approve')
    await expect(toast(approving, 'Job approved.')).toBeVisible()
    const id = Number(approving.url().match(/\d+$/)?.[0])
    await untilJob(admin, id, { status: 'Completed' })
    expect(sent()).toEqual(groupIds.map(() => second))
    await expect(making.getByRole('region', { name: 'Approval' })).toContainText('Approved')
  })
})
