import { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { useWorld } from '../../../test/world.ts'
import { json, sql } from '../../platform/database/sql.ts'

const world = useWorld()
const { jobs } = contract

const preview = (user: TestUser, body: Input<typeof jobs.preview>['body']) =>
  world.call(user, jobs.preview, { body })

async function desk(instanceColumns: Record<string, unknown> = {}) {
  const instance = await world.add.instance(instanceColumns)
  return { instanceId: instance.id, member: await world.add.user({ instances: [instance] }) }
}

const MINUTE = 60_000
/** A pause of a minute. */
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

test('an empty form has a preview: nobody', async () => {
  const { member } = await desk()

  expect(await preview(member, {})).toMatchObject({
    status: 200,
    body: {
      recipients: 0,
      doubles: 0,
      unreadable: { total: 0, first: [] },
      leftGroups: { total: 0, first: [] },
      closedGroups: { total: 0, first: [] },
      durationSeconds: null,
      endsAt: null,
    },
  })
  expect(await world.db.many(sql`select from jobs`)).toHaveLength(0)
})

test('people are counted once each; what is no number is named, up to fifty', async () => {
  const { member } = await desk()
  const bad = Array.from({ length: 60 }, (_, n) => `bad ${n} ${'x'.repeat(100)}`)

  const { body } = await preview(member, toUsers(`0901234567, +84901234567, 0902234567, ${bad.join()}`))

  expect(body).toMatchObject({ recipients: 2, doubles: 1, unreadable: { total: 60 }, endsAt: null })
  expect(body.unreadable.first).toHaveLength(50)
  expect(body.unreadable.first[0]).toBe(bad[0]?.slice(0, 50))
})

test('groups that the account has left, and those closed to it, are named', async () => {
  const { instanceId, member } = await desk()
  const open = await world.add.group({ instanceId, canSend: true })
  const unsure = await world.add.group({ instanceId })
  const closed = await world.add.group({ instanceId, name: 'News', canSend: false })
  const left = await world.add.group({
    instanceId,
    name: 'Old',
    leftAt: '2026-01-01T00:00:00Z',
    canSend: false,
  })
  const elsewhere = await world.add.group()

  const groupIds = [open, unsure, closed, left, elsewhere, open].map(({ id }) => id)
  const { body } = await preview(member, { instanceId, groupIds })

  expect(body).toMatchObject({
    recipients: 3,
    doubles: 1,
    leftGroups: { total: 1, first: [{ id: left.id, name: 'Old' }] },
    closedGroups: { total: 1, first: [{ id: closed.id, name: 'News' }] },
  })
})

test('the time it takes is told by pace, from now or from its time on', async () => {
  const { instanceId, member } = await desk(minutely)
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

test('other jobs of the account and what it has sent today count', async () => {
  const hour = Math.floor(Date.now() / 3_600_000)
  const { instanceId, member } = await desk({
    ...minutely,
    privateCap: 30,
    sentByHour: { [`p${hour - 2}`]: 25 },
  })
  const seconds = async (count: number) =>
    (await preview(member, { instanceId, ...toUsers(people(count)) })).body.durationSeconds

  expect(await seconds(5)).toBe(240)
  expect(await seconds(6)).toBeGreaterThan(20 * 3600)
  const other = await world.add.job({ instanceId, status: 'Running', recipients: ['1@g.us', '2@g.us'] })
  expect(await seconds(5)).toBe(360)
  await world.add.job({ instanceId, recipients: ['3@g.us'], pausedAt: '2026-01-01T00:00:00Z' })
  await world.add.job({ instanceId, recipients: ['3@g.us'], status: 'Completed' })
  expect(await seconds(5)).toBe(360)
  await world.db.run(
    sql`update jobs set scheduled_at = now() + interval '1 day', status = 'Pending' where id = ${other.id}`,
  )
  expect(await seconds(5)).toBe(240)
})

test('a job’s page tells when it is through, unless nobody knows', async () => {
  const { instanceId, member } = await desk(minutely)
  const { id } = await world.add.job({ instanceId, status: 'Running' })
  const endsIn = async () => {
    const { endsAt } = (await world.call(member, jobs.get, { params: { id } })).body
    return endsAt && Math.round((Date.parse(endsAt) - Date.now()) / MINUTE)
  }

  expect(await endsIn()).toBe(2)
  const waiting = { code: 'account_not_linked', params: {} }
  await world.db.run(sql`update instances set waiting = ${json(waiting)}`)
  expect(await endsIn()).toBeNull()
  await world.db.run(sql`update instances set waiting = null`)
  await world.db.run(sql`update jobs set paused_at = now()`)
  expect(await endsIn()).toBeNull()
  await world.db.run(sql`update jobs set paused_at = null, status = 'Cancelled'`)
  expect(await endsIn()).toBeNull()
})

test('a hundred thousand numbers have a preview', async () => {
  const { instanceId, member } = await desk({ ...minutely, privateCap: 200 })

  const { body } = await preview(member, { instanceId, ...toUsers(people(100_000)) })

  expect(body.recipients).toBe(100_000)
  expect(body.durationSeconds).toBeGreaterThan(499 * 24 * 3600)
})

test('an account of others is not told about, and a wrong time is refused', async () => {
  const { member, instanceId } = await desk()
  const { id: elsewhere } = await world.add.instance()

  expect(await preview(member, { instanceId: elsewhere })).toMatchObject({
    status: 400,
    body: { fields: { instanceId: 'JOB.INSTANCE_REQUIRED' } },
  })
  expect(await preview(member, { instanceId, scheduledAt: 'tomorrow' })).toMatchObject({
    status: 400,
    body: { fields: { scheduledAt: 'JOB.SCHEDULED_AT_INVALID' } },
  })
  expect(await preview(await world.add.user({ canCreateJobs: false }), {})).toMatchObject({ status: 403 })
})
