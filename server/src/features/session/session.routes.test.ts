import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { useWorld } from '../../../test/world.ts'
import { sql } from '../../platform/database/sql.ts'
import { hashPassword } from '../../platform/passwords.ts'
import { tokenHashOf } from './session.service.ts'

const world = useWorld()

const setPassword = async (id: number, password: string) =>
  world.db.run(sql`update users set password_hash = ${await hashPassword(password)} where id = ${id}`)

async function signIn(username: string, password: string) {
  return world.call(null, contract.session.login, { body: { username, password } })
}

test('signing in gives a token and the user', async () => {
  const instance = await world.add.instance({ name: 'Shop' })
  const user = await world.add.user({ username: 'Lan', instances: [instance] })
  await setPassword(user.id, 'secret1')

  const answer = await signIn('lan', 'secret1')

  expect(answer).toMatchObject({
    status: 200,
    body: { user: { username: 'Lan', role: 'Member', assignedInstances: [{ name: 'Shop' }] } },
  })
  expect(JSON.stringify(answer.body)).not.toContain('argon2')
})

test.each(['a new password', 'a lock'])(
  '%s that comes while somebody signs in ends that session too',
  async (what) => {
    const user = await world.add.user({ username: 'lan' })
    await setPassword(user.id, 'secret1')

    const answer = await world.db.begin(async (tx) => {
      await tx.run(sql`
      update users set ${what === 'a lock' ? sql`is_active = false` : sql`password_hash = 'another'`}
      where id = ${user.id}`)
      const answering = signIn('lan', 'secret1')
      await Promise.race([answering, until('the sign-in waits for us', isSomebodyWaiting)])
      return { answering }
    })

    expect(await answer.answering).toMatchObject({ status: 401, body: { code: 'login_failed' } })
    const opened = await world.db.many(
      sql`select from sessions where user_id = ${user.id} and token_hash <> ${tokenHashOf(user.token)}`,
    )
    expect(opened).toHaveLength(0)
  },
)

const isSomebodyWaiting = async () => (await countWaiting(world.db)) > 0

test.each([
  // R-251
  ['a wrong password', 'lan', 'wrong'],
  // R-251
  ['an unknown user', 'nobody', 'secret1'],
  // R-251
  ['a locked user', 'locked', 'secret1'],
])('%s is login_failed, in one sentence', async (_case, username, password) => {
  await setPassword((await world.add.user({ username: 'lan' })).id, 'secret1')
  await setPassword((await world.add.user({ username: 'locked', isActive: false })).id, 'secret1')

  const answer = await signIn(username, password)

  expect(answer).toMatchObject({ status: 401, body: { code: 'login_failed' } })
})

test('missing credentials are named by field', async () => {
  const answer = await signIn('', '')

  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_input',
      error: { username: 'Enter your username.' },
      fields: { password: 'LOGIN.PASSWORD_REQUIRED' },
    },
  })
})

// R-297
test('who is signed in learns what they are and may do by now', async () => {
  const user = await world.add.user({ username: 'lan', role: 'Admin' })
  await world.db.run(sql`update users set role = 'Member', can_create_jobs = false where id = ${user.id}`)

  expect(await world.call(user, contract.session.me, {})).toMatchObject({
    status: 200,
    body: { id: user.id, username: 'lan', role: 'Member', canCreateJobs: false },
  })
})

// R-134
test('signing out ends the session at once', async () => {
  const user = await world.add.user()

  expect(await world.call(user, contract.session.logout, {})).toMatchObject({ status: 204 })
  expect(await world.call(user, contract.session.logout, {})).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  })
})

test.each([
  ['6 days 23 hours', 204],
  ['7 days 1 second', 401],
  // R-135
])('a session of 7 days, asked after %s, is %i', async (passed, status) => {
  const user = await world.add.user({ username: 'lan' })
  await setPassword(user.id, 'secret1')
  const { token } = (await signIn('lan', 'secret1')).body
  await world.shiftClock(passed)

  expect((await world.call({ ...user, token }, contract.session.logout, {})).status).toBe(status)
})

const form = { username: 'newbie', email: 'new@example.com', password: 'secret1', repassword: 'secret1' }

// R-155
test('registering makes a locked Member who can not sign in yet', async () => {
  expect(await world.call(null, contract.session.register, { body: form })).toMatchObject({ status: 204 })

  expect(await signIn('newbie', 'secret1')).toMatchObject({ status: 401, body: { code: 'login_failed' } })
  expect(await world.db.many(sql`select role, is_active from users`)).toEqual([
    { role: 'Member', isActive: false },
  ])
})

test.each([
  ['passwords that differ', { ...form, repassword: 'other12' }, 400, 'invalid_input'],
  // R-252
  ['a taken username in other letters', { ...form, username: 'LAN' }, 409, 'username_taken'],
  // R-252
  ['a taken email', { ...form, email: 'Lan@Example.com' }, 409, 'email_taken'],
  ['no email', { ...form, email: 'nobody' }, 400, 'invalid_input'],
])('registering with %s is refused', async (_case, body, status, code) => {
  await world.add.user({ username: 'lan', email: 'lan@example.com' })

  expect(await world.call(null, contract.session.register, { body })).toMatchObject({
    status,
    body: { code },
  })
})

// R-156
test('at most 50 wait for an Admin', async () => {
  await world.db.run(sql`
    insert into users (username, email, password_hash, role, is_active, is_waiting)
    select 'w' || n, n || '@example.com', '', 'Member', false, true from generate_series(1, 50) n`)

  expect(await world.call(null, contract.session.register, { body: form })).toMatchObject({
    status: 403,
    body: { code: 'registration_closed' },
  })
})

// R-156
test('six registrations an hour from one address are one too many', async () => {
  for (let n = 0; n < 5; n++)
    await world.call(null, contract.session.register, { body: { ...form, username: `n${n}` } })

  const answer = await world.call(null, contract.session.register, { body: form })

  expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

test('the login is told that one may register', async () => {
  expect(await world.call(null, contract.session.options, {})).toMatchObject({
    body: { selfRegistration: true },
  })
})

describe('where registration is switched off', () => {
  const closed = useWorld({ env: { SELF_REGISTRATION: 'off' } })

  // R-157
  test('the login is told so, and nobody can register', async () => {
    expect(await closed.call(null, contract.session.options, {})).toMatchObject({
      body: { selfRegistration: false },
    })
    expect(await closed.call(null, contract.session.register, { body: form })).toMatchObject({
      status: 403,
      body: { code: 'registration_closed' },
    })
  })
})

describe('behind a proxy elsewhere that is trusted', () => {
  const proxied = useWorld({ env: { TRUST_PROXY: '10.0.0.0/8' } })
  const registerFrom = async (world: typeof proxied, address: string) =>
    (
      await (
        await world.app
      ).inject({
        method: 'POST',
        url: '/api/auth/register',
        remoteAddress: '10.1.2.3',
        headers: { 'x-forwarded-for': address },
        payload: {},
      })
    ).statusCode

  test.each([
    ['each person has limits of their own', () => proxied, 400],
    ['where it is not trusted, all share one', () => world, 429],
  ] as const)('%s', async (_case, where, sixth) => {
    for (let n = 1; n <= 5; n++) await registerFrom(where(), `203.0.113.${n}`)

    expect(await registerFrom(where(), '203.0.113.6')).toBe(sixth)
  })
})
