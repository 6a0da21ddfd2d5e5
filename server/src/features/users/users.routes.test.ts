import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { users, session } = contract

const form = { username: 'Minh', email: 'minh@example.com', password: 'secret-1' }

const signIn = async (username: string, password: string) =>
  (await context.call(null, session.login, { body: { username, password } })).status

test('a user is not created with an unknown instance', async () => {
  const body = { ...form, assignedInstances: [987_654] }

  expect(await context.call(await context.add.admin(), users.create, { body })).toMatchObject({
    status: 400,
    body: { fields: { assignedInstances: 'FIELD.INVALID' } },
  })
  expect(await context.db.many(sql`select from users`)).toHaveLength(1)
})

test.each([
  [{ username: 'MINH', email: 'other@example.com' }, 'username_taken'],
  [{ username: 'other', email: 'Minh@Example.com' }, 'email_taken'],
  //
])('a taken name is refused in upper and lower case: %o', async (taken, code) => {
  const admin = await context.add.admin()
  await context.add.user({ username: 'minh', email: 'minh@example.com' })
  const other = await context.add.user()

  const created = await context.call(admin, users.create, { body: { ...form, ...taken } })
  const changed = await context.call(admin, users.update, { params: other, body: { ...form, ...taken } })

  expect(created).toMatchObject({ status: 409, body: { code } })
  expect(changed).toMatchObject({ status: 409, body: { code } })
})

//
test('a change keeps absent fields, and an empty password keeps the password', async () => {
  const admin = await context.add.admin()
  const shop = await context.add.instance()
  const user = await context.add.user({ instances: [shop], canCreateJobs: false })

  const answer = await context.call(admin, users.update, {
    params: user,
    body: { email: 'new@example.com', password: '' },
  })

  expect(answer).toMatchObject({
    status: 200,
    body: {
      username: user.username,
      email: 'new@example.com',
      canCreateJobs: false,
      assignedInstances: [{ id: shop.id }],
    },
  })
  expect((await context.call(user, session.logout, {})).status).toBe(204)
})

//
test('a Member who changes the own password loses the other sessions', async () => {
  const member = await context.add.user({ username: 'lan' })
  await context.call(member, users.update, { params: member, body: { password: 'first-1' } })
  const elsewhere = await context.call(null, session.login, {
    body: { username: 'lan', password: 'first-1' },
  })
  const other = { ...member, token: elsewhere.body.token }

  const answer = await context.call(member, users.update, { params: member, body: { password: 'second-2' } })

  expect(answer).toMatchObject({ status: 200, body: { username: 'lan' } })
  expect((await context.call(other, session.logout, {})).status).toBe(401)
  expect((await context.call(member, session.logout, {})).status).toBe(204)
  expect([await signIn('lan', 'first-1'), await signIn('lan', 'second-2')]).toEqual([401, 200])
})

//
test('a Member’s own password must be a new one of enough characters', async () => {
  const member = await context.add.user()
  const change = (password: string) =>
    context.call(member, users.update, { params: member, body: { password } })

  expect((await change('')).status).toBe(400)
  expect((await change('12345')).body.fields).toEqual({ password: 'USER_FORM.PASSWORD_INVALID' })
})

//
test('locking a user ends the sessions at once, and unlocking does not restore them', async () => {
  const admin = await context.add.admin()
  const user = await context.add.user()

  await context.call(admin, users.update, { params: user, body: { isActive: false } })
  await context.call(admin, users.update, { params: user, body: { isActive: true } })

  expect((await context.call(user, session.logout, {})).status).toBe(401)
})

//
test('two Admins who demote, lock or delete each other at once do not both succeed', async () => {
  for (const act of ['demote', 'lock', 'delete'] as const) {
    const [first, second] = [await context.add.admin(), await context.add.admin()]
    const onto = (by: typeof first, id: number) =>
      act === 'delete'
        ? context.call(by, users.remove, { params: { id } })
        : context.call(by, users.update, {
            params: { id },
            body: act === 'lock' ? { isActive: false } : { role: 'Member' },
          })

    const answers = await Promise.all([onto(first, second.id), onto(second, first.id)])

    const admins = await context.db.maybeOne(
      sql`select count(*) from users where role = 'Admin' and is_active`,
    )
    expect(admins?.count).toBe(1)
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    await context.db.run(sql`delete from users`)
  }
})

test('Admins who change each other at the same time do not deadlock', async () => {
  const [first, second] = [await context.add.admin(), await context.add.admin()]
  const onto = (by: typeof first, { id }: typeof first) => [
    context.call(by, users.update, { params: { id }, body: { canCreateJobs: false } }),
    context.call(by, users.assignInstances, {
      params: { id },
      body: { instanceIds: [], canSendMessages: true, canCreateJobs: true },
    }),
  ]

  const calls = Array.from({ length: 10 }, () => [...onto(first, second), ...onto(second, first)]).flat()

  expect((await Promise.all<{ status: number }>(calls)).map(({ status }) => status)).toEqual(
    calls.map(() => 200),
  )
})

//
test('jobs and messages of a deleted user keep the user’s name', async () => {
  const admin = await context.add.admin()
  const lan = await context.add.user({ username: 'lan' })
  const job = await context.add.job({ createdByUserId: lan.id, createdByUserName: 'lan', status: 'Running' })

  expect((await context.call(admin, users.remove, { params: lan })).status).toBe(204)

  expect((await context.call(lan, session.logout, {})).status).toBe(401)
  expect(
    await context.db.many(sql`select created_by_user_name, status from jobs where id = ${job.id}`),
  ).toEqual([{ createdByUserName: 'lan', status: 'Running' }])
})

//
test('an assignment replaces the instances and the flags', async () => {
  const admin = await context.add.admin()
  const [old, kept, added] = [
    await context.add.instance({ name: 'Old' }),
    await context.add.instance({ name: 'Kept' }),
    await context.add.instance({ name: 'Added' }),
  ]
  const user = await context.add.user({ instances: [old, kept] })

  const answer = await context.call(admin, users.assignInstances, {
    params: user,
    body: { instanceIds: [kept.id, added.id, added.id], canSendMessages: false, canCreateJobs: false },
  })

  const now = {
    assignedInstances: [
      { id: added.id, name: 'Added' },
      { id: kept.id, name: 'Kept' },
    ],
    canSendMessages: false,
    canCreateJobs: false,
    canLinkAccounts: true,
    canExportParticipants: true,
    canUseContacts: false,
    canManageContacts: false,
    canApproveJobs: false,
    canMentionAll: false,
    version: 2,
  }
  expect(answer).toMatchObject({ status: 200, body: now })
  expect((await context.call(admin, users.instances, { params: user })).body).toEqual(now)
})

//
test('an assignment of an unknown instance changes nothing', async () => {
  const admin = await context.add.admin()
  const shop = await context.add.instance({ name: 'Shop' })
  const user = await context.add.user({ instances: [shop] })

  const answer = await context.call(admin, users.assignInstances, {
    params: user,
    body: { instanceIds: [987_654], canSendMessages: false, canCreateJobs: false },
  })

  expect(answer).toMatchObject({ status: 400, body: { fields: { instanceIds: 'FIELD.INVALID' } } })
  expect((await context.call(admin, users.instances, { params: user })).body).toMatchObject({
    assignedInstances: [{ name: 'Shop' }],
    canSendMessages: true,
  })
})

//
test('later rights are kept where a request leaves them out', async () => {
  const admin = await context.add.admin()
  const taken = {
    canLinkAccounts: false,
    canExportParticipants: false,
    canUseContacts: true,
    canManageContacts: true,
    canApproveJobs: true,
    canMentionAll: true,
  }
  const created = await context.call(admin, users.create, { body: { ...form, ...taken } })
  const params = { id: created.body.id }
  const assign = async (rights: Partial<typeof taken>) =>
    (
      await context.call(admin, users.assignInstances, {
        params,
        body: { instanceIds: [], canSendMessages: true, canCreateJobs: true, ...rights },
      })
    ).body

  expect(created.body).toMatchObject(taken)
  expect(await assign({})).toMatchObject(taken)
  expect(
    (await context.call(admin, users.update, { params, body: { email: 'new@example.com' } })).body,
  ).toMatchObject(taken)
  expect(await assign({ canLinkAccounts: true })).toMatchObject({ ...taken, canLinkAccounts: true })
  expect(
    (await context.call(admin, users.update, { params, body: { canExportParticipants: true } })).body,
  ).toMatchObject({ canLinkAccounts: true, canExportParticipants: true })
})

//
test('a registered user waits until an Admin activates them, and never again', async () => {
  const admin = await context.add.admin()
  const user = await context.add.user({ isActive: false })
  await context.db.run(sql`update users set is_waiting = true where id = ${user.id}`)
  const change = async (body: { email?: string; isActive?: boolean }) =>
    (await context.call(admin, users.update, { params: user, body })).body
  const rights = { instanceIds: [], canSendMessages: true, canCreateJobs: true }

  expect((await context.call(admin, users.get, { params: user })).body).toMatchObject({ isWaiting: true })
  expect(await change({ email: 'right@example.com', isActive: false })).toMatchObject({ isWaiting: true })
  await context.call(admin, users.assignInstances, { params: user, body: rights })
  expect((await context.call(admin, users.list, {})).body.data[0]).toMatchObject({ isWaiting: true })
  expect(await change({ isActive: true })).toMatchObject({ isActive: true, isWaiting: false })
  expect(await change({ isActive: false })).toMatchObject({ isActive: false, isWaiting: false })
})

test('a user whose name is older than the rules keeps it until it is changed', async () => {
  const admin = await context.add.admin()
  const user = await context.add.user({ username: 'la\u200bn' })
  const change = (username: string) =>
    context.call(admin, users.update, { params: user, body: { username, canCreateJobs: false } })

  expect(await change('la\u200bn')).toMatchObject({ status: 200, body: { username: 'la\u200bn' } })
  expect((await change('li\u200bn')).body.fields).toEqual({ username: 'USER_FORM.USERNAME_UNREADABLE' })
  expect(await change('Ánh'.normalize('NFD'))).toMatchObject({ status: 200, body: { username: 'Ánh' } })
})

test('a user signs in with the name in either Unicode form', async () => {
  const admin = await context.add.admin()
  await context.call(admin, users.create, { body: { ...form, username: 'Ánh Đặng'.normalize('NFD') } })
  expect(await signIn('ánh đặng'.normalize('NFC'), form.password)).toBe(200)
  expect(await signIn('ánh đặng'.normalize('NFD'), form.password)).toBe(200)
})
