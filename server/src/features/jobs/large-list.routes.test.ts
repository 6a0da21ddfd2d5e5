import { promisify } from 'node:util'
import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { limits } from '@sendroom/contract/limits'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { addressOf } from '../../../test/http-client.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { jobs, groups, series } = contract

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => `+8490${String(n).padStart(7, '0')}`).join('\n')
/** Long enough for the worker thread. */
const largeList = { jobType: 'SendToUsers', phoneNumbers: people(1000) } as const

async function fixture() {
  const { instance, member } = await context.add.memberWithInstance()
  const message = await context.add.message({ createdByUserId: member.id })
  const order = { ...largeList, messageId: message.id, instanceId: instance.id }
  return { instance, member, order }
}

/** Calls over a connection, which `leave` closes. */
async function connectAndAsk(
  user: TestUser,
  endpoint: Endpoint,
  { params = {}, body }: { params?: object; body?: object },
) {
  const port = await context.listen()
  const client = new AbortController()
  const answer = fetch(`http://127.0.0.1:${port}${addressOf(endpoint, params)}`, {
    method: endpoint.method,
    headers: { authorization: `Bearer ${user.token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: client.signal,
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 'left' as const,
  )
  return { answer, leave: () => client.abort() }
}

/** Runs `work` while jobs of the instance wait for their recipients to be written. */
const whileLocked = <T>(instanceId: number, work: () => Promise<T>) =>
  context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${instanceId} for update`)
    return work()
  })

const isWaiting = () => until('the job waits for the lock', async () => (await countWaiting(context.db)) > 0)
/** Runs `leave`, and waits until the app has noticed that so many clients have closed their connections. */
async function untilLeft(count: number, leave: () => void) {
  const { server } = await context.app
  const countConnections = promisify(server.getConnections.bind(server))
  const before = await countConnections()
  leave()
  await until('the connections are closed', async () => (await countConnections()) <= before - count)
}

//
test('far more entries than a job takes are refused at once, for a job and for its preview', async () => {
  const { member, order } = await fixture()
  const phoneNumbers = '1,'.repeat(2_000_000)
  const refused = { status: 400, body: { code: 'too_many_recipients' } }

  const startedAt = process.cpuUsage()
  expect(await context.call(member, jobs.preview, { body: { ...order, phoneNumbers } })).toMatchObject(
    refused,
  )
  expect(await context.call(member, jobs.create, { body: { ...order, phoneNumbers } })).toMatchObject(refused)
  // Parsing them takes more than ten seconds.
  expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(3)
})

//
test('the preview refuses more numbers than a job takes', async () => {
  const { member } = await fixture()
  const phoneNumbers = people(limits.recipients + 1)

  expect(await context.call(member, jobs.preview, { body: { ...largeList, phoneNumbers } })).toMatchObject({
    status: 400,
    body: { code: 'too_many_recipients' },
  })
})

test('a hundred thousand wrong ids cause a short answer', async () => {
  const { member, order } = await fixture()
  const wrong = {
    ...order,
    jobType: 'SendToGroups' as const,
    groupIds: Array.from({ length: 100_000 }, () => 'x'),
  }

  const { status, raw } = await context.call(member, jobs.create, { body: wrong })
  expect(status).toBe(400)
  expect(raw.length).toBeLessThan(5000)
})

test('a large list gives the same job and preview as a small one', async () => {
  const { member, order } = await fixture()
  const { body } = await context.call(member, jobs.preview, {
    body: { ...order, phoneNumbers: `${order.phoneNumbers}\n0900000000\nhello` },
  })
  expect(body).toMatchObject({ recipients: 1000, duplicates: 1, unreadable: { total: 1, first: ['hello'] } })

  const job = await context.call(member, jobs.create, { body: order })
  expect(job.status).toBe(201)
  expect(await context.db.many(sql`select from deliveries where job_id = ${job.body.id}`)).toHaveLength(1000)
})

test.each(['many numbers', 'a list'])('a job to %s whose client has left is not created', async (what) => {
  const { instance, member, order: large } = await fixture()
  await context.db.run(sql`update users set can_use_contacts = true where id = ${member.id}`)
  const list = await context.add.list({ users: [member], contacts: [await context.add.contact()] })
  const order = what === 'a list' ? { ...large, phoneNumbers: '', listIds: [list.id] } : large

  await whileLocked(instance.id, async () => {
    const { answer, leave } = await connectAndAsk(member, jobs.create, { body: order })
    await isWaiting()
    await untilLeft(1, leave)
    expect(await answer).toBe('left')
  })
  // Runs after the job, because a user has one piece of heavy work at a time.
  expect((await context.call(member, jobs.preview, { body: order })).status).toBe(200)

  expect(await context.db.many(sql`select from jobs`)).toHaveLength(0)
})

test('exports that nobody waits for any more take no place in the queue', async () => {
  const { instance, member } = await fixture()
  const params = await context.add.group({ instanceId: instance.id })
  const ask = () => connectAndAsk(member, groups.exportParticipants, { params })

  const answers = await context.db.begin(async (tx) => {
    await tx.run(sql`lock table participants in access exclusive mode`)
    const running = await ask()
    await isWaiting()
    // Five may wait. Of six, one is refused when the others do.
    const waiting = await Promise.all([1, 2, 3, 4, 5, 6].map(ask))
    expect(await Promise.race(waiting.map(({ answer }) => answer))).toBe(429)
    await untilLeft(5, () => {
      for (const { leave } of waiting) leave()
    })
    return [running.answer, (await ask()).answer]
  })
  expect(await Promise.all(answers)).toEqual([200, 200])
})

// R-2274
test('a series of many people takes its turn as heavy work, and one of a few people does not', async () => {
  const { instance, member, order } = await fixture()
  const other = await context.add.instance()
  await context.db.run(
    sql`insert into user_instances (user_id, instance_id) values (${member.id}, ${other.id})`,
  )
  const rule = {
    ...{ frequency: 'day', every: 1, times: ['09:00'], startsOn: '2026-01-01' },
    ...{ endsOn: null, runLimit: null, timeZone: 'UTC' },
  }
  const save = (name: string, phoneNumbers: string) => {
    const chosen = { jobType: 'SendToUsers', phoneNumbers, isFrozen: true, instanceId: other.id }
    const body = { ...chosen, name, rule, messageIds: [order.messageId] }
    return connectAndAsk(member, series.create, { body })
  }

  const answers = await whileLocked(instance.id, async () => {
    const job = await connectAndAsk(member, jobs.create, { body: order })
    await isWaiting()
    const many = await save('many', order.phoneNumbers)
    for (const name of ['one', 'two', 'three']) expect(await (await save(name, people(1))).answer).toBe(201)
    expect(await context.db.run(sql`select from series where name = 'many'`)).toBe(0)
    return [job.answer, many.answer]
  })
  expect(await Promise.all(answers)).toEqual([201, 201])
})

test('a stop finishes heavy work', async () => {
  const { instance, member, order } = await fixture()
  const app = await context.app
  const [answer, closing] = await whileLocked(instance.id, async () => {
    const job = await connectAndAsk(member, jobs.create, { body: order })
    await isWaiting()
    const closing = app.close()
    await until('the port is closed', () => !app.server.listening)
    return [job.answer, closing]
  })
  expect(await answer).toBe(201)
  await closing
})
