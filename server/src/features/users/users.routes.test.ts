import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useWorld } from '../../../test/world.ts'
import { sql } from '../../platform/database/sql.ts'

const world = useWorld()
const { users, session } = contract

const form = { username: 'Minh', email: 'minh@example.com', password: 'secret1' }
const stranger = { params: { id: 987_654 } }

const signIn = async (username: string, password: string) =>
  (await world.call(null, session.login, { body: { username, password } })).status

test('an Admin creates a user, who can sign in', async () => {
  const admin = await world.add.admin()
  const shop = await world.add.instance({ name: 'Shop' })

  const answer = await world.call(admin, users.create, { body: { ...form, assignedInstances: [shop.id] } })

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
  expect(await signIn('minh', 'secret1')).toBe(200)
})

test.each([
  ['nothing at all', {}, ['username', 'email', 'password']],
  ['a short username', { ...form, username: 'ab' }, ['username']],
  ['no email address', { ...form, email: 'minh' }, ['email']],
  ['a short password', { ...form, password: '12345' }, ['password']],
  ['an unknown role', { ...form, role: 'Owner' }, ['role']],
  ['an unknown instance', { ...form, assignedInstances: [987_654] }, ['assignedInstances']],
])('creating with %s names the fields', async (_case, body, fields) => {
  const answer = await world.call(await world.add.admin(), users.create, { body: body as typeof form })

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(Object.keys(answer.body.error)).toEqual(fields)
  expect(await world.db.many(sql`select from users`)).toHaveLength(1)
})

test.each([
  [{ username: 'MINH', email: 'other@example.com' }, 'username_taken'],
  [{ username: 'other', email: 'Minh@Example.com' }, 'email_taken'],
  //
])('taken names are refused whatever their letters: %o', async (given, code) => {
  const admin = await world.add.admin()
  await world.add.user({ username: 'minh', email: 'minh@example.com' })
  const other = await world.add.user()

  const created = await world.call(admin, users.create, { body: { ...form, ...given } })
  const changed = await world.call(admin, users.update, { params: other, body: { ...form, ...given } })

  expect(created).toMatchObject({ status: 409, body: { code } })
  expect(changed).toMatchObject({ status: 409, body: { code } })
})

test('what only Admins may do is refused to Members and to nobody', async () => {
  const member = await world.add.user()
  const params = { id: member.id }
  const flags = { instanceIds: [], canSendMessages: true, canCreateJobs: true }
  const calls = (user: typeof member | null) => [
    world.call(user, users.list, {}),
    world.call(user, users.get, { params }),
    world.call(user, users.create, { body: form }),
    world.call(user, users.remove, { params }),
    world.call(user, users.assignInstances, { params, body: flags }),
    world.call(user, users.instances, { params }),
  ]

  const statuses = async (user: typeof member | null) =>
    (await Promise.all(calls(user))).map(({ status }) => status)

  expect(await statuses(member)).toEqual([403, 403, 403, 403, 403, 403])
  expect(await statuses(null)).toEqual([401, 401, 401, 401, 401, 401])
  expect((await world.call(null, users.update, { params, body: {} })).status).toBe(401)
})

test('an unknown user is not found', async () => {
  const admin = await world.add.admin()
  const flags = { instanceIds: [], canSendMessages: true, canCreateJobs: true }
  const answers = await Promise.all([
    world.call(admin, users.get, stranger),
    world.call(admin, users.update, { ...stranger, body: { isActive: false } }),
    world.call(admin, users.remove, stranger),
    world.call(admin, users.assignInstances, { ...stranger, body: flags }),
    world.call(admin, users.instances, stranger),
  ])

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
})

//
test('the list is searched in names and addresses, without accents, taking % and _ as they are', async () => {
  const admin = await world.add.admin({ username: 'boss' })
  await world.add.user({ username: '100%', email: 'a@example.com' })
  await world.add.user({ username: '1000', email: 'sales_team@example.com' })
  await world.add.user({ username: 'Đỗ Lan', email: 'salesXteam@example.com' })
  const search = async (search: string) =>
    (await world.call(admin, users.list, { query: { search, sortBy: 'username', sortDirection: 'asc' } }))
      .body

  expect((await search('100%')).data.map(({ username }) => username)).toEqual(['100%'])
  expect((await search('SALES_')).data.map(({ username }) => username)).toEqual(['1000'])
  expect((await search('do lan')).data.map(({ username }) => username)).toEqual(['Đỗ Lan'])
  expect((await search('team')).pagination).toMatchObject({ totalCount: 2, totalPages: 1 })
})

test.each(['id', 'username', 'email', 'role', 'isActive', 'createdAt'] as const)(
  //
  'the list sorts by %s, page after page without a gap or a double',
  async (sortBy) => {
    const admin = await world.add.admin({ username: 'Eve' })
    for (const username of ['ann', 'Bob', 'cid', 'Dan']) await world.add.user({ username })
    const page = async (page: number) =>
      (await world.call(admin, users.list, { query: { sortBy, sortDirection: 'asc', page, pageSize: 2 } }))
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
  'a list can not be asked for %o',
  async (query) => {
    const answer = await world.call(await world.add.admin(), users.list, { query: query as object })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  },
)

//
test('a change leaves alone what it does not name, and an empty password', async () => {
  const admin = await world.add.admin()
  const shop = await world.add.instance()
  const user = await world.add.user({ instances: [shop], canCreateJobs: false })

  const answer = await world.call(admin, users.update, {
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
  expect((await world.call(user, session.logout, {})).status).toBe(204)
})

//
test('Members change their own password, which ends their other sessions', async () => {
  const member = await world.add.user({ username: 'lan' })
  await world.call(member, users.update, { params: member, body: { password: 'first-1' } })
  const elsewhere = await world.call(null, session.login, { body: { username: 'lan', password: 'first-1' } })
  const other = { ...member, token: elsewhere.body.token }

  const answer = await world.call(member, users.update, { params: member, body: { password: 'second-2' } })

  expect(answer).toMatchObject({ status: 200, body: { username: 'lan' } })
  expect((await world.call(other, session.logout, {})).status).toBe(401)
  expect((await world.call(member, session.logout, {})).status).toBe(204)
  expect([await signIn('lan', 'first-1'), await signIn('lan', 'second-2')]).toEqual([401, 200])
})

//
test('Members change nothing else of users', async () => {
  const member = await world.add.user()
  const other = await world.add.user()
  const change = (id: number, body: object) => world.call(member, users.update, { params: { id }, body })

  expect((await change(member.id, { password: 'secret1', role: 'Admin' })).status).toBe(403)
  expect((await change(member.id, { canCreateJobs: true })).status).toBe(403)
  expect((await change(member.id, { password: '' })).status).toBe(400)
  expect((await change(member.id, { password: '12345' })).body.fields).toEqual({
    password: 'USER_FORM.PASSWORD_INVALID',
  })
  expect((await change(other.id, { password: 'secret1' })).status).toBe(404)
})

//
test('a locked user is out at once, and stays out with the old session when unlocked', async () => {
  const admin = await world.add.admin()
  const user = await world.add.user()

  await world.call(admin, users.update, { params: user, body: { isActive: false } })
  await world.call(admin, users.update, { params: user, body: { isActive: true } })

  expect((await world.call(user, session.logout, {})).status).toBe(401)
})

//
test('a changed role and changed flags count from the next request on', async () => {
  const admin = await world.add.admin()
  const second = await world.add.admin()
  expect((await world.call(second, users.list, {})).status).toBe(200)

  await world.call(admin, users.update, { params: second, body: { role: 'Member' } })

  expect((await world.call(second, users.list, {})).status).toBe(403)
})

test.each([
  ['locked', { isActive: false }],
  ['demoted', { role: 'Member' }],
  //
] as const)('the last active Admin is not %s', async (_what, body) => {
  const admin = await world.add.admin()
  await world.add.admin({ isActive: false })

  expect(await world.call(admin, users.update, { params: admin, body })).toMatchObject({
    status: 409,
    body: { code: 'last_admin' },
  })
  expect((await world.call(admin, users.list, {})).status).toBe(200)
})

//
test('two Admins who demote, lock or delete each other at once do not both succeed', async () => {
  for (const act of ['demote', 'lock', 'delete'] as const) {
    const [first, second] = [await world.add.admin(), await world.add.admin()]
    const onto = (by: typeof first, id: number) =>
      act === 'delete'
        ? world.call(by, users.remove, { params: { id } })
        : world.call(by, users.update, {
            params: { id },
            body: act === 'lock' ? { isActive: false } : { role: 'Member' },
          })

    const answers = await Promise.all([onto(first, second.id), onto(second, first.id)])

    const admins = await world.db.maybeOne(sql`select count(*) from users where role = 'Admin' and is_active`)
    expect(admins?.count).toBe(1)
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    await world.db.run(sql`delete from users`)
  }
})

//
test('nobody deletes themselves', async () => {
  const admin = await world.add.admin()
  await world.add.admin()

  expect(await world.call(admin, users.remove, { params: admin })).toMatchObject({
    status: 409,
    body: { code: 'own_user' },
  })
})

//
test('a deleted user is gone, and what they made keeps their name', async () => {
  const admin = await world.add.admin()
  const lan = await world.add.user({ username: 'lan' })
  const job = await world.add.job({ createdByUserId: lan.id, createdByUserName: 'lan', status: 'Running' })

  expect((await world.call(admin, users.remove, { params: lan })).status).toBe(204)

  expect((await world.call(lan, session.logout, {})).status).toBe(401)
  expect(
    await world.db.many(sql`select created_by_user_name, status from jobs where id = ${job.id}`),
  ).toEqual([{ createdByUserName: 'lan', status: 'Running' }])
})

//
test('assigning replaces the instances and the flags', async () => {
  const admin = await world.add.admin()
  const [old, kept, added] = [
    await world.add.instance({ name: 'Old' }),
    await world.add.instance({ name: 'Kept' }),
    await world.add.instance({ name: 'Added' }),
  ]
  const user = await world.add.user({ instances: [old, kept] })

  const answer = await world.call(admin, users.assignInstances, {
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
  }
  expect(answer).toMatchObject({ status: 200, body: now })
  expect((await world.call(admin, users.instances, { params: user })).body).toEqual(now)
})

//
test('assigning an unknown instance changes nothing', async () => {
  const admin = await world.add.admin()
  const shop = await world.add.instance({ name: 'Shop' })
  const user = await world.add.user({ instances: [shop] })

  const answer = await world.call(admin, users.assignInstances, {
    params: user,
    body: { instanceIds: [987_654], canSendMessages: false, canCreateJobs: false },
  })

  expect(answer).toMatchObject({ status: 400, body: { fields: { instanceIds: 'FIELD.INVALID' } } })
  expect((await world.call(admin, users.instances, { params: user })).body).toMatchObject({
    assignedInstances: [{ name: 'Shop' }],
    canSendMessages: true,
  })
})

test('who registered waits no longer when an Admin has looked', async () => {
  const admin = await world.add.admin()
  const user = await world.add.user({ isActive: false })
  await world.db.run(sql`update users set is_waiting = true where id = ${user.id}`)

  expect((await world.call(admin, users.get, { params: user })).body).toMatchObject({ isActive: false })

  expect(await world.db.many(sql`select from users where is_waiting`)).toHaveLength(0)
})
