import { contract } from '@sendroom/contract'
import type { CalendarQuery } from '@sendroom/contract/calendar'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { calendar, jobs, series } = contract

const slow = { groupPauseFromMs: 60_000, groupPauseToMs: 60_000, groupCap: 0 }

async function openFixture() {
  const instance = await context.add.instance(slow)
  const user = await context.add.user({ instances: [instance] })
  const read = async (query: Partial<CalendarQuery> & { from: string }, by: TestUser = user) =>
    (await context.call(by, calendar.read, { query: { days: 2, timeZone: 'UTC', ...query } })).body.days
  const addJob = (scheduledAt: string, columns = {}) =>
    context.add.job({ instanceId: instance.id, scheduledAt, ...columns })
  /** A series with one run, at this instant. */
  const addRun = async (dueAt: string, columns = {}) => {
    const made = await context.add.series({ instanceId: instance.id, ...columns })
    const [run] = made.runs
    await context.db.run(sql`update series_runs set due_at = ${dueAt} where id = ${run?.id ?? 0}`)
    return { ...made, runId: run?.id ?? 0 }
  }
  return { instance, user, read, addJob, addRun }
}

// R-1350, R-1352
test('a day has its jobs and the runs without a job, the earliest first, with their ends at the pace', async () => {
  const { instance, read, addJob, addRun } = await openFixture()
  const later = await addJob('2030-03-01T10:00:00Z', { name: 'Spring' })
  const run = await addRun('2030-03-01T09:00:00Z', { name: 'News' })
  await addJob('2030-03-02T23:59:59Z', { textContent: 'a'.repeat(200) })
  const [first, second] = await read({ from: '2030-03-01' })
  const of = {
    instance: { id: instance.id, name: instance.name },
    jobType: 'SendToGroups',
    isPaused: false,
    review: null,
  }
  expect(first).toEqual({
    day: '2030-03-01',
    count: 2,
    isMore: false,
    entries: [
      {
        ...{ ...of, kind: 'run', id: run.runId, seriesId: run.id, name: 'News', state: 'planned' },
        ...{ startsAt: '2030-03-01T09:00:00.000Z', endsAt: '2030-03-01T09:00:00.000Z', recipientCount: 1 },
        ...{ competes: false, isMovable: true, version: null },
      },
      {
        ...{ ...of, kind: 'job', id: later.id, seriesId: null, name: 'Spring', state: 'Pending' },
        ...{ startsAt: '2030-03-01T10:00:00.000Z', endsAt: '2030-03-01T10:02:00.000Z', recipientCount: 3 },
        ...{ competes: false, isMovable: true, version: 1 },
      },
    ],
  })
  expect(second?.entries.map(({ name }) => name)).toEqual(['a'.repeat(100)])
})

// R-1350
test('a job that began stands at its beginning, and a run that was made is its job', async () => {
  const { read, addJob, addRun } = await openFixture()
  const ended = await addJob('2020-05-01T09:00:00Z', {
    ...{ status: 'Completed', startedAt: '2020-05-01T10:00:00Z', completedAt: '2020-05-01T10:30:00Z' },
  })
  await addJob('2020-05-01T11:00:00Z', { status: 'Cancelled', completedAt: '2020-04-30T11:00:00Z' })
  const run = await addRun('2020-05-01T10:00:00Z', { name: 'News' })
  await context.db.run(
    sql`update series_runs set state = 'made', job_id = ${ended.id} where id = ${run.runId}`,
  )
  const skipped = await addRun('2020-05-02T10:00:00Z')
  await context.db.run(sql`update series_runs set state = 'skipped' where id = ${skipped.runId}`)
  const [first, second] = await read({ from: '2020-05-01' })
  expect(first?.entries).toMatchObject([
    {
      ...{ kind: 'job', name: 'News', seriesId: run.id, state: 'Completed', isMovable: false },
      ...{ startsAt: '2020-05-01T10:00:00.000Z', endsAt: '2020-05-01T10:30:00.000Z' },
    },
    { kind: 'job', state: 'Cancelled', endsAt: null },
  ])
  expect(second?.entries).toMatchObject([{ kind: 'run', state: 'skipped', endsAt: null, isMovable: false }])
})

// R-1350
test('a job in review says so, and is not moved; an overdue one has no end and competes with nobody', async () => {
  const { read, addJob } = await openFixture()
  const { id } = await addJob('2030-03-01T10:00:00Z')
  await addJob('2030-03-01T10:00:00Z')
  const entry = async () => (await read({ from: '2030-03-01' }))[0]?.entries.find((one) => one.id === id)
  const become = (review: string) => context.db.run(sql`update jobs set review = ${review} where id = ${id}`)
  await become('in_review')
  expect(await entry()).toMatchObject({ review: 'in_review', isMovable: false, competes: true })
  await become('overdue')
  expect(await entry()).toMatchObject({ review: 'overdue', isMovable: true, competes: false, endsAt: null })
})

// R-1351
test('days begin at midnight of the zone, also when the clocks change', async () => {
  const { read, addJob } = await openFixture()
  // New York sets its clocks back on this day, so it has 25 hours.
  for (const at of [
    '2030-11-03T03:59:00Z',
    '2030-11-03T04:00:00Z',
    '2030-11-04T04:59:00Z',
    '2030-11-04T05:00:00Z',
  ])
    await addJob(at, { name: at })
  const days = await read({ from: '2030-11-02', days: 3, timeZone: 'America/New_York' })
  expect(days.map(({ day, entries }) => [day, ...entries.map(({ name }) => name)])).toEqual([
    ['2030-11-02', '2030-11-03T03:59:00Z'],
    ['2030-11-03', '2030-11-03T04:00:00Z', '2030-11-04T04:59:00Z'],
    ['2030-11-04', '2030-11-04T05:00:00Z'],
  ])
})

// R-1353
test('entries of one account that send at the same time are marked', async () => {
  const { read, addJob, addRun } = await openFixture()
  const other = await context.add.instance(slow)
  await addJob('2029-12-31T23:59:00Z', { name: 'from the day before' })
  await addJob('2030-01-01T00:00:30Z', { name: 'first of the day' })
  await addJob('2030-01-01T09:00:00Z', { name: 'job' })
  await addRun('2030-01-01T09:01:59Z', { name: 'run' })
  await addJob('2030-01-01T09:03:00Z', { name: 'after both' })
  await addJob('2030-01-01T12:00:00Z', { name: 'alone' })
  await addJob('2030-01-01T12:00:00Z', { name: 'paused', pausedAt: '2026-01-01T00:00:00Z' })
  await addJob('2030-01-01T12:00:00Z', { name: 'of another account', instanceId: other.id })
  const [day] = await read({ from: '2030-01-01' }, await context.add.admin())
  expect(day?.entries.filter(({ competes }) => competes).map(({ name }) => name)).toEqual([
    'first of the day',
    'job',
    'run',
  ])
})

// R-1354
test('a Member sees the entries of their accounts, and a filter leaves those of one', async () => {
  const { instance, user, read, addJob, addRun } = await openFixture()
  const foreign = await context.add.instance()
  const second = await context.add.instance()
  const both = await context.add.user({ instances: [instance, second] })
  await addJob('2031-01-01T09:00:00Z', { name: 'own' })
  await addRun('2031-01-01T10:00:00Z', { name: 'own series' })
  for (const { id } of [foreign, second]) {
    await addJob('2031-01-01T09:00:00Z', { name: `job ${id}`, instanceId: id })
    await addRun('2031-01-01T10:00:00Z', { name: `series ${id}`, instanceId: id })
  }
  const namesFor = async (by: TestUser, instanceId?: number) => {
    const [day] = await read({ from: '2031-01-01', ...(instanceId && { instanceId }) }, by)
    expect(day?.count).toBe(day?.entries.length)
    return day?.entries.map(({ name }) => name)
  }
  expect(await namesFor(user)).toEqual(['own', 'own series'])
  expect(await namesFor(user, foreign.id)).toEqual([])
  const ofSecond = [`job ${second.id}`, `series ${second.id}`]
  expect((await namesFor(both))?.toSorted()).toEqual(['own', 'own series', ...ofSecond].toSorted())
  expect(await namesFor(both, second.id)).toEqual(ofSecond)
  expect(await namesFor(await context.add.admin(), foreign.id)).toEqual([
    `job ${foreign.id}`,
    `series ${foreign.id}`,
  ])
})

// R-1355
test('a full day has its number and its first twenty, alone its first 200', async () => {
  const { instance, read } = await openFixture()
  await context.db.run(sql`
    insert into jobs (job_type, text_content, name, instance_id, recipient_count, created_by_user_name, scheduled_at)
    select 'SendToGroups', 'Hello', n::text, ${instance.id}, 0, 'somebody',
      '2031-05-01T00:00:00Z'::timestamptz + n * interval '1 minute' from generate_series(1, 201) n`)
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`)
  const [full, empty] = await read({ from: '2031-05-01' })
  expect(full).toMatchObject({ count: 200, isMore: true })
  expect(full?.entries.map(({ name }) => name)).toEqual(names(20))
  expect(empty).toEqual({ day: '2031-05-02', count: 0, isMore: false, entries: [] })
  const [alone] = await read({ from: '2031-05-01', days: 1 })
  expect(alone?.entries.map(({ name }) => name)).toEqual(names(200))
})

// R-1356
test('what the calendar says of an entry moves it', async () => {
  const { user, read, addJob, addRun } = await openFixture()
  const { id } = await addJob('2031-07-01T09:00:00Z')
  const soon = new Date(Date.now() + 86_400_000).toISOString()
  const run = await addRun(soon)
  const [entry] = (await read({ from: '2031-07-01' }))[0]?.entries ?? []
  const scheduledAt = '2031-07-02T09:00:00.000Z'
  const change = { params: { id }, body: { version: entry?.version ?? 0, scheduledAt } }
  expect((await context.call(user, jobs.change, change)).status).toBe(200)
  expect((await context.call(user, jobs.change, change)).body.code).toBe('stale_version')
  const dueAt = new Date(Date.now() + 2 * 86_400_000).toISOString()
  await context.call(user, series.moveRun, { params: { id: run.id, runId: run.runId }, body: { dueAt } })
  expect((await read({ from: '2031-07-01' })).map(({ entries }) => entries.map((one) => one.id))).toEqual([
    [],
    [id],
  ])
  const days = await read({ from: soon.slice(0, 10), days: 4 })
  expect(days.flatMap(({ entries }) => entries).map(({ startsAt }) => startsAt)).toEqual([dueAt])
})

// R-1357
test('a first run has as many recipients as its groups and lists, later ones as many as the last', async () => {
  const { instance, read, addRun } = await openFixture()
  const groups = [
    await context.add.group({ instanceId: instance.id }),
    await context.add.group({ instanceId: instance.id }),
  ]
  const run = await addRun('2031-09-01T09:00:00Z', { groups })
  const countOf = async () => (await read({ from: '2031-09-01' }))[0]?.entries[0]?.recipientCount
  expect(await countOf()).toBe(2)
  const job = await context.add.job({ instanceId: instance.id, recipients: ['1@g.us', '2@g.us', '3@g.us'] })
  await context.db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at, state, job_id)
    values (${run.id}, '2026-01-01T09:00', 1, '2026-01-01T09:00:00Z', 'made', ${job.id})`)
  expect(await countOf()).toBe(3)
  const filtered = await context.add.list({
    kind: 'filter',
    filter: { search: '', tagIds: [], fields: [] },
  })
  const ofPeople = await addRun('2031-09-02T09:00:00Z', { jobType: 'SendToUsers' })
  await context.db.run(sql`insert into series_lists values (${ofPeople.id}, ${filtered.id}, false)`)
  const [, day] = await read({ from: '2031-09-01' })
  expect(day?.entries[0]).toMatchObject({ recipientCount: null, endsAt: null })
})

// R-1350
test.each([
  { from: '' },
  { from: '2030-02-30' },
  { from: '9999-12-31' },
  { from: '2030-01-01', days: 43 },
  { from: '2030-01-01', timeZone: 'Mars/Base' },
])('%o is refused', async (query) => {
  const { status } = await context.call(await context.add.admin(), calendar.read, { query })
  expect(status).toBe(400)
})

// R-1354
test('a job that has left the account of its series says nothing of the series to those who don’t see that', async () => {
  const { instance, user, read, addRun } = await openFixture()
  const elsewhere = await context.add.instance(slow)
  const reader = await context.add.user({ instances: [elsewhere] })
  const scheduledAt = '2031-07-01T10:00:00Z'
  const job = await context.add.job({ instanceId: elsewhere.id, scheduledAt, textContent: 'Hello' })
  const run = await addRun(scheduledAt, { name: 'Secret' })
  await context.db.run(sql`update series_runs set state = 'made', job_id = ${job.id} where id = ${run.runId}`)
  const both = await context.add.user({ instances: [instance, elsewhere] })
  const seenBy = async (by: TestUser) => [
    (await read({ from: '2031-07-01' }, by))[0]?.entries.map(({ name, seriesId }) => [name, seriesId]),
    (await context.call(by, jobs.get, { params: { id: job.id } })).body.series ?? null,
  ]
  expect(await seenBy(reader)).toEqual([[['Hello', null]], null])
  expect(await seenBy(both)).toEqual([[['Secret', run.id]], { id: run.id, name: 'Secret' }])
  expect((await read({ from: '2031-07-01' }, user))[0]?.entries).toEqual([])
})
