import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { users, session } = contract

const form = { username: 'Minh', email: 'minh@example.com', password: 'secret-1' }
const stranger = { params: { id: 987_654 } }

const signIn = async (username: string, password: string) =>
  (await context.call(null, session.login, { body: { username, password } })).status

test('an Admin creates a user, who can sign in', async () => {
  const admin = await context.add.admin()
  const shop = await context.add.instance({ name: 'Shop' })

  const answer = await context.call(admin, users.create, { body: { ...form, assignedInstances: [shop.id] } })

  expect(answer).toMatchObject({
    status: 201,
    body: {
      username: 'Minh',
      role: 'Member',
      isActive: true,
      canSendMessages: true,
      assignedInstances: [{ id: shop.id, name: 'Shop' }],
    },
  })
  expect(answer.raw.toString()).not.toMatch(/argon2|password/i)
  expect(await signIn('minh', 'secret-1')).toBe(200)
})

test.each([
  ['nothing at all', {}, ['username', 'email', 'password']],
  ['a short username', { ...form, username: 'ab' }, ['username']],
  ['no email address', { ...form, email: 'minh' }, ['email']],
  ['a short password', { ...form, password: '12345' }, ['password']],
  ['an unknown role', { ...form, role: 'Owner' }, ['role']],
  ['an unknown instance', { ...form, assignedInstances: [987_654] }, ['assignedInstances']],
])('the error for creating a user with %s names the fields', async (_case, body, fields) => {
  const answer = await context.call(await context.add.admin(), users.create, { body: body as typeof form })

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(Object.keys(answer.body.error)).toEqual(fields)
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

test('calls for Admins are refused to Members and without a session', async () => {
  const member = await context.add.user()
  const params = { id: member.id }
  const flags = { instanceIds: [], canSendMessages: true, canCreateJobs: true }
  const calls = (user: typeof member | null) => [
    context.call(user, users.list, {}),
    context.call(user, users.get, { params }),
    context.call(user, users.create, { body: form }),
    context.call(user, users.remove, { params }),
    context.call(user, users.assignInstances, { params, body: flags }),
    context.call(user, users.instances, { params }),
  ]

  const statuses = async (user: typeof member | null) =>
    (await Promise.all(calls(user))).map(({ status }) => status)

  expect(await statuses(member)).toEqual([403, 403, 403, 403, 403, 403])
  expect(await statuses(null)).toEqual([401, 401, 401, 401, 401, 401])
  expect((await context.call(null, users.update, { params, body: {} })).status).toBe(401)
})

test('an unknown user is not found', async () => {
  const admin = await context.add.admin()
  const flags = { instanceIds: [], canSendMessages: true, canCreateJobs: true }
  const answers = await Promise.all([
    context.call(admin, users.get, stranger),
    context.call(admin, users.update, { ...stranger, body: { isActive: false } }),
    context.call(admin, users.remove, stranger),
    context.call(admin, users.assignInstances, { ...stranger, body: flags }),
    context.call(admin, users.instances, stranger),
  ])

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
})

//
test('the list is searched by name and email, without accents and with literal % and _', async () => {
  const admin = await context.add.admin({ username: 'boss' })
  await context.add.user({ username: '100%', email: 'a@example.com' })
  await context.add.user({ username: '1000', email: 'sales_team@example.com' })
  await context.add.user({ username: 'Đỗ Lan', email: 'salesXteam@example.com' })
  const search = async (search: string) =>
    (await context.call(admin, users.list, { query: { search, sortBy: 'username', sortDirection: 'asc' } }))
      .body

  expect((await search('100%')).data.map(({ username }) => username)).toEqual(['100%'])
  expect((await search('SALES_')).data.map(({ username }) => username)).toEqual(['1000'])
  expect((await search('do lan')).data.map(({ username }) => username)).toEqual(['Đỗ Lan'])
  expect((await search('team')).pagination).toMatchObject({ totalCount: 2, totalPages: 1 })
})

test.each(['id', 'username', 'email', 'role', 'isActive', 'createdAt'] as const)(
  //
  'the list sorts by %s, with no gap and no duplicate between pages',
  async (sortBy) => {
    const admin = await context.add.admin({ username: 'Eve' })
    for (const username of ['ann', 'Bob', 'cid', 'Dan']) await context.add.user({ username })
    const page = async (page: number) =>
      (await context.call(admin, users.list, { query: { sortBy, sortDirection: 'asc', page, pageSize: 2 } }))
        .body

    const names = (await Promise.all([page(1), page(2), page(3)])).flatMap(({ data }) =>
      data.map(({ username }) => username),
    )

    const byName = ['ann', 'Bob', 'cid', 'Dan', 'Eve']
    const byId = ['Eve', 'ann', 'Bob', 'cid', 'Dan']
    expect(names).toEqual(sortBy === 'username' || sortBy === 'email' ? byName : byId)
  },
)

test.each([{ sortBy: 'password_hash' }, { page: 0 }, { pageSize: 1001 }])(
  'the list refuses %o',
  async (query) => {
    const answer = await context.call(await context.add.admin(), users.list, { query: query as object })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  },
)

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
test('Members can’t change anything else', async () => {
  const member = await context.add.user()
  const other = await context.add.user()
  const change = (id: number, body: object) => context.call(member, users.update, { params: { id }, body })

  expect((await change(member.id, { password: 'secret-1', role: 'Admin' })).status).toBe(403)
  expect((await change(member.id, { canCreateJobs: true })).status).toBe(403)
  expect((await change(member.id, { password: '' })).status).toBe(400)
  expect((await change(member.id, { password: '12345' })).body.fields).toEqual({
    password: 'USER_FORM.PASSWORD_INVALID',
  })
  expect((await change(other.id, { password: 'secret-1' })).status).toBe(404)
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
test('a changed role and changed flags apply from the next request on', async () => {
  const admin = await context.add.admin()
  const second = await context.add.admin()
  expect((await context.call(second, users.list, {})).status).toBe(200)

  await context.call(admin, users.update, { params: second, body: { role: 'Member' } })

  expect((await context.call(second, users.list, {})).status).toBe(403)
})

test.each([
  ['locked', { isActive: false }],
  ['demoted', { role: 'Member' }],
  //
] as const)('the last active Admin can’t be %s', async (_what, body) => {
  const admin = await context.add.admin()
  await context.add.admin({ isActive: false })

  expect(await context.call(admin, users.update, { params: admin, body })).toMatchObject({
    status: 409,
    body: { code: 'last_admin' },
  })
  expect((await context.call(admin, users.list, {})).status).toBe(200)
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
test('a user can’t delete themselves', async () => {
  const admin = await context.add.admin()
  await context.add.admin()

  expect(await context.call(admin, users.remove, { params: admin })).toMatchObject({
    status: 409,
    body: { code: 'own_user' },
  })
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
test('the rights to link instances and to export members are kept where a request leaves them out', async () => {
  const admin = await context.add.admin()
  const taken = { canLinkAccounts: false, canExportParticipants: false }
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
