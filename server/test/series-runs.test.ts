import { expect, test } from 'vitest'
import { createJobOfRun } from '../src/features/jobs/new-job.service.ts'
import { type MakeDeps, makeDueRuns, planDueSeries } from '../src/features/series/make-due.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

const context = useContext()
const never = new AbortController().signal

const deps = (): MakeDeps => ({
  db: context.db,
  createJob: (begin, order) => createJobOfRun('VN', begin, order),
})
const make = (more: Partial<MakeDeps> = {}) => makeDueRuns({ ...deps(), ...more }, never)

type Options = Parameters<typeof context.add.series>[0] & { rights?: Parameters<typeof context.add.user>[0] }

/** A series whose run has been due for a minute. */
async function dueSeries({ rights = {}, ...options }: Options = {}) {
  const instance = await context.add.instance()
  const author = await context.add.user({ instances: [instance], ...rights })
  const messages = [
    await context.add.message({ instanceId: instance.id, textContent: 'One' }),
    await context.add.message({ instanceId: instance.id, textContent: 'Two' }),
  ]
  const added = await context.add.series({
    instanceId: instance.id,
    messages,
    authorId: author.id,
    authorName: author.username,
    runsInMinutes: [-1],
    ...options,
  })
  const runs = () =>
    context.db.many<{ state: string; why: string | null; jobId: number | null; outcome: string | null }>(sql`
      select state, reason->>'code' as why, job_id, outcome from series_runs where series_id = ${added.id}
      order by local_time`)
  const jobs = () =>
    context.db.many<{ id: number; textContent: string; scheduledAt: string; createdByUserId: number }>(sql`
      select id, text_content, scheduled_at, created_by_user_id from jobs where instance_id = ${instance.id} order by id`)
  const state = () =>
    context.db.one<{ state: string; why: string | null; nextPosition: number }>(sql`
      select state, paused_reason->>'code' as why, next_position from series where id = ${added.id}`)
  const addRun = (minutes: number) =>
    context.db.run(sql`
      insert into series_runs (series_id, local_time, number, due_at)
      values (${added.id}, ${`2099-01-01T${minutes}`}, 9, clock_now() + ${minutes} * interval '1 minute')`)
  const endJobs = (status: string) =>
    context.db.run(sql`
      update jobs set status = ${status}, completed_at = clock_now() where instance_id = ${instance.id} and status = 'Pending'`)
  return { ...added, instance, author, messages, runs, jobs, state, addRun, endJobs }
}

// R-1306
test('a due run becomes a job of its author at its own time, with the next message', async () => {
  const { jobs, runs, state, author, addRun, endJobs } = await dueSeries()
  await make()
  const [job] = await jobs()
  expect(job).toMatchObject({ textContent: 'One', createdByUserId: author.id })
  expect(Date.parse(job?.scheduledAt ?? '')).toBeLessThan(Date.now() - 59_000)
  expect(await runs()).toEqual([{ state: 'made', why: null, jobId: job?.id, outcome: null }])
  expect((await state()).nextPosition).toBe(1)
  await endJobs('Completed')
  await addRun(0)
  await make()
  expect((await jobs()).map(({ textContent }) => textContent)).toEqual(['One', 'Two'])
  expect(await state()).toMatchObject({ state: 'active', nextPosition: 0 })
  expect((await runs()).map(({ outcome }) => outcome)).toEqual(['completed', null])
  const entries = await context.db.many(sql`
    select user_id, action from audit_log where action = 'job.create'`)
  expect(entries).toEqual(Array(2).fill({ userId: author.id, action: 'job.create' }))
})

// R-1513
test('a run with a message of its own sends that one, in its turn, and a program that does not know it makes none', async () => {
  const { id, instance, runs, jobs, state, addRun, endJobs } = await dueSeries()
  const other = await context.add.message({ instanceId: instance.id, textContent: 'Other' })
  await context.db.run(sql`update series_runs set message_id = ${other.id} where series_id = ${id}`)
  const unaware: MakeDeps['createJob'] = (begin, order) =>
    createJobOfRun('VN', begin, { ...order, messageId: other.id - 1 })
  await expect(make({ createJob: unaware })).rejects.toThrow('has a message of its own')
  expect(await jobs()).toEqual([])
  expect(await runs()).toMatchObject([{ state: 'planned' }])
  await make()
  expect((await state()).nextPosition).toBe(1)
  await endJobs('Completed')
  await addRun(0)
  await make()
  expect((await jobs()).map(({ textContent }) => textContent)).toEqual(['Other', 'Two'])
  expect(await context.db.run(sql`select from series_runs where message_id is not null`)).toBe(0)
})

// R-1307
test('two processes that make due runs at once make one job', async () => {
  const series = [await dueSeries(), await dueSeries(), await dueSeries()]
  await Promise.all(Array.from({ length: 6 }, () => make()))
  for (const { jobs, runs } of series) {
    expect(await jobs()).toHaveLength(1)
    expect(await runs()).toMatchObject([{ state: 'made' }])
  }
})

// R-1307
test('a process that dies between the job and the mark leaves neither', async () => {
  const { jobs, runs } = await dueSeries()
  const dying: MakeDeps['createJob'] = (begin, order) =>
    createJobOfRun(
      'VN',
      (work) =>
        begin(async (tx, author) => {
          await work(tx, author)
          throw new Error('killed')
        }),
      order,
    )
  await expect(make({ createJob: dying })).rejects.toThrow('killed')
  expect([await jobs(), await runs()]).toMatchObject([[], [{ state: 'planned' }]])
  await make()
  expect(await jobs()).toHaveLength(1)
})

test('a series that fails unexpectedly holds up no other', async () => {
  const [broken, other] = [await dueSeries(), await dueSeries()]
  const createJob: MakeDeps['createJob'] = (begin, order) =>
    order.instanceId === broken.instance.id
      ? Promise.reject(new Error('bug'))
      : createJobOfRun('VN', begin, order)
  await expect(make({ createJob })).rejects.toThrow('bug')
  expect(await other.jobs()).toHaveLength(1)
  expect(await broken.runs()).toMatchObject([{ state: 'planned' }])
})

// R-1308
test.each([
  ['is locked', sql`update users set is_active = false`, 'series_author_gone'],
  ['is gone', sql`update series set author_id = null`, 'series_author_gone'],
  ['may create no jobs', sql`update users set can_create_jobs = false`, 'series_author_no_right'],
  ['lost the account', sql`delete from user_instances`, 'series_author_no_account'],
  ['may not use a message', sql`update messages set instance_id = null`, 'series_author_no_source'],
])('a series pauses when its author %s', async (_, change, why) => {
  const { jobs, runs, state } = await dueSeries()
  await context.db.run(change)
  await make()
  expect(await jobs()).toEqual([])
  expect(await state()).toMatchObject({ state: 'paused', why })
  expect(await runs()).toMatchObject([{ state: 'skipped', why: 'run_series_paused' }])
  const entries = await context.db.many(
    sql`select user_id, details from audit_log where action = 'series.pause'`,
  )
  expect(entries).toEqual([{ userId: null, details: { reason: why } }])
})

// R-1309
test.each([
  ['inactive', sql`update instances set is_active = false`, 'account_inactive'],
  [
    'unpaid',
    sql`update instances set waiting = '{"code":"account_unpaid","params":{}}'::jsonb`,
    'account_unpaid',
  ],
])('a series pauses when its account is %s', async (_, change, why) => {
  const { jobs, state } = await dueSeries()
  await context.db.run(change)
  await make()
  expect([await jobs(), await state()]).toMatchObject([[], { state: 'paused', why }])
})

// R-1309
test('three failed runs in a row pause a series, and one that is completed begins anew', async () => {
  const { addRun, endJobs, state, runs } = await dueSeries()
  const runWith = async (status: string, minutes: number) => {
    await make()
    await endJobs(status)
    await make()
    await addRun(minutes)
  }
  await runWith('Failed', -10)
  await runWith('Failed', -9)
  await runWith('Completed', -8)
  await runWith('Failed', -7)
  // A job that can't be made counts, too.
  await context.db.run(sql`update groups set left_at = clock_now()`)
  await make()
  expect((await runs()).map(({ why }) => why)).toContain('run_nobody')
  expect((await state()).state).toBe('active')
  await addRun(-6)
  await make()
  expect(await state()).toMatchObject({ state: 'paused', why: 'series_runs_failed' })
})

// R-1311
test.each(['skip', 'wait'])(
  'while the job of the former run sends, the next one has to %s',
  async (overlap) => {
    const { addRun, endJobs, jobs, runs } = await dueSeries({ overlap })
    await make()
    await addRun(0)
    await make()
    expect(await jobs()).toHaveLength(1)
    expect((await runs())[1]).toMatchObject(
      overlap === 'skip' ? { state: 'skipped', why: 'run_overlaps' } : { state: 'waiting', why: 'run_waits' },
    )
    await endJobs('Completed')
    await context.moveClock('3 hours')
    await make()
    expect(await jobs()).toHaveLength(overlap === 'skip' ? 1 : 2)
  },
)

// R-1311
test('a former job that is sent again counts as still sending', async () => {
  const { jobs, runs, addRun, endJobs } = await dueSeries()
  await make()
  await endJobs('Completed')
  await make()
  await context.db.run(
    sql`update jobs set status = 'Pending', completed_at = null where id = ${(await jobs())[0]?.id}`,
  )
  await addRun(0)
  await make()
  expect((await runs()).map(({ state, why }) => `${state} ${why}`)).toEqual([
    'made null',
    'skipped run_overlaps',
  ])
})

// R-1307
test('an author who is deleted while a run is made waits for no lock that waits for them', async () => {
  const { author } = await dueSeries()
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // As the deletion of a user: first the user, then what refers to them.
  const deletion = context.db.begin(async (tx) => {
    await tx.run(sql`select from users where id = ${author.id} for update`)
    locked.resolve()
    await release.promise
    await tx.run(sql`update series set author_id = null where author_id = ${author.id}`)
  })
  await locked.promise
  const making = make()
  await until('the run waits for its author', async () => (await countWaiting(context.db)) > 0)
  release.resolve()
  await expect(Promise.all([deletion, making])).resolves.toBeDefined()
})

// R-1310
test('after an outage the latest run is made once, and others are missed', async () => {
  const { jobs, runs } = await dueSeries({ runsInMinutes: [-300, -90, -30] })
  await make()
  expect((await runs()).map(({ state }) => state)).toEqual(['missed', 'missed', 'made'])
  expect(await jobs()).toHaveLength(1)
})

// R-1310
test('a machine that sleeps before it makes a run misses it', async () => {
  const { jobs, runs } = await dueSeries()
  const createJob: MakeDeps['createJob'] = async (begin, order) => {
    await context.moveClock('3 hours')
    return createJobOfRun('VN', begin, order)
  }
  await make({ createJob })
  await make()
  expect([await jobs(), await runs()]).toMatchObject([[], [{ state: 'missed', why: 'run_late' }]])
})

// R-1323
test('what comes due while a series is paused is skipped, also after a restore', async () => {
  const reason = JSON.stringify({ code: 'series_paused_by_restore', params: {} })
  const { jobs, runs } = await dueSeries({ state: 'paused', pausedReason: reason })
  await make()
  expect([await jobs(), await runs()]).toMatchObject([[], [{ state: 'skipped', why: 'run_series_paused' }]])
})

// R-1303
test('groups that the account has left are left out, and frozen ones are read from the series', async () => {
  const instance = await context.add.instance()
  const [kept, left, later] = [
    await context.add.group({ instanceId: instance.id }),
    await context.add.group({ instanceId: instance.id }),
    await context.add.group({ instanceId: instance.id }),
  ]
  const author = await context.add.user({ instances: [instance] })
  const common = { instanceId: instance.id, authorId: author.id, runsInMinutes: [-1] }
  await context.add.series({ ...common, groups: [kept, left] })
  await context.add.series({
    ...common,
    groups: [later],
    frozen: JSON.stringify({ ids: [kept.id, left.id], numbers: [] }),
  })
  await context.db.run(sql`update groups set left_at = clock_now() where id = ${left.id}`)
  await make()
  const sentTo = await context.db.many<{ groupId: number }>(sql`select group_id from deliveries`)
  expect(sentTo.map(({ groupId }) => groupId)).toEqual([kept.id, kept.id])
})

// R-1314
test('the quota of the author holds, and the refusal is the reason of the run', async () => {
  const { jobs, runs, instanceId, id } = await dueSeries()
  const { id: groupId } = await context.add.group({ instanceId })
  await context.db.run(sql`
    update series set recipients = jsonb_insert(recipients, '{groupIds,0}', to_jsonb(${groupId}::bigint)) where id = ${id}`)
  await context.db.run(sql`update quotas set recipients_per_user = 1`)
  await make()
  expect([await jobs(), await runs()]).toMatchObject([[], [{ state: 'failed', why: 'run_quota' }]])
})

// R-1330
test.each([
  ['before', '1 hour', true],
  ['after', '-1 hour', false],
])('a run from %s an era opens the check of its account’s history', async (_, later, isOpened) => {
  const { instance } = await dueSeries()
  await context.db.run(sql`
    update heartbeat set era = gen_random_uuid(), history_complete_at = clock_now() + ${later}::interval`)
  await context.db.run(sql`update instances set checked_era = current_era()`)
  await make()
  const { isChecked } = await context.db.one<{ isChecked: boolean }>(sql`
    select checked_era is not distinct from current_era() as is_checked from instances where id = ${instance.id}`)
  expect(isChecked).toBe(!isOpened)
})

// R-1301, R-1302
test('runs are planned further ahead day by day, and a series ends after its last run', async () => {
  const rule = (more: object) =>
    JSON.stringify({
      frequency: 'day',
      every: 1,
      times: ['09:00'],
      startsOn: '2026-01-01',
      endsOn: null,
      runLimit: null,
      timeZone: 'UTC',
      ...more,
    })
  const plannedUntil = new Date().toISOString()
  const goesOn = await context.add.series({ rule: rule({}), plannedUntil, runsInMinutes: [] })
  const ends = await context.add.series({ rule: rule({ runLimit: 1 }), plannedUntil, runsInMinutes: [] })
  await planDueSeries(context.db, never)
  await planDueSeries(context.db, never)
  const found = await context.db.many(sql`
    select s.state, (select count(*) from series_runs r where r.series_id = s.id) as runs from series s order by id`)
  expect(found).toEqual([
    { state: 'active', runs: 62 },
    { state: 'ended', runs: 0 },
  ])
  expect(goesOn.id).toBeLessThan(ends.id)
})
