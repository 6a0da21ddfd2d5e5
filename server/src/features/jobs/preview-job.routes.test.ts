import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { optOutNumbers } from '../../platform/opt-outs.ts'

const context = useSharedContext()
const { jobs } = contract

const preview = (user: TestUser, body: Input<typeof jobs.preview>['body']) =>
  context.call(user, jobs.preview, { body })

const fixture = (columns = {}) => context.add.memberWithInstance(columns)

const MINUTE = 60_000
/** A pace with a mean pause of a minute. */
const minutely = {
  groupPauseFromMs: 50_000,
  groupPauseToMs: 70_000,
  privatePauseFromMs: 30_000,
  privatePauseToMs: 90_000,
}
const toUsers = (phoneNumbers: string) => ({ jobType: 'SendToUsers', phoneNumbers }) as const
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString()
const people = (count: number) =>
  Array.from({ length: count }, (_, n) => `+8490${String(n).padStart(7, '0')}`).join('\n')

test('the preview of an empty form has no recipients', async () => {
  const { member } = await fixture()

  expect(await preview(member, {})).toMatchObject({
    status: 200,
    body: {
      recipients: 0,
      duplicates: 0,
      unreadable: { total: 0, first: [] },
      leftGroups: { total: 0, first: [] },
      closedGroups: { total: 0, first: [] },
      optedOut: 0,
      notOnWhatsapp: 0,
      durationSeconds: null,
      endsAt: null,
    },
  })
  expect(await context.db.many(sql`select from jobs where created_by_user_id = ${member.id}`)).toHaveLength(0)
})

test('each number is counted once, and up to fifty invalid entries are named', async () => {
  const { member } = await fixture()
  const bad = Array.from({ length: 60 }, (_, n) => `bad ${n} ${'x'.repeat(100)}`)

  const { body } = await preview(member, toUsers(`0901234567, +84901234567, 0902234567, ${bad.join()}`))

  expect(body).toMatchObject({ recipients: 2, duplicates: 1, unreadable: { total: 60 }, endsAt: null })
  expect(body.unreadable.first).toHaveLength(50)
  expect(body.unreadable.first[0]).toBe(bad[0]?.slice(0, 50))
})

test('groups that the instance has left or can’t write to are named', async () => {
  const { instanceId, member } = await fixture()
  const open = await context.add.group({ instanceId, canSend: true })
  const unsure = await context.add.group({ instanceId })
  const closed = await context.add.group({ instanceId, name: 'Announcements', canSend: false })
  const left = await context.add.group({
    instanceId,
    name: 'Old',
    leftAt: '2026-01-01T00:00:00Z',
    canSend: false,
  })
  const elsewhere = await context.add.group()

  const groupIds = [open, unsure, closed, left, elsewhere, open].map(({ id }) => id)
  const { body } = await preview(member, { instanceId, groupIds })

  expect(body).toMatchObject({
    recipients: 3,
    duplicates: 1,
    leftGroups: { total: 1, first: [{ id: left.id, name: 'Old' }] },
    closedGroups: { total: 1, first: [{ id: closed.id, name: 'Announcements' }] },
  })
})

test('the estimated end follows from the pace, and starts now or at the scheduled time', async () => {
  const { instanceId, member } = await fixture(minutely)
  const now = Date.now()

  const { body } = await preview(member, { instanceId, ...toUsers(people(11)) })
  expect(body.durationSeconds).toBe(600)
  expect(Date.parse(body.endsAt ?? '')).toBeGreaterThanOrEqual(now + 10 * MINUTE - 1000)
  expect(Date.parse(body.endsAt ?? '')).toBeLessThan(Date.now() + 10 * MINUTE + 1000)

  const scheduledAt = inFuture(60 * MINUTE)
  const later = await preview(member, { instanceId, scheduledAt, ...toUsers(people(11)) })
  expect(later.body).toMatchObject({
    durationSeconds: 600,
    endsAt: new Date(Date.parse(scheduledAt) + 10 * MINUTE).toISOString(),
  })
})

test('the estimate includes other jobs of the instance and the messages of the last 24 hours', async () => {
  const hour = Math.floor(Date.now() / 3_600_000)
  const { instanceId, member } = await fixture({
    ...minutely,
    privateCap: 30,
    sentByHour: { [`p${hour - 2}`]: 25 },
  })
  const seconds = async (count: number) =>
    (await preview(member, { instanceId, ...toUsers(people(count)) })).body.durationSeconds

  expect(await seconds(5)).toBe(240)
  expect(await seconds(6)).toBeGreaterThan(20 * 3600)
  const other = await context.add.job({ instanceId, status: 'Running', recipients: ['1@g.us', '2@g.us'] })
  expect(await seconds(5)).toBe(360)
  await context.add.job({ instanceId, recipients: ['3@g.us'], pausedAt: '2026-01-01T00:00:00Z' })
  await context.add.job({ instanceId, recipients: ['3@g.us'], status: 'Completed' })
  expect(await seconds(5)).toBe(360)
  await context.db.run(
    sql`update jobs set scheduled_at = now() + interval '1 day', status = 'Pending' where id = ${other.id}`,
  )
  expect(await seconds(5)).toBe(240)
})

// R-1216
test('the preview names what holds the account, unless that ends before the job begins', async () => {
  const hour = Math.floor(Date.now() / (60 * MINUTE))
  const { instanceId, member } = await fixture({ warmUpStep: 20, sentByHour: { [`p${hour}`]: 20 } })
  const group = await context.add.group({ instanceId })
  const hold = async (job: object) => (await preview(member, { instanceId, ...job })).body.hold
  const toPeople = toUsers(people(2))

  expect(await hold(toPeople)).toEqual({
    why: { code: 'warm_up', params: {} },
    until: new Date((hour + 25) * 60 * MINUTE).toISOString(),
  })
  expect(await hold({ groupIds: [group.id] })).toBeNull()
  expect(await hold({ ...toPeople, scheduledAt: inFuture(60 * MINUTE) })).not.toBeNull()
  expect(await hold({ ...toPeople, scheduledAt: inFuture(26 * 60 * MINUTE) })).toBeNull()
  expect((await preview(member, toPeople)).body.hold).toBeNull()
})

test('a limit of new people holds back no job to known ones', async () => {
  const { instanceId, member } = await fixture({ newPeopleLeft: 0, newPeopleUntil: inFuture(MINUTE) })
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, replied_at) values (${instanceId}, '84900000000', now())`)
  const code = async (count: number) =>
    (await preview(member, { instanceId, ...toUsers(people(count)) })).body.hold?.why.code

  expect(await code(1)).toBeUndefined()
  expect(await code(2)).toBe('new_people')
})

test('a job page shows the estimated end, unless the job is stopped', async () => {
  const { instanceId, member } = await fixture(minutely)
  const { id } = await context.add.job({ instanceId, status: 'Running' })
  const endsIn = async () => {
    const { endsAt } = (await context.call(member, jobs.get, { params: { id } })).body
    return endsAt && Math.round((Date.parse(endsAt) - Date.now()) / MINUTE)
  }

  expect(await endsIn()).toBe(2)
  const waiting = { code: 'account_not_linked', params: {} }
  await context.db.run(sql`update instances set waiting = ${json(waiting)} where id = ${instanceId}`)
  expect(await endsIn()).toBeNull()
  await context.db.run(sql`update instances set waiting = null where id = ${instanceId}`)
  await context.db.run(sql`update jobs set paused_at = now() where id = ${id}`)
  expect(await endsIn()).toBeNull()
  await context.db.run(sql`update jobs set paused_at = null, status = 'Cancelled' where id = ${id}`)
  expect(await endsIn()).toBeNull()
})

test('a preview works for a hundred thousand numbers', async () => {
  const { instanceId, member } = await fixture({ ...minutely, privateCap: 200 })

  const { body } = await preview(member, { instanceId, ...toUsers(people(100_000)) })

  expect(body.recipients).toBe(100_000)
  expect(body.durationSeconds).toBeGreaterThan(499 * 24 * 3600)
})

test('the preview refuses an invalid time', async () => {
  const { member, instanceId } = await fixture()

  expect(await preview(member, { instanceId, scheduledAt: 'tomorrow' })).toMatchObject({
    status: 400,
    body: { fields: { scheduledAt: 'JOB.SCHEDULED_AT_INVALID' } },
  })
})

// R-1106
test('the preview counts who has opted out and numbers that are not on WhatsApp, and nobody waits for them', async () => {
  const { instanceId, member } = await fixture(minutely)
  const [stopped = '', missing = ''] = people(2).split('\n')
  const lan = { id: null, username: 'Lan', address: '' }
  await context.db.begin((tx) => optOutNumbers(tx, lan, { numbers: [stopped.slice(1)], note: '' }))
  await context.db.run(sql`
    insert into number_checks (phone, answer) select unnest(${[stopped, missing].map((n) => n.slice(1))}::text[]), 'no'`)

  const { body } = await preview(member, { instanceId, ...toUsers(people(13)) })
  expect(body).toMatchObject({ recipients: 13, optedOut: 1, notOnWhatsapp: 1, durationSeconds: 600 })
  expect((await preview(member, toUsers(people(1)))).body).toMatchObject({ recipients: 1, optedOut: 1 })

  await context.db.run(sql`delete from number_checks`)
  await context.db.run(sql`delete from opt_outs`)
})

// R-1865
test('the preview counts whom mentions reach, without groups that the account has mentioned that day', async () => {
  const { instanceId, member } = await fixture()
  const groups = []
  for (const name of ['First', 'Mentioned', 'Closed', 'Unchosen'])
    groups.push(await context.add.group({ instanceId, name, canSend: name !== 'Closed' }))
  for (const { id } of groups)
    await context.db.run(sql`
      insert into participants (group_id, person_id, rank)
      select ${id}, unnest('{84901234567,84901234568,123456789012345@lid}'::text[]), 'member'`)
  const [first, second, closed] = groups
  await context.db.run(sql`
    insert into group_mentions
    select id, ${second?.chatId}, local_day(clock_now(), time_zone), 1, 1 from instances where id = ${instanceId}`)
  const groupIds = [first, second, closed].map((group) => group?.id ?? 0)
  const mentionsIn = async (draft: object) =>
    (await preview(member, { instanceId, groupIds, ...draft })).body.mentions

  expect(await mentionsIn({ mentionsAll: true })).toEqual({
    ...{ members: 3, reached: 2 },
    mentionedBefore: { total: 1, first: [{ id: second?.id, name: 'Mentioned' }] },
  })
  expect(await mentionsIn({ mentionsAll: true, scheduledAt: inFuture(24 * 60 * MINUTE) })).toEqual({
    ...{ members: 6, reached: 4 },
    mentionedBefore: { total: 0, first: [] },
  })
  expect(await mentionsIn({})).toBeNull()
  expect(await mentionsIn({ mentionsAll: true, ...toUsers('0901234567') })).toBeNull()
})
