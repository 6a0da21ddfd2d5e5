import type { Page } from '@playwright/test'
import { addInstance, addMember, groupsOf, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, confirm, toast } from './steps.ts'

const TEXTS = ['First offer', 'Second offer', 'Third offer']

/** The cell of a day in the calendar's month. */
const cellOf = (page: Page, day: string) =>
  page.getByRole('gridcell').filter({ has: page.locator(`time[datetime="${day}"]`) })

const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
/** 09:00 in the time zone of the browser tests. */
const dueOn = (day: string) => new Date(`${day}T09:00:00.000+07:00`).toISOString()

// R-1504
test('a weekly series is approved, one run dragged, one skipped, and it sends its texts for weeks', async ({
  fresh,
  openAs,
}) => {
  let admin = await fresh.signIn()
  const instance = await addInstance(admin, 'Shop')
  const groups = (await groupsOf(admin, instance, 'VIP customers')).slice(0, 2)
  await admin.call('POST /group-sets', {
    body: { name: 'Regulars', instanceId: instance.id, groupIds: groups.map(({ id }) => id) },
  })
  for (const textContent of TEXTS)
    await admin.call('POST /messages', { body: { textContent, instanceId: instance.id } })
  const lan = await addMember(admin, {
    ...{ use: [instance], canSendMessages: false, canCreateJobs: false },
    canApproveJobs: true,
  })
  await admin.call('PUT /instances/:id', { params: { id: instance.id }, body: { approval: 'always' } })
  const page = await openAs(admin, '/series/new')
  let id = 0
  const runsOf = async (period: 'next' | 'past') =>
    (await admin.call('GET /series/:id/runs', { params: { id }, query: { period } })).data

  await test.step('makes the series', async () => {
    await page.getByLabel(/^Name/).fill('Weekly offer')
    await choose(page, 'Account', instance.name)
    for (const text of TEXTS) await choose(page, 'Messages, in turn', text)
    await choose(page, 'Sets of groups', 'Regulars')
    await page.getByRole('button', { name: 'Mon', exact: true }).click()
    const plan = page.getByRole('region', { name: 'What will happen' })
    await expect(plan.getByText(/^Every Monday at 09:00 /)).toBeVisible()
    await page.getByRole('button', { name: 'Create series' }).click()
    await expect(toast(page, 'Series created.')).toBeVisible()
    id = (await admin.call('GET /series', { query: {} })).data[0]?.id ?? 0
  })

  await test.step('drags the first run to the next day in the calendar', async () => {
    const [first] = await runsOf('next')
    const day = first?.localTime.slice(0, 10) ?? ''
    await page.goto(`/calendar?month=${day.slice(0, 7)}`)
    // R-1516
    await cellOf(page, day).focus()
    await page.keyboard.press('ArrowRight')
    await expect(cellOf(page, dayAfter(day))).toBeFocused()
    await expect(cellOf(page, dayAfter(day))).toHaveAttribute('tabindex', '0')
    const entry = page.getByRole('listitem').filter({ hasText: 'Weekly offer' }).first()
    await entry.dragTo(cellOf(page, dayAfter(day)))
    await expect(toast(page, 'Moved.')).toBeVisible()
    await expect(cellOf(page, dayAfter(day))).toContainText('Weekly offer')
    expect((await runsOf('next'))[0]).toMatchObject({
      localTime: `${day}T09:00`,
      dueAt: dueOn(dayAfter(day)),
    })
  })

  await test.step('a second user reads the three texts and approves them', async () => {
    const approving = await openAs(await fresh.signIn(lan.username, lan.password), `/series/${id}`)
    const approval = approving.getByRole('region', { name: 'Approval' })
    for (const text of TEXTS) await expect(approval).toContainText(text)
    await approval.getByLabel('Recipients of each run').fill('2')
    await approval.getByRole('button', { name: 'Approve series' }).click()
    await expect(toast(approving, 'Series approved.')).toBeVisible()
  })

  await test.step('skips the third run', async () => {
    await page.goto(`/series/${id}`)
    const third = page.getByRole('table', { name: 'Next runs' }).getByRole('row').nth(3)
    await third.getByRole('button', { name: 'Skip' }).click()
    await confirm(page, 'Skip the run of', 'Skip')
    await expect(toast(page, 'Run skipped.')).toBeVisible()
  })

  await test.step('three of the next four runs send their texts in turn', async () => {
    for (const sent of TEXTS.keys()) {
      const next = (await runsOf('next')).find(({ state }) => state === 'planned')
      if (!next) throw new Error('The series has no next run.')
      fresh.moveClockTo(next.dueAt)
      admin = await fresh.signIn() // a session ends within the weeks
      const made = async () => (await runsOf('past')).find(({ id }) => id === next.id)
      await expect.poll(made).toMatchObject({ state: 'made' })
      const jobId = (await made())?.jobId ?? 0
      await untilJob(admin, jobId, { status: 'Completed' })
      const bodies = fresh.accepted(instance.whapiToken).map(({ body }) => body)
      expect(bodies).toEqual(TEXTS.slice(0, sent + 1).flatMap((each) => [each, each]))
    }
  })
})
