import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { cheapHash, type TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { tokenHashOf } from './open-session.ts'
import { deleteOldRegistrations } from './registration.queries.ts'

const context = useContext()

async function signIn(username: string, password: string) {
  return context.call(null, contract.session.login, { body: { username, password } })
}

test.each(['a new password', 'a lock'])('%s during a sign-in ends the new session too', async (what) => {
  const user = await context.add.user({ username: 'lan', password: 'secret-1' })

  const answer = await context.db.begin(async (tx) => {
    await tx.run(sql`
      update users set ${what === 'a lock' ? sql`is_active = false` : sql`password_hash = ${await cheapHash('another')}`}
      where id = ${user.id}`)
    const answering = signIn('lan', 'secret-1')
    await Promise.race([answering, until('the sign-in waits for us', isSomebodyWaiting)])
    return { answering }
  })

  expect(await answer.answering).toMatchObject({ status: 401, body: { code: 'login_failed' } })
  const opened = await context.db.many(
    sql`select from sessions where user_id = ${user.id} and token_hash <> ${tokenHashOf(user.token)}`,
  )
  expect(opened).toHaveLength(0)
})

const isSomebodyWaiting = async () => (await countWaiting(context.db)) > 0

describe('a confirmation', () => {
  const changeOwnPassword = (user: TestUser) =>
    context.call(user, contract.users.update, { params: user, body: { password: 'changed-1' } })
  const confirm = (user: TestUser, password: string) =>
    context.call(user, contract.session.confirm, { body: { password } })

  // R-138, R-254
  test('is a sign-in for ten minutes, and a password entered once more', async () => {
    await context.freezeClock()
    const user = await context.add.user({ username: 'lan', password: 'secret1' })
    const session = { ...user, token: (await signIn('lan', 'secret1')).body.token }
    await context.moveClock('9 minutes 59 seconds')
    expect((await changeOwnPassword(session)).status).toBe(200)
    await context.moveClock('2 seconds')
    expect(await changeOwnPassword(session)).toMatchObject({
      status: 403,
      body: { code: 'confirm_password', error: 'Enter your password once more before you do this.' },
    })

    const confirmed = await confirm(session, 'changed-1')
    expect(confirmed.status).toBe(200)

    const token = confirmed.body.token ?? ''
    expect((await changeOwnPassword({ ...session, token })).status).toBe(200)
  })

  // R-2172
  test('with a wrong password names the field and counts by session, whatever others guess', async () => {
    await context.freezeClock()
    const user = await context.add.user({ username: 'lan', password: 'secret1' })
    const elsewhere = await context.add.session(user)

    for (let n = 0; n < 5; n++)
      expect(await confirm(user, 'wrong')).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', fields: { password: 'LOGIN.PASSWORD_WRONG' } },
      })

    expect(await confirm(user, 'secret1')).toMatchObject({ status: 429, body: { params: { seconds: 1 } } })
    expect((await signIn('lan', 'secret1')).status).toBe(200)
    for (let n = 0; n < 5; n++) await signIn('lan', 'wrong')
    expect((await signIn('lan', 'secret1')).status).toBe(429)
    expect((await confirm(elsewhere, 'secret1')).status).toBe(200)
  })

  test('of one session leaves the others as they are', async () => {
    const user = await context.add.user({ username: 'lan', password: 'secret1' })
    await context.db.run(sql`update sessions set confirmed_at = 'epoch'`)

    await signIn('lan', 'secret1')

    expect((await changeOwnPassword(user)).status).toBe(403)
  })
})

// R-297
test('the current user is read with the current rights', async () => {
  const user = await context.add.user({ username: 'lan', role: 'Admin' })
  await context.db.run(sql`update users set role = 'Member', can_create_jobs = false where id = ${user.id}`)

  expect(await context.call(user, contract.session.me, {})).toMatchObject({
    status: 200,
    body: { id: user.id, username: 'lan', role: 'Member', canCreateJobs: false },
  })
})

const form = { username: 'newbie', email: 'new@example.com', password: 'secret-1', repassword: 'secret-1' }

// R-155
test('a registration creates a locked Member who can’t sign in yet', async () => {
  expect(await context.call(null, contract.session.register, { body: form })).toMatchObject({ status: 204 })

  expect(await signIn('newbie', 'secret-1')).toMatchObject({
    status: 401,
    body: { code: 'waiting_for_activation' },
  })
  expect(await context.db.many(sql`select role, is_active, is_waiting from users`)).toEqual([
    { role: 'Member', isActive: false, isWaiting: true },
  ])
})

// R-251
test('only the right password tells that a registration waits', async () => {
  await context.call(null, contract.session.register, { body: form })

  const waiting = await signIn('newbie', 'wrong')
  const unknown = await signIn('nobody', 'wrong')

  expect(waiting).toMatchObject({ status: 401, body: { code: 'login_failed' } })
  expect(waiting.body).toEqual(unknown.body)
})

// R-849
test('who has registered can’t fill the audit log with sign-ins', async () => {
  await context.call(null, contract.session.register, { body: form })

  const attempts = []
  for (let attempt = 0; attempt < 60; attempt++) attempts.push(await signIn('newbie', 'secret-1'))

  expect(attempts.at(0)?.body.code).toBe('waiting_for_activation')
  expect(attempts.map(({ body }) => body.code)).toContain('too_many_requests')
  const { failed } = await context.db.one<{ failed: number }>(
    sql`select count(*) as failed from audit_log where action = 'session.sign_in_failed'`,
  )
  expect(failed).toBeLessThan(10)
})

test.each([
  // R-252, R-842
  ['username in other letters', { ...form, username: 'LAN' }],
  // R-252, R-842
  ['email', { ...form, email: 'Lan@Example.com' }],
])(
  'a registration with a taken %s is answered like any other, and Admins can see why nobody waits',
  async (_case, body) => {
    await context.add.user({ username: 'lan', email: 'lan@example.com' })
    const register = (body: typeof form) => context.call(null, contract.session.register, { body })

    const [taken, free] = [
      await register(body),
      await register({ ...form, username: 'x12', email: 'x@y.zz' }),
    ]

    const { date: _date, 'x-request-id': _id, ...headers } = taken.headers
    expect({ status: taken.status, raw: taken.raw }).toEqual({ status: free.status, raw: free.raw })
    expect(Object.keys(headers).sort()).toEqual(
      Object.keys(free.headers)
        .filter((name) => name in headers)
        .sort(),
    )
    expect(await context.db.many(sql`select username from users where is_waiting`)).toEqual([
      { username: 'x12' },
    ])
    expect(
      await context.db.many(sql`select object_name, details from audit_log where details ? 'isTaken'`),
    ).toEqual([{ objectName: '', details: { username: body.username, email: body.email, isTaken: true } }])
  },
)

const waitingNames = async () => {
  const users = await context.db.many<{ username: string }>(
    sql`select username from users where is_waiting order by id`,
  )
  return users.map(({ username }) => username)
}

/** Registers from this address, whose limit in an hour is five. */
async function registerFrom(address: string, username: string) {
  const answer = await (await context.app).inject({
    method: 'POST',
    url: '/api/auth/register',
    headers: { 'x-forwarded-for': address },
    payload: { ...form, username, email: `${username}@example.com` },
  })
  return answer.statusCode
}

// R-156, R-843
test('fifty registrations from ten addresses do not close the registration for an eleventh', async () => {
  for (let n = 0; n < 50; n++) expect(await registerFrom(`203.0.113.${n % 10}`, `flood${n}`)).toBe(204)

  expect(await registerFrom('198.51.100.1', 'newbie')).toBe(204)
  expect(await registerFrom('2001:db8::1', 'second')).toBe(204)

  const names = await waitingNames()
  expect(names).toHaveLength(50)
  expect(names).toEqual(expect.arrayContaining(['newbie', 'second']))
  expect(names).not.toEqual(expect.arrayContaining(['flood0']))
  const deleted = sql`select object_name from audit_log where action = 'user.delete' and user_id is null order by id`
  expect(await context.db.many(deleted)).toEqual([{ objectName: 'flood0' }, { objectName: 'flood1' }])
})

const fillPlaces = () =>
  context.db.run(sql`
    insert into users (username, email, password_hash, role, is_active, is_waiting)
    select 'w' || n, n || '@example.com', '', 'Member', false, true from generate_series(1, 50) n`)

// R-156, R-843
test('at most 50 users wait for an Admin; from fifty addresses they close the registration for a day', async () => {
  await context.freezeClock()
  await fillPlaces()
  await context.add.user({ username: 'lan' })
  const closed = { status: 403, body: { code: 'registration_closed' } }
  const register = (username: string) =>
    context.call(null, contract.session.register, { body: { ...form, username } })
  expect(await register('newbie')).toMatchObject(closed)
  // A taken name is not told by an answer that differs.
  expect(await register('lan')).toMatchObject(closed)
  await context.moveClock('23 hours 59 minutes')
  expect(await register('newbie')).toMatchObject(closed)

  await context.moveClock('1 minute')
  expect(await register('lan')).toMatchObject({ status: 204 })
  expect(await waitingNames()).toHaveLength(50)
  expect(await register('newbie')).toMatchObject({ status: 204 })

  const names = await waitingNames()
  expect(names).toHaveLength(50)
  expect([names[0], names.at(-1)]).toEqual(['w2', 'newbie'])
})

// R-156
test('registrations are deleted after 14 days, and nobody else is', async () => {
  await fillPlaces()
  await context.add.user({ username: 'active' })
  await context.add.user({ username: 'locked', isActive: false })
  await context.moveClock('13 days 23 hours')
  expect(await deleteOldRegistrations(context.db)).toBe(0)

  await context.moveClock('1 hour')
  expect(await deleteOldRegistrations(context.db)).toBe(50)
  const deleted = sql`select from audit_log where action = 'user.delete' and user_id is null`
  expect(await context.db.many(deleted)).toHaveLength(50)

  expect(await context.db.many(sql`select username from users order by username`)).toEqual([
    { username: 'active' },
    { username: 'locked' },
  ])
})

describe('with registration switched off', () => {
  const closed = useContext({ env: { SELF_REGISTRATION: 'off' } })

  // R-157
  test('the options say so, and nobody can register', async () => {
    expect(await closed.call(null, contract.session.options, {})).toMatchObject({
      body: { selfRegistration: false, passwordMin: 6 },
    })
    expect(await closed.call(null, contract.session.register, { body: form })).toMatchObject({
      status: 403,
      body: { code: 'registration_closed' },
    })
  })
})

describe('behind a trusted proxy on another machine', () => {
  const proxied = useContext({ env: { TRUST_PROXY: '10.0.0.0/8' } })
  const registerFrom = async (context: typeof proxied, address: string) =>
    (
      await (
        await context.app
      ).inject({
        method: 'POST',
        url: '/api/auth/register',
        remoteAddress: '10.1.2.3',
        headers: { 'x-forwarded-for': address },
        payload: {},
      })
    ).statusCode

  // R-156
  test.each([
    ['each client has a limit of its own', () => proxied, 400],
    ['all clients share one limit if the proxy is not trusted', () => context, 429],
  ] as const)('%s', async (_case, where, sixth) => {
    for (let n = 1; n <= 5; n++) await registerFrom(where(), `203.0.113.${n}`)

    expect(await registerFrom(where(), '203.0.113.6')).toBe(sixth)
  })
})
