import { expect, test } from './scenario.ts'
import { expectNoReload, markPage } from './steps.ts'

// R-1869
test('a poll goes to twenty groups, three members of each vote, and the results appear without a reload', async ({
  fresh,
  openAs,
}) => {
  const admin = await fresh.signIn()
  const body = { name: 'Shop', whapiToken: 'test_linked_votes_shop' }
  const { id: instanceId } = await admin.call('POST /instances', { body })
  const findGroups = async () => {
    const { data } = await admin.call('POST /groups/search', {
      body: { instanceIds: [instanceId], pageSize: 100 },
    })
    return data.filter(({ participantCount }) => participantCount > 3).slice(0, 20)
  }
  await expect.poll(async () => (await findGroups()).length, { timeout: 60_000 }).toBe(20)
  const groupIds = (await findGroups()).map(({ id }) => id)
  const content = { kind: 'poll' as const, options: ['Friday', 'Sunday', 'Never'], allowsSeveral: true }
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const message = { textContent: 'Which day?', content }
  const job = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', instanceId, groupIds, message, scheduledAt },
  })

  const page = await openAs(admin, `/jobs/${job.id}`)
  const results = page.getByRole('region', { name: 'Poll results' })
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await markPage(page)
  // All that follows comes without a reload.
  fresh.moveClockTo(scheduledAt)

  await expect(results.getByText('Votes: 80 (messages with results: 20)')).toBeVisible({ timeout: 300_000 })
  await expect(results.getByRole('listitem')).toHaveText([
    'Friday40 · 66.67%',
    'Sunday20 · 33.33%',
    'Never20 · 33.33%',
  ])
  await expect(results.getByText('Percentages are of the 60 people who voted.')).toBeVisible()
  await expectNoReload(page)

  const table = page.getByRole('table', { name: 'Result for each recipient' })
  await table.getByRole('button', { name: 'Who voted' }).first().click()
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(3)
})
