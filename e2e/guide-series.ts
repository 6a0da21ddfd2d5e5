import { expect } from '@playwright/test'
import { groupsOf } from './fixture.ts'
import { main, mainButton, type Studio, visit } from './guide-studio.ts'

const OFFERS = [
  'Thứ Hai vui vẻ! Giảm *10 %* áo dài lụa đến hết thứ Tư.',
  'Hàng mới đã về: áo dài gấm họa tiết sen. Mời anh chị ghé xem!',
  'Cảm ơn anh chị đã ủng hộ. Tặng khăn lụa cho hóa đơn từ 1 triệu.',
]

/** A series of three messages to a set of groups, with one run moved and one skipped. Returns its id. */
async function addSeries({ staff, admin, running }: Studio['shop']): Promise<number> {
  const { instanceId } = await admin.call('GET /jobs/:id', { params: { id: running.id } })
  const groups = (await groupsOf(admin, { id: instanceId ?? 0 }, 'Khách hàng miền Nam')).map(({ id }) => id)
  const account = { instanceId: instanceId ?? 0 }
  const set = await admin.call('POST /group-sets', {
    body: { ...account, name: 'Khách miền Nam', groupIds: groups, isForAll: true },
  })
  const messageIds: number[] = []
  for (const textContent of OFFERS)
    messageIds.push((await staff.call('POST /messages', { body: { ...account, textContent } })).id)
  const { id } = await staff.call('POST /series', {
    body: {
      ...account,
      ...{ name: 'Ưu đãi hằng tuần', messageIds, groupSetIds: [set.id] },
      rule: {
        ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00'], startsOn: today() },
        ...{ endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
      },
    },
  })
  const { data } = await staff.call('GET /series/:id/runs', { params: { id }, query: { period: 'next' } })
  const [moved, skipped] = data.slice(2)
  if (!moved || !skipped) throw new Error('The series has too few runs.')
  const dueAt = new Date(Date.parse(moved.dueAt) + DAY_MS).toISOString()
  await staff.call('POST /series/:id/runs/:runId/move', { params: { id, runId: moved.id }, body: { dueAt } })
  await staff.call('POST /series/:id/runs/:runId/skip', { params: { id, runId: skipped.id } })
  return id
}

const DAY_MS = 86_400_000
const today = () => new Date().toISOString().slice(0, 10)

/** A series, the calendar with its runs, and a job that a second person approves, in the order of the guide. */
export async function takeSeriesPictures({ page, shop, take }: Studio) {
  const id = await addSeries(shop)
  await visit(page, `/series/${id}`)
  await take('series', main(page), 820)
  // The next month has only runs to come.
  const month = new Date(Date.now() + 31 * DAY_MS).toISOString().slice(0, 7)
  await visit(page, `/calendar?month=${month}`)
  await expect(page.getByText('Ưu đãi hằng tuần').first()).toBeVisible()
  await take('calendar', main(page), 900)
}

/** As an approver sees them: a series and a job that wait. */
export async function takeApprovalPictures({ page, t, shop, take }: Studio) {
  const { admin, staff, running } = shop
  const job = await admin.call('GET /jobs/:id', { params: { id: running.id } })
  const instanceId = job.instanceId ?? 0
  await admin.call('POST /users', {
    body: {
      ...{ username: 'huong.le', email: 'huong@example.com', password: 'secret approver' },
      ...{ assignedInstances: [instanceId], canApproveJobs: true },
    },
  })
  await admin.call('PUT /instances/:id', { params: { id: instanceId }, body: { approval: 'always' } })
  const groups = await groupsOf(admin, { id: instanceId }, 'Khách hàng miền Nam')
  const { id } = await staff.call('POST /jobs', {
    body: {
      ...{ instanceId, message: { textContent: OFFERS[0] ?? '' }, groupIds: groups.map((group) => group.id) },
      scheduledAt: new Date(Date.now() + DAY_MS).toISOString(),
    },
  })
  await visit(page, `/jobs/${id}`)
  await mainButton(page, t('JOB.APPROVE')).waitFor()
  await take('approval', page.getByRole('region', { name: t('JOB.APPROVAL') }))
}
