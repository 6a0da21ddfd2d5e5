import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import { expect, test } from 'vitest'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { newSecret } from '../src/features/session/codes.ts'
import { deleteEnded } from '../src/features/session/sessions.queries.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { countWaiting } from './locks.ts'
import { codeAt } from './totp.ts'
import { until } from './until.ts'

const context = useContext()
const { sessions } = contract
const password = 'secret-1'

let last = 0
async function post(
  url: string,
  payload: object,
  { cookie = '', browser = 'Firefox/143.0', token = '' } = {},
) {
  last += 1
  const answer = await (await context.app).inject({
    method: 'POST',
    url: `/api${url}`,
    headers: {
      'user-agent': browser,
      'x-forwarded-for': `203.0.113.${last % 256}`,
      ...(cookie && { cookie }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    payload,
  })
  return {
    status: answer.statusCode,
    body: answer.json(),
    cookie: String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '',
  }
}
const enterPassword = (from: { cookie?: string; browser?: string } = {}) =>
  post('/auth/login', { username: 'lan', password }, from)
const addUser = () => context.add.user({ username: 'lan', password })

async function addFactor(userId: number) {
  const secret = newSecret()
  await context.db.run(sql`
    insert into factors (user_id, secret_cipher) values (${userId}, ${context.secrets.encrypt(secret)})`)
  return async (seconds = 0) => codeAt(secret, (await nowMs()) + seconds * 1000)
}

const nowMs = async () =>
  (await context.db.one<{ ms: number }>(sql`select (extract(epoch from clock_now()) * 1000)::float8 as ms`))
    .ms

async function signInWithCode(code: string, cookie = '') {
  const { body } = await enterPassword({ cookie })
  return post('/auth/login/code', { ticket: body.params.ticket, code }, { cookie })
}

// R-1938
test('wrong codes of a thief who has the password do not keep out the browser of the owner', async () => {
  await context.freezeClock()
  const user = await addUser()
  const codeIn = await addFactor(user.id)
  const { cookie } = await signInWithCode(await codeIn())
  for (let n = 0; n < 5; n++) expect((await signInWithCode('000000')).status).toBe(401)
  expect((await signInWithCode(await codeIn(30))).status).toBe(429)

  expect((await signInWithCode(await codeIn(30), cookie)).status).toBe(200)
})

// R-2165
test('whoever has the password, but no code, keeps the owner’s browser neither out nor from ending sessions', async () => {
  await context.freezeClock()
  const user = await addUser()
  const codeIn = await addFactor(user.id)
  const { cookie, body } = await signInWithCode(await codeIn())
  for (let n = 0; n < 61; n++) await enterPassword()
  expect((await enterPassword()).status).toBe(429)

  expect((await enterPassword({ cookie })).body.code).toBe('factor_required')
  const confirmed = await post('/auth/confirm', { password, code: await codeIn(30) }, { cookie, ...body })
  expect(confirmed).toMatchObject({ status: 200, body: { token: expect.any(String) } })
})

// R-1938
test('a browser that was known before the factor has no guesses of its own', async () => {
  await context.freezeClock()
  const user = await addUser()
  const cookies = []
  for (let n = 0; n < 3; n++) cookies.push((await enterPassword()).cookie)
  await addFactor(user.id)
  const statuses = []
  for (const cookie of cookies)
    for (let n = 0; n < 5; n++) statuses.push((await signInWithCode('000000', cookie)).status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
})

// R-2240
test('wrong codes of a thief who has the password do not keep out the browser that set up the factor', async () => {
  await context.freezeClock()
  await addUser()
  const { cookie: former, body } = await enterPassword()
  const { secret } = (await post('/auth/factor', {}, { cookie: former, ...body })).body
  const codeIn = async (seconds: number) => codeAt(secret, (await nowMs()) + seconds * 1000)
  const { cookie } = await post(
    '/auth/factor/finish',
    { code: await codeIn(-30) },
    { cookie: former, ...body },
  )
  for (let n = 0; n < 5; n++) expect((await signInWithCode('000000')).status).toBe(401)
  expect((await signInWithCode(await codeIn(0))).status).toBe(429)

  expect((await post('/auth/confirm', { password, code: await codeIn(0) }, { cookie, ...body })).status).toBe(
    200,
  )
  expect((await signInWithCode(await codeIn(30), cookie)).status).toBe(200)
})

// R-1939
test('a flood of new browsers is told ten times in a day', async () => {
  const user = await addUser()
  await enterPassword()
  for (let n = 0; n < 30; n++) await enterPassword({ browser: `thief/${n}` })
  await lookForTroubles(context.db, { hasMail: true })
  await context.moveClock('11 seconds')
  await lookForTroubles(context.db, { hasMail: true })
  expect(await context.db.run(sql`select from notices where user_id = ${user.id}`)).toBe(10)
})

// R-1940
test('a sign-in does not wait for what an expired session still does', async () => {
  const user = await addUser()
  const { status } = await context.db.begin(async (tx) => {
    await tx.run(sql`select from sessions where user_id = ${user.id} for key share`)
    await context.db.run(sql`update sessions set expires_at = clock_now()`)
    const signing = enterPassword()
    const first = await Promise.race([
      signing,
      until('the sign-in waits', async () => (await countWaiting(context.db)) === 1).then(() => ({
        status: 0,
      })),
    ])
    return first
  })
  expect(status).toBe(200)
})

// R-1941
test('of more sessions than a page can show, the ones used last are listed, and all others can be ended', async () => {
  const user = await addUser()
  await context.db.run(sql`
    insert into sessions (token_hash, user_id, expires_at, browser, used_at)
    select sha256(n::text::bytea), ${user.id}, clock_now() + interval '12 hours', n::text,
      clock_now() - n * interval '1 second'
    from generate_series(1, ${limits.listedSessions + 5}) n`)

  const { body } = await context.call(user, sessions.list, { params: user })

  expect(body.sessions).toHaveLength(limits.listedSessions)
  expect(body.sessions.slice(0, 3)).toMatchObject([{ isCurrent: true }, { browser: '1' }, { browser: '2' }])
  await context.call(user, sessions.endOthers, { params: user })
  expect(await context.db.run(sql`select from sessions`)).toBe(1)
})

// R-2215
test('of a user a thousand sessions last, those used last, so that all can be ended at once', async () => {
  const [user, other] = [await addUser(), await context.add.user()]
  await context.db.run(sql`
    insert into sessions (token_hash, user_id, expires_at, used_at)
    select sha256(n::text::bytea), ${user.id}, clock_now() + interval '12 hours', clock_now() - n * interval '1 second'
    from generate_series(1, ${limits.sessionsPerUser * 12}) n`)
  const writing = await context.db.begin(async (tx) => {
    // The session of a call that writes. The others do not wait for it.
    const { id } = await tx.one<{ id: number }>(sql`
      select id from sessions where user_id = ${user.id} order by used_at limit 1 for key share`)
    await deleteEnded(context.db)
    return id
  })
  const left = await context.db.many<{ id: number; userId: number }>(sql`
    select id, user_id from sessions order by used_at desc, id desc`)
  expect(left).toHaveLength(limits.sessionsPerUser + 2)
  expect(left.map(({ id }) => id)).toContain(writing)
  expect(left.filter(({ userId }) => userId === other.id)).toHaveLength(1)
  expect((await context.call(user, sessions.list, { params: user })).status).toBe(200)
})
