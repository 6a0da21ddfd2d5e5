import { contract } from '@sendroom/contract'
import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import type { TestUser } from '../factories.ts'
import { expectCells } from './cells.ts'
import { context, createFixture, onlyRights, pollInGroup, sentToGroup, setPassword } from './fixture.ts'
import { of } from './rows.ts'

beforeEach(() => context.open())
afterEach(() => context.close())

// These tests say what each caller finds in lists and numbers, and whose rows a caller may name in a request.

const { dashboard, groups, instances, jobs, messages, session, users } = contract

/** An instance with data, a Member to whom it is assigned, and others. */
async function openFixture() {
  const fixture = await createFixture('with flags')
  const { instanceId, group, user } = fixture
  await context.db.run(sql`
    insert into delivery_changes values (${instanceId}, ${group.id}, 1, current_date, 1, 0, 0, 0)`)
  await context.db.run(sql`
    insert into participants (group_id, person_id, rank) values (${group.id}, '84901000001', 'member')`)
  if (!user) throw new Error('The fixture has no user.')
  // A Member loses sight of their own messages and jobs when the instance is taken away.
  const former = { instanceId: (await context.add.instance()).id, createdByUserId: user.id }
  await context.add.message(former)
  await context.add.job(former)
  await context.add.message({ createdByUserId: user.id })
  return {
    ...fixture,
    assigned: user,
    outsider: await context.add.user({ instances: [await context.add.instance()] }),
    admin: await context.add.admin(),
  }
}

/** How many rows of the fixture a caller finds, by list and number. */
async function numbersSeenBy(user: TestUser, own: { instanceId: number }) {
  const listed = async (endpoint: Endpoint, input: object = {}) => {
    const { body } = await context.call(user, endpoint, input as Input<Endpoint>)
    return (body as unknown as { data: unknown[] }).data.length // all of these are lists
  }
  const { body: stats } = await context.call(user, dashboard.stats, {})
  return {
    instances: await listed(instances.list),
    groups: await listed(groups.list),
    'searched groups': await listed(groups.search, { body: { instanceIds: [own.instanceId] } }),
    messages: await listed(messages.list),
    jobs: await listed(jobs.list),
    'counted groups': stats.totalGroups,
    'counted messages': stats.totalMessages,
    'counted jobs': stats.totalJobs,
    'counted people': stats.totalUniqueUsers,
    'counted sent messages': stats.totalSentMessages,
    'top groups': stats.topGroups.length,
  }
}

//
test.for([
  // All see the shared template, and the outsider an instance of their own.
  ['outsider', { instances: 1, groups: 0, messages: 1, jobs: 0 }],
  ['assigned', { instances: 1, groups: 1, messages: 3, jobs: 4 }],
  ['admin', { instances: 3, groups: 1, messages: 4, jobs: 5 }],
] as const)('lists and numbers have only what the %s caller may see', async ([caller, seen], { task }) => {
  const fixture = await openFixture()
  expectCells(task, await numbersSeenBy(fixture[caller], fixture), {
    ...seen,
    'searched groups': seen.groups,
    'counted groups': seen.groups,
    'counted messages': seen.messages,
    'counted jobs': seen.jobs,
    'counted people': seen.groups,
    'counted sent messages': seen.groups,
    'top groups': seen.groups,
  })
})

test('only Admins get the token of an instance', async ({ task }) => {
  const { instanceId, assigned, admin } = await openFixture()
  const hasToken = async (user: TestUser) =>
    (await context.call(user, instances.get, of(instanceId))).body.whapiToken !== undefined
  expectCells(
    task,
    { assigned: await hasToken(assigned), admin: await hasToken(admin) },
    { assigned: false, admin: true },
  )
})

//
test('a Member’s message without an instance is seen by its author and Admins', async ({ task }) => {
  const { assigned, outsider, admin } = await openFixture()
  const { id } = await context.add.message({ createdByUserId: assigned.id })
  const statusFor = async (user: TestUser) => (await context.call(user, messages.get, of(id))).status
  expectCells(
    task,
    { author: await statusFor(assigned), other: await statusFor(outsider), admin: await statusFor(admin) },
    { author: 200, other: 404, admin: 200 },
  )
})

//
test('a message names only the groups that the caller sees', async ({ task }) => {
  const { template, group, assigned, outsider } = await openFixture()
  await context.db.run(sql`insert into message_groups values (${template.id}, ${group.id})`)
  const named = async (user: TestUser) =>
    (await context.call(user, messages.get, of(template.id))).body.assignedGroups.length
  expectCells(
    task,
    { assigned: await named(assigned), outsider: await named(outsider) },
    { assigned: 1, outsider: 0 },
  )
})

/** Requests of a caller with all rights for their own instance, each naming one row of another instance. */
async function callsWithForeignRows() {
  const caller = await openFixture()
  const foreign = await openFixture()
  const { instanceId } = caller
  const text = { textContent: 'Hello' }
  const order = { messageId: caller.message.id, instanceId, groupIds: [caller.group.id] }
  const requestId = crypto.randomUUID()
  const otherGroup = await context.add.group()
  await context.db.run(sql`
    insert into user_instances (user_id, instance_id) values (${caller.assigned.id}, ${otherGroup.instanceId})`)
  await context.db.run(sql`
    update jobs set request_id = ${requestId}, created_by_user_id = ${caller.assigned.id} where id = ${foreign.job.id}`)
  const calls: Record<string, [Endpoint, object, number]> = {
    'a message with an instance': [
      messages.create,
      { body: { ...text, instanceId: foreign.instanceId } },
      400,
    ],
    'a message with a group': [messages.create, { body: { ...text, groupIds: [foreign.group.id] } }, 400],
    'a message of an instance with a group of another': [
      messages.create,
      { body: { ...text, instanceId, groupIds: [foreign.group.id] } },
      400,
    ],
    'a message of an instance with a group of another of their own': [
      messages.create,
      { body: { ...text, instanceId, groupIds: [otherGroup.id] } },
      400,
    ],
    'a message moved to an instance': [
      messages.update,
      { ...of(caller.message.id), body: { ...text, instanceId: foreign.instanceId } },
      400,
    ],
    'a job with a message': [jobs.create, { body: { ...order, messageId: foreign.message.id } }, 400],
    'a job with an instance': [jobs.create, { body: { ...order, instanceId: foreign.instanceId } }, 400],
    'a job to people with an instance': [
      jobs.create,
      {
        body: {
          ...order,
          jobType: 'SendToUsers',
          phoneNumbers: '0901234567',
          instanceId: foreign.instanceId,
        },
      },
      400,
    ],
    'a job with a group': [jobs.create, { body: { ...order, groupIds: [foreign.group.id] } }, 400],
    'a job of an instance with a group of another of their own': [
      jobs.create,
      { body: { ...order, groupIds: [otherGroup.id] } },
      400,
    ],
    'a job requested again, of an instance that was taken away': [
      jobs.create,
      { body: { ...order, instanceId: foreign.instanceId, requestId } },
      400,
    ],
    'a preview with an instance': [jobs.preview, { body: { ...order, instanceId: foreign.instanceId } }, 400],
    'a test message with an image': [
      jobs.test,
      { body: { ...text, instanceId, phoneNumber: '0901234567', imageOf: foreign.message.id } },
      404,
    ],
    'the members of a recipient': [
      jobs.members,
      { params: { ...(await sentToGroup(foreign.job, foreign.group)).params, id: caller.job.id } },
      404,
    ],
    'the voters of a recipient': [
      jobs.voters,
      { params: { ...(await pollInGroup(foreign.job, foreign.group)).params, id: caller.job.id } },
      404,
    ],
    'the deletion of several messages': [
      messages.bulkDelete,
      { body: { ids: [caller.message.id, foreign.message.id] } },
      404,
    ],
    'the deletion of several jobs': [
      jobs.bulkDelete,
      { body: { jobIds: [caller.job.id, foreign.job.id] } },
      404,
    ],
  }
  return { user: caller.assigned, calls }
}

//
test('no request may name a row of another instance', async ({ task }) => {
  const { user, calls } = await callsWithForeignRows()
  const answered: Record<string, number> = {}
  for (const [name, [endpoint, input]] of Object.entries(calls))
    answered[name] = (await context.call(user, endpoint, input as Input<Endpoint>)).status
  const expected = Object.entries(calls).map(([name, [, , status]]) => [name, status])
  expectCells(task, answered, Object.fromEntries(expected))
})

//
test('Members change their own password and nothing else of a user', async ({ task }) => {
  const [user, other] = [await context.add.user(onlyRights([])), await context.add.user()]
  const change = async (id: number, body: object) =>
    (await context.call(user, users.update, { ...of(id), body })).status
  const answered = {
    'own role': await change(user.id, { role: 'Admin' }),
    'own right': await change(user.id, { canCreateJobs: true }),
    'own name': await change(user.id, { username: 'another' }),
    'own instances': await change(user.id, { password: 'secret-2', assignedInstances: [] }),
    'password of another': await change(other.id, { password: 'secret-2' }),
    'own password': await change(user.id, { password: 'secret-2' }),
  }
  expectCells(task, answered, {
    'own role': 403,
    'own right': 403,
    'own name': 403,
    'own instances': 403,
    'password of another': 404,
    'own password': 200,
  })
})

//
test('nobody signs in with a wrong password, or while locked or waiting', async ({ task }) => {
  const password = 'secret-1'
  const answerTo = async (username: string, password: string) => {
    const { status, body } = await context.call(null, session.login, { body: { username, password } })
    return `${status} ${body.code ?? ''}`
  }
  const signIn = async (state: { isActive?: boolean; isWaiting?: boolean }, typed = password) => {
    const user = await context.add.user({ isActive: state.isActive ?? true })
    await setPassword(user, password)
    await context.db.run(sql`update users set is_waiting = ${state.isWaiting ?? false} where id = ${user.id}`)
    return answerTo(user.username, typed)
  }
  const answered = {
    active: await signIn({}),
    'wrong password': await signIn({}, 'secret-2'),
    'unknown name': await answerTo('nobody', password),
    locked: await signIn({ isActive: false }),
    waiting: await signIn({ isActive: false, isWaiting: true }),
  }
  expectCells(task, answered, {
    active: '200 ',
    'wrong password': '401 login_failed',
    'unknown name': '401 login_failed',
    locked: '401 login_failed',
    waiting: '401 waiting_for_activation',
  })
})

//
test('a system keeps an Admin', async ({ task }) => {
  const [admin, other] = [await context.add.admin(), await context.add.admin()]
  await context.db.run(
    sql`update users set is_active = false where role = 'Admin' and id not in (${admin.id}, ${other.id})`,
  )
  const remove = async (id: number) => (await context.call(admin, users.remove, of(id))).body?.code
  const change = async (body: object) =>
    (await context.call(admin, users.update, { ...of(admin.id), body })).body.code
  const oneself = await remove(admin.id)
  expect((await context.call(admin, users.remove, of(other.id))).status).toBe(204)
  const answered = {
    'deletes oneself': oneself,
    'demotes the last one': await change({ role: 'Member' }),
    'locks the last one': await change({ isActive: false }),
  }
  expectCells(task, answered, {
    'deletes oneself': 'own_user',
    'demotes the last one': 'last_admin',
    'locks the last one': 'last_admin',
  })
})
