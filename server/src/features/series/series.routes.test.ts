import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { groupSets, instances, lists, messages, series } = contract
const of = (id: number) => ({ params: { id } })

type Form = Input<typeof series.create>['body']

const DAY_MS = 86_400_000
const dayAhead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

const daily: Form['rule'] = {
  frequency: 'day',
  every: 1,
  times: ['09:00'],
  startsOn: '2026-01-01',
  endsOn: null,
  runLimit: null,
  timeZone: 'UTC',
}

async function openFixture(rights: Parameters<typeof context.add.user>[0] = {}) {
  const instance = await context.add.instance()
  const user = await context.add.user({ instances: [instance], ...rights })
  const group = await context.add.group({ instanceId: instance.id, name: 'Family' })
  const [first, second] = [
    await context.add.message({ instanceId: instance.id, textContent: 'One' }),
    await context.add.message({ instanceId: instance.id, textContent: 'Two' }),
  ]
  const form: Form = {
    name: 'News',
    instanceId: instance.id,
    messageIds: [first.id, second.id],
    groupIds: [group.id],
    rule: daily,
  }
  const create = (more: Partial<Form> = {}, by: TestUser = user) =>
    context.call(by, series.create, { body: { ...form, ...more } })
  const change = (id: number, more: Partial<Input<typeof series.update>['body']>, by: TestUser = user) =>
    context.call(by, series.update, { ...of(id), body: { ...form, ...more } })
  const read = async (id: number) => (await context.call(user, series.get, of(id))).body
  const runsOf = async (id: number, period: 'next' | 'past' = 'next') =>
    (await context.call(user, series.runs, { ...of(id), query: { pageSize: 100, period } })).body.data
  return { instance, user, group, first, second, form, create, change, read, runsOf }
}

// R-1300, R-1301
test('a series is saved with its messages in turn, and its runs are planned', async () => {
  const { create, user, instance, group, first, second, runsOf } = await openFixture()
  const { status, body } = await create({ quietDays: [dayAhead(3), dayAhead(3)], quietPolicy: 'skip' })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    name: 'News',
    instance: { id: instance.id, name: instance.name },
    jobType: 'SendToGroups',
    state: 'active',
    pausedReason: null,
    rule: daily,
    messageCount: 2,
    nextRun: expect.objectContaining({ state: 'planned' }),
    authorName: user.username,
    createdAt: expect.any(String),
    messages: [
      { id: first.id, textContent: 'One', imageUrl: null, content: null },
      { id: second.id, textContent: 'Two', imageUrl: null, content: null },
    ],
    nextPosition: 0,
    changedRuns: [],
    groups: [{ id: group.id, name: 'Family' }],
    contacts: [],
    phoneNumbers: '',
    contactIds: [],
    fallbacks: {},
    leaveOutIncomplete: false,
    groupSets: [],
    lists: [],
    excludedLists: [],
    isFrozen: false,
    approval: null,
    frozenCount: null,
    quietDays: [dayAhead(3)],
    quietPolicy: 'skip',
    overlap: 'skip',
    version: 1,
  })
  const runs = await runsOf(body.id)
  expect(runs).toHaveLength(62)
  expect(body.nextRun).toEqual(runs[0])
  expect(runs.find(({ localTime }) => localTime === `${dayAhead(3)}T09:00`)).toMatchObject({
    state: 'skipped',
    reason: { code: 'run_quiet' },
  })
  const listed = await context.call(user, series.list, { query: { sortBy: 'nextRun', state: 'active' } })
  expect(listed.body.data.map(({ id }) => id)).toEqual([body.id])
})

test('a series names its own groups and contacts, and no others', async () => {
  const { create, group, instance, read } = await openFixture({
    canUseContacts: true,
    canManageContacts: true,
  })
  const lan = await context.add.contact({ name: 'Lan' })
  await context.add.contact({ name: 'Minh' })
  await context.add.group({ instanceId: instance.id })
  await context.add.group()
  expect(await read((await create()).body.id)).toMatchObject({ groups: [{ id: group.id, name: 'Family' }] })
  const toPeople = {
    name: 'To Lan',
    jobType: 'SendToUsers',
    groupIds: [],
    contactIds: [lan.id],
  } satisfies Partial<Form>
  const { body } = await create(toPeople)
  expect(await read(body.id)).toMatchObject({ groups: [], contacts: [{ id: lan.id, name: 'Lan' }] })
})

// R-1300
test('what cannot be sent is refused at its field', async () => {
  const { create, user } = await openFixture()
  const foreign = await context.add.group()
  const withVariable = await context.add.message({ createdByUserId: user.id, textContent: 'Hi {{name}}' })
  await context.db.run(sql`update messages set has_variables = true where id = ${withVariable.id}`)
  const hidden = await context.add.message({ instanceId: foreign.instanceId })
  const list = await context.add.list()
  const refused: [Partial<Form>, string][] = [
    [{ name: ' ' }, 'name'],
    [{ instanceId: foreign.instanceId }, 'instanceId'],
    [{ messageIds: [] }, 'messageIds'],
    [{ messageIds: [hidden.id] }, 'messageIds'],
    [{ messageIds: [withVariable.id] }, 'messageIds'],
    [{ groupIds: [] }, 'groupIds'],
    [{ groupIds: [foreign.id] }, 'groupIds'],
    [{ jobType: 'SendToUsers' }, 'phoneNumbers'],
    [{ jobType: 'SendToUsers', listIds: [list.id] }, 'listIds'],
    [{ rule: { ...daily, times: [] } }, 'rule.times'],
  ]
  for (const [more, field] of refused) {
    const { status, body } = await create({ name: field, ...more })
    expect([more, status, Object.keys(body.fields ?? {})]).toEqual([more, 400, [field]])
  }
})

test('no two series of an account have a name, whatever its case', async () => {
  const { create } = await openFixture()
  await create()
  expect((await create({ name: 'NEWS' })).body.code).toBe('series_taken')
})

// R-1304
test('whoever saves a series is its author, and needs the rights for all of it', async () => {
  const { create, change, instance } = await openFixture({ canManageContacts: true })
  const other = await context.add.user({ instances: [instance] })
  const list = await context.add.list({ contacts: [await context.add.contact()] })
  const { body } = await create({ jobType: 'SendToUsers', listIds: [list.id] })
  const people: Partial<Form> = { jobType: 'SendToUsers', listIds: [list.id] }
  expect((await change(body.id, people, other)).body.fields).toHaveProperty('listIds')
  expect((await change(body.id, {}, other)).body).toMatchObject({ authorName: other.username, version: 2 })
  expect((await change(body.id, { version: 1 })).body.code).toBe('stale_version')
})

// R-1303
test('frozen recipients stay, until others are chosen', async () => {
  const { create, change, read, instance } = await openFixture({ canManageContacts: true })
  const [an, binh] = [await context.add.contact(), await context.add.contact()]
  const list = await context.add.list({ contacts: [an] })
  const chosen: Partial<Form> = { jobType: 'SendToUsers', listIds: [list.id], isFrozen: true }
  const { id } = (await create({ ...chosen, phoneNumbers: '+84901234567' })).body
  const frozenOf = async () => {
    const row = await context.db.one<{ frozen: unknown }>(sql`select frozen from series where id = ${id}`)
    return row.frozen
  }
  expect(await frozenOf()).toEqual({ ids: [an.id], numbers: ['+84901234567'] })
  expect((await read(id)).frozenCount).toBe(2)
  await context.db.run(sql`insert into list_contacts values (${list.id}, ${binh.id})`)
  await change(id, { ...chosen, phoneNumbers: '+84901234567', name: 'Renamed' })
  expect(await frozenOf()).toEqual({ ids: [an.id], numbers: ['+84901234567'] })
  await change(id, chosen)
  expect(await frozenOf()).toMatchObject({ ids: expect.arrayContaining([an.id, binh.id]), numbers: [] })
  const set = await context.add.groupSet({
    instanceId: instance.id,
    isForAll: true,
    groups: [await context.add.group({ instanceId: instance.id })],
  })
  await change(id, { groupSetIds: [set.id], isFrozen: false })
  expect(await frozenOf()).toBeNull()
})

// R-1305
test('what a series uses can’t be deleted before the series has ended', async () => {
  const { create, user, instance, first } = await openFixture({ canManageContacts: true })
  const admin = await context.add.admin()
  const list = await context.add.list({ contacts: [await context.add.contact()] })
  const set = await context.add.groupSet({ instanceId: instance.id, createdByUserId: user.id })
  const people = (await create({ name: 'People', jobType: 'SendToUsers', listIds: [list.id] })).body
  const toGroups = (await create({ name: 'Groups', groupSetIds: [set.id] })).body
  const attempts = [
    () => context.call(user, messages.remove, of(first.id)),
    () => context.call(user, lists.remove, of(list.id)),
    () => context.call(user, groupSets.remove, of(set.id)),
  ]
  const answers = async () => {
    const codes = []
    for (const attempt of attempts) codes.push((await attempt()).body?.params?.series ?? 'deleted')
    return codes
  }
  expect(await answers()).toEqual(['People', 'People', 'Groups'])
  for (const { id } of [people, toGroups]) await context.call(user, series.end, of(id))
  expect(await answers()).toEqual(['deleted', 'deleted', 'deleted'])
  expect((await context.call(admin, instances.clearData, of(instance.id))).status).toBe(204)
  expect(await context.db.run(sql`select from series where instance_id = ${instance.id}`)).toBe(0)
})

// R-1320
test('changed times hold from tomorrow on, and other changes leave the runs alone', async () => {
  const { create, change, runsOf } = await openFixture()
  const { id } = (await create({ rule: { ...daily, times: ['00:00', '23:59'] } })).body
  const before = await runsOf(id)
  await change(id, { name: 'Renamed', rule: { ...daily, times: ['00:00', '23:59'] } })
  expect(await runsOf(id)).toEqual(before)
  await change(id, { rule: { ...daily, times: ['12:00'] } })
  const after = await runsOf(id)
  const today = new Date().toISOString().slice(0, 10)
  expect(after.filter(({ localTime }) => localTime.startsWith(today))).toEqual(
    before.filter(({ localTime }) => localTime.startsWith(today)),
  )
  expect(
    new Set(
      after.filter(({ localTime }) => !localTime.startsWith(today)).map((run) => run.localTime.slice(11)),
    ),
  ).toEqual(new Set(['12:00']))
})

// R-1320
test('days that quiet times had skipped get runs when the rule or the quiet days change', async () => {
  const { create, change, runsOf } = await openFixture()
  const quietDays = [3, 4].map(dayAhead)
  const { id } = (await create({ quietDays, quietPolicy: 'skip' })).body
  const statesOf = async () =>
    (await runsOf(id)).filter((run) => quietDays.includes(run.localTime.slice(0, 10))).map((run) => run.state)
  expect(
    (await change(id, { quietDays, quietPolicy: 'skip', rule: { ...daily, times: ['10:00'] } })).status,
  ).toBe(200)
  expect(await statesOf()).toEqual(['skipped', 'skipped'])
  await change(id, { quietDays: [], quietPolicy: 'skip' })
  expect(await statesOf()).toEqual(['planned', 'planned'])
  // The former times have left no rows behind.
  const { count } = await context.db.one<{ count: number }>(sql`
    select count(*) from series_runs where series_id = ${id} and local_time like '%T10:00'`)
  expect(count).toBe(0)
})

// R-1320
test('a day of which a run was skipped by hand gets no other one', async () => {
  const { user, create, change, runsOf } = await openFixture()
  const everyDay: Form['rule'] = { ...daily, frequency: 'week', weekdays: [1, 2, 3, 4, 5, 6, 7] }
  const { id } = (await create({ rule: everyDay })).body
  const run = (await runsOf(id)).find(({ localTime }) => localTime.startsWith(dayAhead(9)))
  await context.call(user, series.skipRun, { params: { id, runId: run?.id ?? 0 } })
  await change(id, { rule: { ...everyDay, times: ['10:00'] } })
  const { rows } = await context.db.one<{ rows: string[] }>(sql`
    select array_agg(local_time || ' ' || state) as rows from series_runs
    where series_id = ${id} and left(local_time, 10) = ${dayAhead(9)}`)
  expect(rows).toEqual([`${dayAhead(9)}T09:00 skipped`])
})

// R-1320
test('a change of the times leaves a run alone that is due', async () => {
  const { create, change } = await openFixture()
  const { id } = (await create()).body
  // Moved to an earlier day, and its time has come.
  await context.db.run(sql`
    update series_runs set due_at = clock_now() where series_id = ${id} and left(local_time, 10) = ${dayAhead(9)}`)
  await change(id, { rule: { ...daily, times: ['10:00'] } })
  const { rows } = await context.db.one<{ rows: string[] }>(sql`
    select array_agg(local_time) as rows from series_runs
    where series_id = ${id} and left(local_time, 10) = ${dayAhead(9)}`)
  expect(rows).toEqual([`${dayAhead(9)}T09:00`])
})

// R-1324
test('an account has a hundred series that have not ended at most', async () => {
  const { instance, create } = await openFixture()
  await context.db.run(sql`
    insert into series (instance_id, name, job_type, rule, quiet_policy, overlap, recipients, author_name)
    select ${instance.id}, 'Series ' || n, 'SendToGroups', '{}', 'move', 'skip', '{}', '' from generate_series(1, 100) n`)
  expect(await create()).toMatchObject({ status: 409, body: { code: 'series_too_many' } })
  await context.db.run(
    sql`update series set state = 'ended' where instance_id = ${instance.id} and name = 'Series 1'`,
  )
  expect((await create()).status).toBe(201)
})

// R-1325
test('the name of a list is for those who may use it', async () => {
  const { instance, form, create } = await openFixture({ canManageContacts: true })
  const list = await context.add.list({ name: 'Overdue', contacts: [await context.add.contact()] })
  const colleague = await context.add.user({ instances: [instance] })
  const { body } = await create({ ...form, jobType: 'SendToUsers', groupIds: [], listIds: [list.id] })
  expect(body.lists).toEqual([{ id: list.id, name: 'Overdue' }])
  const seen = await context.call(colleague, series.get, of(body.id))
  expect(seen.body.lists).toEqual([{ id: list.id, name: `#${list.id}` }])
})

// R-1300
test('recipients of the other type are ignored, whoever may use them', async () => {
  const { create, change } = await openFixture()
  const ofPeople = { phoneNumbers: '+84901234567', listIds: [404], excludedListIds: [405], contactIds: [406] }
  const created = await create(ofPeople)
  expect(created).toMatchObject({ status: 201, body: { lists: [], excludedLists: [] } })
  expect((await change(created.body.id, ofPeople)).status).toBe(200)
  const noLists = { listIds: [], excludedListIds: [], contactIds: [] }
  const toPeople: Partial<Form> = { ...ofPeople, ...noLists, jobType: 'SendToUsers' }
  expect((await create({ ...toPeople, name: 'People', groupSetIds: [407] })).status).toBe(201)
})

// R-1321
test('the next message stays the next one when messages are added before it', async () => {
  const { create, change, first, second } = await openFixture()
  const { id } = (await create()).body
  await context.db.run(sql`update series set next_position = 1 where id = ${id}`)
  const next = async (messageIds: number[]) => (await change(id, { messageIds })).body.nextPosition
  expect(await next([first.id, first.id, second.id])).toBe(2)
  expect(await next([first.id])).toBe(0)
})

// R-1322
test('a run to come is skipped or moved, once, and only ahead', async () => {
  const { create, user, runsOf } = await openFixture()
  const { id } = (await create()).body
  const [next, later] = await runsOf(id)
  const at = (runId = 0) => ({ params: { id, runId } })
  const skip = () => context.call(user, series.skipRun, at(next?.id))
  expect((await skip()).body).toMatchObject({
    state: 'skipped',
    reason: { code: 'run_skipped_by', params: { user: user.username } },
  })
  expect((await skip()).body.code).toBe('run_not_planned')
  const move = (days: number) =>
    context.call(user, series.moveRun, {
      ...at(later?.id),
      body: { dueAt: new Date(Date.now() + days * DAY_MS).toISOString() },
    })
  for (const days of [-1, 63]) expect((await move(days)).body.fields).toHaveProperty('dueAt')
  expect((await move(5)).body).toMatchObject({ id: later?.id, localTime: later?.localTime, state: 'planned' })
  const foreign = await context.add.series()
  expect((await context.call(user, series.skipRun, at(foreign.runs[0]?.id))).status).toBe(404)
})

// R-1323
test('a paused series makes nothing of what passes meanwhile, and one that has ended stays so', async () => {
  const { create, change, user, runsOf } = await openFixture()
  const { id } = (await create()).body
  const call = async (action: 'pause' | 'resume' | 'end') =>
    (await context.call(user, series[action], of(id))).body
  const pass = () =>
    context.db.run(sql`
      update series_runs set due_at = clock_now() - interval '1 minute'
      where id = (select id from series_runs where series_id = ${id} and state = 'planned' order by due_at limit 1)`)
  expect((await call('resume')).code).toBe('series_not_resumable')
  expect(await call('pause')).toMatchObject({
    state: 'paused',
    pausedReason: { code: 'series_paused_by', params: { user: user.username } },
  })
  expect((await call('pause')).code).toBe('series_not_pausable')
  await pass()
  expect(await call('resume')).toMatchObject({ state: 'active', pausedReason: null })
  expect(await runsOf(id, 'past')).toMatchObject([
    { state: 'skipped', reason: { code: 'run_series_paused' } },
  ])
  expect(await call('end')).toMatchObject({ state: 'ended', nextRun: null })
  expect((await call('end')).code).toBe('series_ended')
  expect((await change(id, {})).body.code).toBe('series_ended')
})

test('the audit log says what was changed, without numbers', async () => {
  const { create, change, user } = await openFixture()
  const { id } = (await create({ jobType: 'SendToUsers', phoneNumbers: '+84901234567' })).body
  await change(id, { name: 'Other', jobType: 'SendToUsers', phoneNumbers: '+84907654321' })
  await context.call(user, series.remove, of(id))
  const entries = await context.db.many<{
    action: string
    details: { fields?: string[]; changes?: object }
  }>(sql`
    select action, details from audit_log where object_type = 'series' and object_id = ${id} order by id`)
  expect(entries.map(({ action }) => action)).toEqual(['series.create', 'series.update', 'series.delete'])
  expect(entries[1]?.details).toEqual({ changes: { name: ['News', 'Other'] }, fields: ['phoneNumbers'] })
  expect(JSON.stringify(entries)).not.toContain('84901234567')
})

test('the audit log names groups that were exchanged', async () => {
  const { instance, create, change } = await openFixture()
  const other = await context.add.group({ instanceId: instance.id, name: 'Friends' })
  const { id } = (await create()).body
  await change(id, { groupIds: [other.id] })
  expect(
    await context.db.one(sql`
      select details from audit_log where action = 'series.update' and object_id = ${id}`),
  ).toEqual({ details: { changes: { groups: [['Family'], ['Friends']] } } })
})
