import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { foldCounts } from '../../platform/count-fold.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { dashboard } = contract

const now = async (user: TestUser) => (await context.call(user, dashboard.now, {})).body
const ago = (time: string) => sql`clock_now() - ${time}::interval`
const reason = (code: string, params = {}) => JSON.stringify({ code, params })

const jobLists = {
  waitingJobs: 'stuck',
  failedJobs: 'failures',
  runningJobs: 'running',
  upcomingJobs: 'pending',
} as const

/** Expects the lists that the dashboard links to to have the rows that it counts, and no others. */
async function expectSameLists(user: TestUser) {
  const { accounts, ...jobs } = await now(user)
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id).sort()
  const instances = await context.call(user, contract.instances.list, { query: { only: 'attention' } })
  const shown = idsOf(accounts.first.map(({ instance }) => instance))
  expect(idsOf(instances.body.data)).toEqual(expect.arrayContaining(shown))
  expect(instances.body.pagination.totalCount).toBe(accounts.total)
  for (const [name, only] of Object.entries(jobLists)) {
    const { total, first } = jobs[name as keyof typeof jobLists]
    const { data, pagination } = (await context.call(user, contract.jobs.list, { query: { only } })).body
    expect([only, pagination.totalCount, idsOf(data)]).toEqual([only, total, idsOf(first)])
  }
}

/** Changes an instance's row, such as `restricted_until`, by SQL. */
const change = (id: number, set: ReturnType<typeof sql>) =>
  context.db.run(sql`update instances set ${set} where id = ${id}`)

test('nothing needs attention where all is well', async () => {
  const linked = await context.add.instance()
  const fresh = await context.add.instance({ status: 'NeedsLogin' })
  const off = await context.add.instance({ status: 'NeedsLogin', isActive: false })
  await change(linked.id, sql`expired_time = clock_now() + interval '8 days'`)
  await change(off.id, sql`last_sync_at = clock_now()`)
  const nothing = { total: 0, first: [] }
  expect(fresh.id).toBeGreaterThan(0)
  expect(await now(await context.add.admin())).toEqual({
    accounts: nothing,
    waitingJobs: nothing,
    failedJobs: nothing,
    runningJobs: nothing,
    upcomingJobs: nothing,
    possibleOptOuts: 0,
    hasGeneratedPassword: false,
  })
})

// R-1125
test('whoever manages contacts learns how many messages wait for a decision about an opt-out', async () => {
  const { id } = await context.add.instance()
  await context.db.run(sql`
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at, decided_at)
    select ${id}, '84901234567', 'contains', 'xin dừng', n::text, clock_now(), case when n > 1002 then clock_now() end
    from generate_series(1, 1005) n`)
  expect((await now(await context.add.user({ canManageContacts: true }))).possibleOptOuts).toBe(1000)
  expect((await now(await context.add.user())).possibleOptOuts).toBe(0)
})

//
test('only five instances are named, those that can’t send before those that expire', async () => {
  for (let n = 1; n <= 7; n++) {
    const { id } = await context.add.instance({ name: `Shop ${n}` })
    await change(
      id,
      n < 7 ? sql`expired_time = clock_now()` : sql`waiting = ${reason('account_failures')}::jsonb`,
    )
  }
  const admin = await context.add.admin()
  const answer = await now(admin)
  expect(answer.accounts.total).toBe(7)
  const names = answer.accounts.first.map(({ instance }) => instance.name)
  expect(names).toEqual(['Shop 7', 'Shop 1', 'Shop 2', 'Shop 3', 'Shop 4'])
  await expectSameLists(admin)
  expect((await now(await context.add.user())).accounts).toEqual({ total: 0, first: [] })
})

/** A job that a worker has found standing still since so long. */
async function addStanding(instanceId: number, since: string, why: string | null) {
  const job = await context.add.job({ instanceId, status: 'Running' })
  await context.db.run(sql`
    insert into troubles (kind, instance_id, job_id, reason, began_at)
    values ('job_stuck', ${instanceId}, ${job.id}, ${why}::jsonb, ${ago(since)})`)
  return job
}

//
test('a job that has stood still for a minute is named with its reason, until somebody helps', async () => {
  const instance = await context.add.instance()
  const other = await context.add.instance()
  await change(instance.id, sql`waiting = ${reason('account_failures', { count: 10 })}::jsonb`)
  const stopped = await addStanding(instance.id, '2 minutes', reason('account_failures', { count: 10 }))
  await addStanding(instance.id, '30 seconds', reason('account_failures', { count: 10 }))
  const unexplained = await addStanding(other.id, '3 minutes', null)
  const admin = await context.add.admin()
  const waiting = async (user: TestUser) => (await now(user)).waitingJobs

  expect(await waiting(admin)).toMatchObject({
    total: 2,
    first: [
      { id: unexplained.id, endsAt: expect.any(String) },
      { id: stopped.id, waiting: { code: 'account_failures' }, endsAt: null, instanceName: instance.name },
    ],
  })
  const member = await context.add.user({ instances: [instance] })
  expect(await waiting(member)).toMatchObject({ total: 1 })
  for (const user of [admin, member]) await expectSameLists(user)
  await change(instance.id, sql`waiting = null`)
  expect(await waiting(admin)).toMatchObject({ total: 1, first: [{ id: unexplained.id }] })
  await context.call(admin, contract.jobs.pause, { params: { id: unexplained.id } })
  expect(await waiting(admin)).toEqual({ total: 0, first: [] })
})

//
test('a job with failed recipients is named for a week, unless it is sent again', async () => {
  const instance = await context.add.instance()
  const ended = (status: 'Completed' | 'Failed', deliveryStatus: string, days: number) =>
    context.add.job({
      instanceId: instance.id,
      status,
      deliveryStatus,
      completedAt: new Date(Date.now() - days * 86_400_000).toISOString(),
    })
  const failed = await ended('Failed', 'failed', 6)
  await ended('Failed', 'failed', 8)
  await ended('Completed', 'sent', 1)
  // A receipt reports the failure after the job has ended.
  const late = await ended('Completed', 'sent', 2)
  await context.db.run(
    sql`update deliveries set status = 'failed' where job_id = ${late.id} and chat_id = '1@g.us'`,
  )
  const admin = await context.add.admin()
  const named = async (user: TestUser) => (await now(user)).failedJobs

  expect(await named(admin)).toMatchObject({
    total: 2,
    first: [
      { id: late.id, failedCount: 1, sentCount: 2, recipientCount: 3, waiting: null },
      { id: failed.id, failedCount: 3, sentCount: 0 },
    ],
  })
  expect(await named(await context.add.user())).toEqual({ total: 0, first: [] })
  await expectSameLists(admin)
  for (const { id } of [failed, late])
    await context.call(admin, contract.jobs.retryFailed, { params: { id }, body: {} })
  expect(await named(admin)).toEqual({ total: 0, first: [] })
})

//
test('running and upcoming jobs come with their progress and expected end', async () => {
  const instance = await context.add.instance({ groupPauseFromMs: 60_000, groupPauseToMs: 60_000 })
  const other = await context.add.instance({ quietFrom: '00:00', quietTo: '23:59' })
  const noon = '2027-01-05T05:00:00.000Z'
  await context.setClock(noon) // the quiet hours leave a minute out
  const recipients = ['1@g.us', '2@g.us', '3@g.us']
  const moving = await context.add.job({ instanceId: instance.id, status: 'Running', recipients })
  await context.db.run(
    sql`update deliveries set status = 'sent' where job_id = ${moving.id} and chat_id = '1@g.us'`,
  )
  await context.db.run(sql`
    update jobs set cursor = (select id from deliveries where job_id = ${moving.id} and chat_id = '2@g.us')
    where id = ${moving.id}`)
  const quiet = await context.add.job({ instanceId: other.id, status: 'Running' })
  const times = ['2030-01-02', '2030-01-01', '2030-01-03'].map((day) => `${day}T03:00:00.000Z`)
  for (const scheduledAt of times) await context.add.job({ instanceId: instance.id, scheduledAt })
  const admin = await context.add.admin()

  const { runningJobs, upcomingJobs } = await now(admin)
  expect(runningJobs).toMatchObject({
    total: 2,
    first: [
      { id: quiet.id, waiting: { code: 'quiet_hours' } },
      { id: moving.id, sentCount: 1, recipientCount: 3, endsAt: expect.any(String) },
    ],
  })
  // The next message may go at once, and the last one a minute later.
  const left = Date.parse(runningJobs.first[1]?.endsAt ?? '') - Date.parse(noon)
  expect(left).toBeGreaterThan(50_000)
  expect(left).toBeLessThan(70_000)
  expect(upcomingJobs.total).toBe(3)
  expect(upcomingJobs.first.map(({ scheduledAt }) => scheduledAt)).toEqual([...times].sort())
  expect(upcomingJobs.first[0]?.waiting?.code).toBe('scheduled')
  const member = await context.add.user({ instances: [other] })
  const theirs = await now(member)
  expect(theirs.runningJobs).toMatchObject({ total: 1, first: [{ id: quiet.id }] })
  expect(theirs.upcomingJobs).toEqual({ total: 0, first: [] })
  for (const user of [admin, member]) await expectSameLists(user)
})

//
test('the last thirty days are counted for all instances or for one, also as a recorded CSV file', async () => {
  const [mine, other] = [await context.add.instance({ name: 'Shop' }), await context.add.instance()]
  const [admin, member] = [await context.add.admin(), await context.add.user({ instances: [mine] })]
  for (const { id: instanceId } of [mine, other]) {
    const job = await context.add.job({ instanceId, status: 'Running' })
    await context.db.run(sql`
      update deliveries set status = 'sent', sent_at = clock_now() where job_id = ${job.id} and chat_id < '3'`)
    await context.db.run(
      sql`update deliveries set status = 'failed' where job_id = ${job.id} and chat_id > '3'`,
    )
  }
  const days = async (user: TestUser, instanceId?: number) =>
    (await context.call(user, dashboard.days, { query: instanceId === undefined ? {} : { instanceId } })).body
      .days
  const seen = () => Promise.all([days(admin), days(admin, mine.id), days(member), days(member, mine.id)])
  const before = await seen()

  expect(before.map((list) => list.length)).toEqual([30, 30, 30, 30])
  expect(before.map((list) => list[29])).toMatchObject([
    { sent: 4, delivered: 0, read: 0, failed: 2 },
    { sent: 2, failed: 1 },
    { sent: 2, failed: 1 },
    { sent: 2, failed: 1 },
  ])
  expect(before[0]?.slice(0, 29).every(({ sent, failed }) => sent + failed === 0)).toBe(true)
  await foldCounts(context.db)
  expect(await seen()).toEqual(before)

  const [{ day = '' } = {}] = before[1]?.slice(-1) ?? []
  const file = await context.call(member, dashboard.exportDays, { query: { instanceId: mine.id } })
  expect(file.headers['content-disposition']).toContain(`Days_Shop_${day}.csv`)
  const lines = file.raw.toString().trimEnd().split('\r\n')
  expect(lines).toHaveLength(31)
  expect(lines.at(-1)).toBe(`"${day}","2","0","0","1"`)

  expect((await context.call(admin, dashboard.exportDays, { query: {} })).status).toBe(200)
  const entry = { action: 'dashboard.export', objectType: null, objectName: '' }
  expect(
    await context.db.many(sql`select user_id, action, object_type, object_name from audit_log order by id`),
  ).toEqual([
    { ...entry, userId: member.id, objectType: 'instance', objectName: 'Shop' },
    { ...entry, userId: admin.id },
  ])
})
