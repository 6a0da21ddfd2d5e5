import type { AddressInfo } from 'node:net'
import { contract } from '@sendroom/contract'
import type { Change, ChangedFeature } from '@sendroom/contract/events'
import { expect, test } from 'vitest'
import type { TestUser } from '../../../test/factories.ts'
import { Followed } from '../../../test/followed.ts'
import { until } from '../../../test/until.ts'
import { useWorld } from '../../../test/world.ts'
import { openProgress } from '../../engine/progress.ts'
import { tellChanges } from '../../platform/changes.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { openHub } from './hub.ts'

const world = useWorld()
const noLog = { warn: () => {} }

async function ask(user: TestUser) {
  const app = await world.app
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo // it listens on a port
  return fetch(`http://127.0.0.1:${port}/api/events`, { headers: { authorization: `Bearer ${user.token}` } })
}

async function follow(user: TestUser) {
  const { body } = await ask(user)
  if (!body) throw new Error('There is no stream.')
  return new Followed(body)
}

test('it is a stream that nothing on the way keeps back', async () => {
  const { status, headers, body } = await ask(await world.add.user())

  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/event-stream')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-accel-buffering')).toBe('no')
  await body?.cancel()
})

test('a HEAD begins no stream', async () => {
  const { token } = await world.add.user()
  const headers = { authorization: `Bearer ${token}` }

  const { statusCode } = await (await world.app).inject({ method: 'HEAD', url: '/api/events', headers })

  expect(statusCode).toBe(404)
})

test('whoever sees an instance hears of its jobs, and nobody else does', async () => {
  const [mine, theirs] = [await world.add.instance(), await world.add.instance()]
  const me = await follow(await world.add.user({ instances: [mine] }))
  const admin = await follow(await world.add.admin())
  const owner = await world.add.user({ instances: [mine, theirs] })

  const theirJob = await world.add.job({ instanceId: theirs.id })
  await world.call(owner, contract.jobs.cancel, { params: { id: theirJob.id } })
  await until('the Admin hears of it', () => admin.changes.some(({ id }) => id === theirJob.id))
  const myJob = await world.add.job({ instanceId: mine.id })
  await world.call(owner, contract.jobs.pause, { params: { id: myJob.id } })

  const change = { feature: 'jobs', id: myJob.id } as const
  await until('I hear of mine', () => me.changes.some(({ id }) => id === myJob.id))
  expect(me.changes).toContainEqual(change)
  expect(me.changes).toContainEqual({ feature: 'jobs', id: null }) // one came
  expect(me.changes.some(({ id }) => id === theirJob.id)).toBe(false)
})

test('an account’s status, the beginning and end of a sync, and a deletion are told', async () => {
  const { id } = await world.add.instance()
  const job = await world.add.job({ instanceId: id })
  const admin = await follow(await world.add.admin())
  const hears = (change: Change) =>
    until(JSON.stringify(change), () =>
      admin.changes.some((told) => told.feature === change.feature && told.id === change.id),
    )

  await world.db.run(sql`update instances set status = 'Unpaid' where id = ${id}`)
  await hears({ feature: 'instances', id })
  await world.db.run(
    sql`update instances set syncing_until = clock_now(), last_sync_at = clock_now() where id = ${id}`,
  )
  await hears({ feature: 'groups', id })
  await world.db.run(sql`delete from jobs where id = ${job.id}`)
  await hears({ feature: 'jobs', id: null })
})

test('another name of an account, and its end, are told to all pages that show it; its status is not', async () => {
  const { id } = await world.add.instance()
  const admin = await follow(await world.add.admin())
  let heard = 0
  /** Exactly these, in what is told next. */
  const hears = async (...features: ChangedFeature[]) => {
    const next = () => new Set(admin.changes.slice(heard).map(({ feature }) => feature))
    await until(`${features} are told`, () => features.every((feature) => next().has(feature)))
    expect(next()).toEqual(new Set(features))
    heard = admin.changes.length
  }

  await world.db.run(sql`update instances set status = 'Unpaid' where id = ${id}`)
  await hears('instances')
  await world.db.run(sql`update instances set name = 'Market' where id = ${id}`)
  await hears('instances', 'groups', 'jobs', 'messages')
  await world.db.run(sql`delete from instances where id = ${id}`)
  await hears('instances', 'groups', 'jobs', 'messages')
})

test('messages are told to whoever sees their instance; one without an instance to its writer', async () => {
  const [mine, theirs] = [await world.add.instance(), await world.add.instance()]
  const [I, other] = [
    await world.add.user({ instances: [mine] }),
    await world.add.user({ instances: [mine, theirs] }),
  ]
  const [me, them] = [await follow(I), await follow(other)]
  const write = (user: TestUser, instanceId: number | null) =>
    world.call(user, contract.messages.create, { body: { textContent: 'Hello', instanceId } })
  const heardBy = (someone: Followed, times: number) =>
    until(`heard ${times} times`, () => someone.changes.length === times)
  const change = { feature: 'messages', id: null }

  await write(other, theirs.id)
  await heardBy(them, 1)
  await write(other, null)
  await heardBy(them, 2)
  const { body } = await write(I, mine.id)
  await heardBy(them, 3)
  await heardBy(me, 1)
  const params = { id: (body as { id: number }).id } // it was created
  const answer = await world.call(other, contract.messages.update, {
    params,
    body: { textContent: 'Hello', instanceId: theirs.id },
  })
  expect(answer.status).toBe(200)
  await heardBy(me, 2) // it left
  await world.call(other, contract.messages.remove, { params })
  await heardBy(them, 5)

  expect(me.changes).toEqual([change, change])
})

test('a thousand changes of a job are few events', async () => {
  const { id: instanceId } = await world.add.instance()
  const admin = await follow(await world.add.admin())

  for (let n = 0; n < 1000; n++) await tellChanges(world.db, [{ feature: 'deliveries', id: 7, instanceId }])
  await tellChanges(world.db, [{ feature: 'deliveries', id: 8, instanceId }])
  await until('the last is told', () => admin.changes.some(({ id }) => id === 8))

  expect(admin.changes).toContainEqual({ feature: 'deliveries', id: 7 })
  expect(admin.frames.length).toBeLessThan(50)
})

test('a thousand changed jobs are told as many', async () => {
  const { id: instanceId } = await world.add.instance()
  const admin = await follow(await world.add.admin())

  const jobs = Array.from({ length: 1000 }, (_, n) => ({ feature: 'deliveries', id: n, instanceId }) as const)
  await tellChanges(world.db, jobs)

  await until('it is told', () => admin.changes.length > 0)
  expect(admin.changes).toEqual([{ feature: 'deliveries', id: null }])
})

test('what a worker of another process did is heard in each server', async () => {
  const [one, other, worker] = [1, 2, 3].map(() =>
    connect(world.database.address, { applicationName: 'sendroom test process' }),
  )
  if (!one || !other || !worker) throw new Error('unreachable')
  const hubs = [one, other].map((db) => openHub({ db, log: noLog }))
  const caller = await callerOf(await world.add.admin())
  const followed = await Promise.all(hubs.map(async (hub) => new Followed(await hub.follow(caller))))

  const progress = openProgress(worker, () => {})
  for (let n = 0; n < 1000; n++) progress.moved({ jobId: 5, instanceId: 1 })
  await progress.stop()

  await until('each hears', () => followed.every(({ frames }) => frames.length > 0))
  for (const { frames } of followed) expect(frames).toEqual([[{ feature: 'deliveries', id: 5 }]])
  await Promise.all(hubs.map((hub) => hub.stop()))
  await Promise.all([one, other, worker].map((db) => db.end()))
})

const callerOf = async (user: TestUser) => {
  const caller = await (await world.app).findCaller(user.token)
  if (!caller) throw new Error('Nobody has this token.')
  return caller
}

//
test('a locked user’s stream ends, and nobody else’s', async () => {
  const [admin, user] = [await world.add.admin(), await world.add.user()]
  const [theirs, ours] = [await follow(user), await follow(admin)]

  await world.call(admin, contract.users.update, { params: { id: user.id }, body: { isActive: false } })

  await until('the stream ends', () => theirs.hasEnded)
  expect(ours.hasEnded).toBe(false)
  expect((await ask(user)).status).toBe(401)
})

test('a logout ends the stream', async () => {
  const user = await world.add.user()
  const followed = await follow(user)

  await world.call(user, contract.session.logout, {})

  await until('the stream ends', () => followed.hasEnded)
})

//
test('another role and other flags end the stream of their user', async () => {
  const admin = await world.add.admin()
  const user = await world.add.user()
  const assignment = { instanceIds: [], canSendMessages: false, canCreateJobs: true }
  const changes = [
    () => world.call(admin, contract.users.update, { params: user, body: { role: 'Admin' } }),
    () => world.call(admin, contract.users.update, { params: user, body: { canCreateJobs: false } }),
    () => world.call(admin, contract.users.assignInstances, { params: user, body: assignment }),
  ]

  for (const change of changes) {
    const followed = await follow(user)
    expect((await change()).status).toBe(200)
    await until('the stream ends', () => followed.hasEnded)
  }
})

//
test('another assignment ends the stream; the next one follows the new instances', async () => {
  const [admin, user, instance] = [
    await world.add.admin(),
    await world.add.user(),
    await world.add.instance(),
  ]
  const before = await follow(user)

  await world.call(admin, contract.users.assignInstances, {
    params: { id: user.id },
    body: { instanceIds: [instance.id], canSendMessages: true, canCreateJobs: true },
  })
  await until('the stream ends', () => before.hasEnded)
  const after = await follow(user)
  await world.add.job({ instanceId: instance.id })

  await until('the new job is told', () => after.changes.length > 0)
  expect(before.changes).toEqual([])
})

test('a silent stream says that it lives, and ends when its session runs out', async () => {
  const hub = openHub({ db: world.db, log: noLog, beatMs: 10 })
  const followed = new Followed(await hub.follow(await callerOf(await world.add.user())))

  await until('it beats', () => followed.beats > 2)
  expect(followed.hasEnded).toBe(false)
  await world.shiftClock('20 years')

  await until('the stream ends', () => followed.hasEnded)
  await hub.stop()
})

test('when hearing was interrupted, every stream ends: what was told meanwhile is lost', async () => {
  const admin = await world.add.admin()
  const before = await follow(admin)

  await world.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %'`)

  await until('the stream ends', () => before.hasEnded)
  const after = await follow(admin)
  await world.add.job()
  await until('the next one hears', () => after.changes.length > 0)
})

test('a session has a dozen streams; the next is refused', async () => {
  const user = await world.add.user()
  const open: Response[] = []
  while (open.length < 12) open.push(await ask(user))

  const refused = await ask(user)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('30')

  await open[0]?.body?.cancel()
  await until('there is room again', async () => {
    const again = await ask(user)
    await again.body?.cancel()
    return again.status === 200
  })
})

test('a stop ends the streams and does not wait for them', async () => {
  const followed = await follow(await world.add.admin())

  await (await world.app).close()

  await until('the stream has ended', () => followed.hasEnded)
})
