import { contract } from '@sendroom/contract'
import type { Change, ChangedFeature } from '@sendroom/contract/events'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { Followed } from '../../../test/followed.ts'
import { until } from '../../../test/until.ts'
import { openProgress } from '../../engine/status/progress.ts'
import { notifyChanges } from '../../platform/changes.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { openHub } from './hub.ts'

const context = useContext()
const noLog = { warn: () => {} }

async function ask(user: TestUser) {
  const port = await context.listen()
  return fetch(`http://127.0.0.1:${port}/api/events`, { headers: { authorization: `Bearer ${user.token}` } })
}

async function follow(user: TestUser) {
  const { body } = await ask(user)
  if (!body) throw new Error('There is no stream.')
  return new Followed(body)
}

test('the headers keep proxies from buffering and caching the stream', async () => {
  const { status, headers, body } = await ask(await context.add.user())

  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/event-stream')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-accel-buffering')).toBe('no')
  await body?.cancel()
})

test('a HEAD request opens no stream', async () => {
  const { token } = await context.add.user()
  const headers = { authorization: `Bearer ${token}` }

  const { statusCode } = await (await context.app).inject({ method: 'HEAD', url: '/api/events', headers })

  expect(statusCode).toBe(404)
})

test('only users who see an instance are notified of its jobs', async () => {
  const [mine, theirs] = [await context.add.instance(), await context.add.instance()]
  const me = await follow(await context.add.user({ instances: [mine] }))
  const admin = await follow(await context.add.admin())
  const owner = await context.add.user({ instances: [mine, theirs] })

  const theirJob = await context.add.job({ instanceId: theirs.id })
  await context.call(owner, contract.jobs.cancel, { params: { id: theirJob.id } })
  await until('the Admin is notified', () => admin.changes.some(({ id }) => id === theirJob.id))
  const myJob = await context.add.job({ instanceId: mine.id })
  await context.call(owner, contract.jobs.pause, { params: { id: myJob.id } })

  const change = { feature: 'jobs', id: myJob.id } as const
  await until('I am notified of my job', () => me.changes.some(({ id }) => id === myJob.id))
  expect(me.changes).toContainEqual(change)
  expect(me.changes).toContainEqual({ feature: 'jobs', id: null }) // the list has a new row
  expect(me.changes.some(({ id }) => id === theirJob.id)).toBe(false)
})

// R-1127
test('an opt-out, and a message that waits for a decision, notify users', async () => {
  const { id } = await context.add.instance()
  const admin = await follow(await context.add.admin())
  const isNotified = (times: number) =>
    until(
      'the Admin is notified',
      () => admin.changes.filter(({ feature }) => feature === 'optOuts').length >= times,
    )
  await context.db.run(sql`
    insert into opt_outs (is_for_all, source, phone, said_at) values (true, 'form', '84901234567', clock_now())`)
  await isNotified(1)
  await context.db.run(sql`
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
    values (${id}, '84901234567', 'contains', 'xin dừng', 'm', clock_now())`)
  await isNotified(2)
})

test('the status of an instance, the begin and end of a sync, and a deletion notify users', async () => {
  const { id } = await context.add.instance()
  const job = await context.add.job({ instanceId: id })
  const admin = await follow(await context.add.admin())
  const isNotified = (change: Change) =>
    until(JSON.stringify(change), () =>
      admin.changes.some(({ feature, id }) => feature === change.feature && id === change.id),
    )

  await context.db.run(sql`update instances set status = 'Unpaid' where id = ${id}`)
  await isNotified({ feature: 'instances', id })
  await context.db.run(
    sql`update instances set syncing_until = clock_now(), last_sync_at = clock_now() where id = ${id}`,
  )
  await isNotified({ feature: 'groups', id })
  await context.db.run(sql`delete from jobs where id = ${job.id}`)
  await isNotified({ feature: 'jobs', id: null })
})

test('a new name or the deletion of an instance notifies all pages that show the name, a new status does not', async () => {
  const { id } = await context.add.instance()
  const admin = await follow(await context.add.admin())
  let checked = 0
  /** Waits for changes of these features, and of no others. */
  const expectNext = async (...features: ChangedFeature[]) => {
    const next = () => new Set(admin.changes.slice(checked).map(({ feature }) => feature))
    await until(`${features} change`, () => features.every((feature) => next().has(feature)))
    expect(next()).toEqual(new Set(features))
    checked = admin.changes.length
  }

  await context.db.run(sql`update instances set status = 'Unpaid' where id = ${id}`)
  await expectNext('instances')
  await context.db.run(sql`update instances set name = 'Market' where id = ${id}`)
  await expectNext('instances', 'groups', 'jobs', 'messages')
  await context.db.run(sql`delete from instances where id = ${id}`)
  await expectNext('instances', 'groups', 'jobs', 'messages', 'optOuts')
})

test('a message notifies the users who see its instance, or only its author if it has no instance', async () => {
  const [mine, theirs] = [await context.add.instance(), await context.add.instance()]
  const [I, other] = [
    await context.add.user({ instances: [mine] }),
    await context.add.user({ instances: [mine, theirs] }),
  ]
  const [me, them] = [await follow(I), await follow(other)]
  const write = (user: TestUser, instanceId: number | null) =>
    context.call(user, contract.messages.create, { body: { textContent: 'Hello', instanceId } })
  const untilChanges = (someone: Followed, times: number) =>
    until(`${times} changes`, () => someone.changes.length === times)
  const change = { feature: 'messages', id: null }

  await write(other, theirs.id)
  await untilChanges(them, 1)
  await write(other, null)
  await untilChanges(them, 2)
  const { body } = await write(I, mine.id)
  await untilChanges(them, 3)
  await untilChanges(me, 1)
  const params = { id: (body as { id: number }).id } // the status was 201
  const answer = await context.call(other, contract.messages.update, {
    params,
    body: { textContent: 'Hello', instanceId: theirs.id },
  })
  expect(answer.status).toBe(200)
  await untilChanges(me, 2) // the message left my instance
  await context.call(other, contract.messages.remove, { params })
  await untilChanges(them, 5)

  expect(me.changes).toEqual([change, change])
})

test('a shared template notifies everybody', async () => {
  const reader = await follow(await context.add.user())
  const body = { textContent: 'Hello' }
  await context.call(await context.add.user(), contract.messages.create, { body })
  await context.call(await context.add.admin(), contract.messages.create, { body })

  await until('the change arrives', () => reader.changes.length > 0)
  expect(reader.changes).toEqual([{ feature: 'messages', id: null }])
})

test('a thousand changes of one job are few events', async () => {
  const { id: instanceId } = await context.add.instance()
  const admin = await follow(await context.add.admin())

  const begin = performance.now()
  for (let n = 0; n < 1000; n++)
    await notifyChanges(context.db, [{ feature: 'deliveries', id: 7, instanceId }])
  await notifyChanges(context.db, [{ feature: 'deliveries', id: 8, instanceId }])
  await until('the last change arrives', () => admin.changes.some(({ id }) => id === 8))

  expect(admin.changes).toContainEqual({ feature: 'deliveries', id: 7 })
  const seconds = (performance.now() - begin) / 1000
  expect(admin.frames.length).toBeLessThan(5 + 4 * seconds)
})

test('a thousand changed jobs are one change without an id', async () => {
  const { id: instanceId } = await context.add.instance()
  const admin = await follow(await context.add.admin())

  const jobs = Array.from({ length: 1000 }, (_, n) => ({ feature: 'deliveries', id: n, instanceId }) as const)
  await notifyChanges(context.db, jobs)

  await until('a change arrives', () => admin.changes.length > 0)
  expect(admin.changes).toEqual([{ feature: 'deliveries', id: null }])
})

test('the progress of a worker in another process reaches every server', async () => {
  const [one, other, worker] = [1, 2, 3].map(() =>
    connect(context.database.address, { applicationName: 'sendroom test process' }),
  )
  if (!one || !other || !worker) throw new Error('unreachable')
  const hubs = [one, other].map((db) => openHub({ db, log: noLog }))
  const caller = await callerOf(await context.add.admin())
  const followed = await Promise.all(hubs.map(async (hub) => new Followed(await hub.follow(caller))))

  const progress = openProgress(worker, () => {})
  for (let n = 0; n < 1000; n++) progress.moved({ jobId: 5, instanceId: 1 })
  await progress.stop()

  await until('each stream has an event', () => followed.every(({ frames }) => frames.length > 0))
  for (const { frames } of followed) expect(frames).toEqual([[{ feature: 'deliveries', id: 5 }]])
  await Promise.all(hubs.map((hub) => hub.stop()))
  await Promise.all([one, other, worker].map((db) => db.end()))
})

const callerOf = async (user: TestUser) => {
  const caller = await (await context.app).findCaller(user.token, '127.0.0.1')
  if (!caller) throw new Error('Nobody has this token.')
  return caller
}

//
test('locking a user ends only that user’s stream', async () => {
  const [admin, user] = [await context.add.admin(), await context.add.user()]
  const [theirs, ours] = [await follow(user), await follow(admin)]

  await context.call(admin, contract.users.update, { params: { id: user.id }, body: { isActive: false } })

  await until('the stream ends', () => theirs.hasEnded)
  expect(ours.hasEnded).toBe(false)
  expect((await ask(user)).status).toBe(401)
})

test('a logout ends the stream', async () => {
  const user = await context.add.user()
  const followed = await follow(user)

  await context.call(user, contract.session.logout, {})

  await until('the stream ends', () => followed.hasEnded)
})

//
test('a new role or new flags end the user’s stream', async () => {
  const admin = await context.add.admin()
  const user = await context.add.user()
  const assignment = { instanceIds: [], canSendMessages: false, canCreateJobs: true }
  const changes = [
    () => context.call(admin, contract.users.update, { params: user, body: { role: 'Admin' } }),
    () => context.call(admin, contract.users.update, { params: user, body: { canCreateJobs: false } }),
    () => context.call(admin, contract.users.assignInstances, { params: user, body: assignment }),
  ]

  for (const change of changes) {
    const followed = await follow(user)
    expect((await change()).status).toBe(200)
    await until('the stream ends', () => followed.hasEnded)
  }
})

//
test('a new assignment ends the stream, and the next stream follows the new instances', async () => {
  const [admin, user, instance] = [
    await context.add.admin(),
    await context.add.user(),
    await context.add.instance(),
  ]
  const before = await follow(user)

  await context.call(admin, contract.users.assignInstances, {
    params: { id: user.id },
    body: { instanceIds: [instance.id], canSendMessages: true, canCreateJobs: true },
  })
  await until('the stream ends', () => before.hasEnded)
  const after = await follow(user)
  await context.add.job({ instanceId: instance.id })

  await until('the new job arrives', () => after.changes.length > 0)
  expect(before.changes).toEqual([])
})

test('a silent stream sends heartbeats, and ends when its session expires', async () => {
  const hub = openHub({ db: context.db, log: noLog, heartbeatMs: 10 })
  const followed = new Followed(await hub.follow(await callerOf(await context.add.user())))

  await until('heartbeats arrive', () => followed.beats > 2)
  expect(followed.hasEnded).toBe(false)
  await context.shiftClock('20 years')

  await until('the stream ends', () => followed.hasEnded)
  await hub.stop()
})

// R-2270
test('an open stream is a request of its session, written every three minutes at most', async () => {
  await context.freezeClock()
  const user = await context.add.user()
  const hub = openHub({ db: context.db, log: noLog, heartbeatMs: 10 })
  const followed = new Followed(await hub.follow(await callerOf(user)))
  const written = () =>
    context.db.one<{ idleAt: string | null; usedAt: string }>(
      sql`select idle_at, used_at from sessions where user_id = ${user.id}`,
    )
  /** A heartbeat begins when the one before has hardly begun to write. So some more have to pass. */
  const expectNoWrite = async () => {
    const [before, beats] = [await written(), followed.beats]
    await until('heartbeats arrive', () => followed.beats > beats + 4)
    expect(await written()).toEqual(before)
  }

  await expectNoWrite()
  await context.moveClock('3 minutes 1 second')
  await until('the stream is recorded', async () => (await written()).idleAt !== null)
  const first = await written()
  await context.moveClock('2 minutes 59 seconds')
  await expectNoWrite()
  await context.moveClock('2 seconds')
  await until('it is recorded again', async () => (await written()).idleAt !== first.idleAt)
  expect((await written()).usedAt).toBe(first.usedAt)
  await hub.stop()
})

// R-1903
test('a stream ends with the token that opened it, although the session goes on', async () => {
  const user = await context.add.user({ password: 'secret-1' })
  const hub = openHub({ db: context.db, log: noLog, heartbeatMs: 10 })
  const followed = new Followed(await hub.follow(await callerOf(user)))
  await context.call(user, contract.session.confirm, { body: { password: 'secret-1' } })
  await until('heartbeats arrive', () => followed.beats > 2)
  expect(followed.hasEnded).toBe(false)
  await context.moveClock('31 seconds')
  await until('the stream ends', () => followed.hasEnded)
  await hub.stop()
})

// R-1931
test('a stream ends when its user has to set up a second factor', async () => {
  const hub = openHub({ db: context.db, log: noLog, heartbeatMs: 10 })
  const followed = new Followed(await hub.follow(await callerOf(await context.add.user())))
  await until('heartbeats arrive', () => followed.beats > 2)
  expect(followed.hasEnded).toBe(false)
  await context.db.run(sql`update factor_rule set required_of = 'all'`)
  await until('the stream ends', () => followed.hasEnded)
  await hub.stop()
})

test('an interruption of the listener ends every stream, because notifications were lost', async () => {
  const admin = await context.add.admin()
  const before = await follow(admin)

  await context.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %'`)

  await until('the stream ends', () => before.hasEnded)
  const after = await follow(admin)
  await context.add.job()
  await until('the next stream has an event', () => after.changes.length > 0)
})

test('a user may have twenty streams in all sessions, and the next one is refused', async () => {
  const user = await context.add.user()
  const elsewhere = await context.add.session(user)
  const open: Response[] = []
  while (open.length < 20) open.push(await ask(open.length % 2 ? user : elsewhere))

  const refused = await ask(user)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('30')

  await open[0]?.body?.cancel()
  await until('a new stream is accepted', async () => {
    const again = await ask(user)
    await again.body?.cancel()
    return again.status === 200
  })
})

// R-2173
test('a session that has all streams of its user gives one up to another', async () => {
  const owner = await context.add.user()
  const thief = await context.add.session(owner)
  const stolen: Followed[] = []
  while (stolen.length < 20) stolen.push(await follow(thief))
  expect((await ask(thief)).status).toBe(429)

  const { status, body } = await ask(owner)

  expect(status).toBe(200)
  await until('the oldest stream ends', () => stolen[0]?.hasEnded === true)
  expect(stolen.filter(({ hasEnded }) => hasEnded)).toHaveLength(1)
  expect((await ask(thief)).status).toBe(429)
  await body?.cancel()
})

test('a stop ends the streams', async () => {
  const followed = await follow(await context.add.admin())

  await (await context.app).close()

  await until('the stream has ended', () => followed.hasEnded)
})
