import { beforeEach, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteOldRows } from '../index.ts'
import { groups } from './groups.ts'
import { lookForUnused } from './unused.ts'

const context = useEngineContext()
const run = () => deleteOldRows(context.db, new AbortController().signal)
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
const keep = (days: number | null) =>
  context.db.run(sql`update retention set group_days = ${days}, group_cursor = 0`)

beforeEach(async () => {
  await context.db.script('delete from series; delete from instances')
  await keep(40)
})

const left = async () =>
  (await context.db.many<{ id: number }>(sql`select id from groups order by id`)).map(({ id }) => id)

const addLeft = (columns: Parameters<typeof context.add.group>[0] = {}) =>
  context.add.group({ leftAt: ago(41), ...columns })

/** A group of an account that is not connected, or not active. */
const ofAccount = async (columns: Record<string, unknown>) =>
  context.add.group({ instanceId: (await context.add.instance(columns)).id })

type Job = Parameters<typeof context.add.job>[0]

async function ofJob(job: Job) {
  const group = await addLeft()
  await context.add.job({
    ...{ jobType: 'SendToGroups', instanceId: group.instanceId, recipients: [group.chatId], ...job },
  })
  await context.db.run(sql`update deliveries set group_id = ${group.id} where chat_id = ${group.chatId}`)
  return group
}

const people = { phoneNumbers: '', contactIds: [], fallbacks: {}, leaveOutIncomplete: false }

async function inSeries(by: 'id' | 'set' | 'frozen', state = 'active') {
  const group = await addLeft()
  const { id } = await context.add.series({
    ...{ instanceId: group.instanceId, state },
    recipients: JSON.stringify({ ...people, groupIds: by === 'id' ? [group.id] : [] }),
    frozen: by === 'frozen' ? JSON.stringify({ ids: [group.id], numbers: [] }) : null,
  })
  if (by !== 'set') return group
  const set = await context.add.groupSet({ instanceId: group.instanceId, groups: [group] })
  await context.db.run(sql`insert into series_group_sets values (${id}, ${set.id})`)
  return group
}

async function inImport(status: string) {
  const group = await addLeft()
  await context.db.run(sql`
    insert into imports (source, user_name, status, instance_id, group_ids)
    values ('groups', 'lan', ${status}, ${group.instanceId}, array[0, ${group.id}::bigint])`)
  return group
}

const loggedOut = { status: 'NeedsLogin', absentSince: ago(41) }

// R-2139, R-2147
test.each<{ what: string; goes: boolean; add: () => Promise<{ id: number }> }>([
  { what: 'the account has left 41 days ago', goes: true, add: addLeft },
  { what: 'the account has left 39 days ago', goes: false, add: () => addLeft({ leftAt: ago(39) }) },
  { what: 'is a channel', goes: true, add: () => addLeft({ chatId: '120363@newsletter' }) },
  { what: 'is in the account', goes: false, add: () => addLeft({ leftAt: null }) },
  {
    what: 'the list of groups has lacked once',
    goes: false,
    add: () => context.add.group({ missingSince: ago(90) }),
  },
  { what: 'is of an account that was logged out 41 days ago', goes: true, add: () => ofAccount(loggedOut) },
  {
    what: 'is of an account that was logged out 39 days ago',
    goes: false,
    add: () => ofAccount({ ...loggedOut, absentSince: ago(39) }),
  },
  {
    what: 'is of an account that is connected again',
    goes: false,
    add: () => ofAccount({ ...loggedOut, status: 'Connected' }),
  },
  {
    what: 'is of an account that was switched off 41 days ago',
    goes: true,
    add: () => ofAccount({ isActive: false, absentSince: ago(41) }),
  },
  {
    what: 'an ended job has sent to',
    goes: true,
    add: () => ofJob({ status: 'Completed', deliveryStatus: 'sent' }),
  },
  { what: 'a job is to send to', goes: false, add: () => ofJob({ status: 'Pending' }) },
  {
    what: 'a paused job may send to',
    goes: false,
    add: () => ofJob({ status: 'Running', pausedAt: ago(60) }),
  },
  {
    what: 'a cancelled job still settles for',
    goes: false,
    add: () => ofJob({ status: 'Cancelled', deliveryStatus: 'sending', settling: true }),
  },
  { what: 'an import reads', goes: false, add: () => inImport('checking') },
  { what: 'an import has read', goes: true, add: () => inImport('checked') },
  { what: 'an active series sends to', goes: false, add: () => inSeries('id') },
  { what: 'is in a set of an active series', goes: false, add: () => inSeries('set') },
  { what: 'an active series has among its fixed recipients', goes: false, add: () => inSeries('frozen') },
  { what: 'is in a set of a series that has ended', goes: true, add: () => inSeries('set', 'ended') },
])('a group that $what goes: $goes', async ({ goes, add }) => {
  const { id } = await add()
  await keep(null)
  await run()
  expect(await left()).toContain(id)

  await keep(40)
  await run()

  expect((await left()).includes(id)).toBe(!goes)
})

// R-2139
test('an account is absent from the moment it loses its connection or is switched off', async () => {
  const { db } = context
  const { id } = await context.add.instance({ absentSince: ago(90) })
  const change = (set: ReturnType<typeof sql>) => db.run(sql`update instances set ${set} where id = ${id}`)
  const days = async () =>
    (
      await db.one<{ days: number }>(sql`
      select extract(day from clock_now() - absent_since)::int as days from instances where id = ${id}`)
    ).days
  await change(sql`status = 'Connected'`)
  expect(await days()).toBe(90)
  await change(sql`status = 'NeedsLogin'`)
  expect(await days()).toBe(0)
  await change(sql`absent_since = ${ago(50)}`)
  await change(sql`status = 'Disconnected', is_active = false`)
  expect(await days()).toBe(50)
  await change(sql`status = 'Connected'`)
  await change(sql`is_active = true`)
  await change(sql`is_active = false`)
  expect(await days()).toBe(0)
})

// R-2135
test('members and assignments go with a group, and its job shows what it has sent', async () => {
  const { db } = context
  const group = await ofJob({ status: 'Completed', deliveryStatus: 'sent' })
  const message = await context.add.message()
  const set = await context.add.groupSet({ instanceId: group.instanceId, groups: [group] })
  await db.script(`
    insert into participants values (${group.id}, '1@c.us', 'admin', 'Lan', 3), (${group.id}, '2@c.us', 'member', null, null);
    insert into other_viewers values (${group.id}, '3@c.us', 4);
    insert into message_groups values (${message.id}, ${group.id})`)
  const before = await db.many(sql`select * from deliveries`)

  expect(await run()).toBe(1)

  expect(await db.many(sql`select * from deliveries`)).toEqual(before)
  expect(
    await db.one(sql`
      select (select count(*) from participants) as members, (select count(*) from other_viewers) as viewers,
        (select count(*) from message_groups) as assigned,
        (select count(*) from group_set_groups where group_set_id = ${set.id}) as listed`),
  ).toEqual({ members: 0, viewers: 0, assigned: 0, listed: 0 })
})

// R-2136
test('the members of a large group go in slices, and a stop leaves the rest for later', async () => {
  const { db } = context
  const look = () => db.begin((tx) => lookForUnused(tx, groups, 3))
  const group = await addLeft()
  await db.run(sql`
    insert into participants (group_id, person_id, rank) select ${group.id}, n || '@c.us', 'member' from generate_series(1, 7) n`)
  const members = async () => db.run(sql`select from participants`)

  expect([await look(), await members()]).toEqual([{ count: 0, isThrough: false }, 4])
  const stopped = db.begin(async (tx) => {
    await lookForUnused(tx, groups, 3)
    throw new Error('the worker is killed')
  })
  await expect(stopped).rejects.toThrow('killed')
  expect(await members()).toBe(4)
  // A group that comes back in between stays. Its next sync reads the members again.
  await db.run(sql`update groups set left_at = null`)
  expect([await look(), await members()]).toEqual([{ count: 0, isThrough: true }, 4])
  await db.run(sql`update groups set left_at = ${ago(41)}`)
  expect([await look(), await members()]).toEqual([{ count: 0, isThrough: false }, 1])
  expect([await look(), await look()]).toEqual([
    { count: 1, isThrough: false },
    { count: 0, isThrough: true },
  ])
  expect(await left()).toEqual([])
})

// R-2137
test('a job that is saved at the same moment keeps its group, and one that comes later finds it gone', async () => {
  const { db } = context
  const [chosen, other] = [await ofAccount(loggedOut), await ofAccount(loggedOut)]
  let later: Promise<unknown[]> | undefined
  await db.begin(async (tx) => {
    // As a new job does, before it writes its recipients.
    await tx.run(sql`select from groups where id = ${chosen.id} for key share`)
    await db.begin(async (slice) => {
      expect(await lookForUnused(slice, groups, 10)).toMatchObject({ count: 1 })
      later = db.many(sql`select id from groups where id = ${other.id} for key share`)
      await expect.poll(() => countWaiting(db)).toBe(1)
    })
  })
  expect(await later).toEqual([])
  expect(await left()).toEqual([chosen.id])
})
