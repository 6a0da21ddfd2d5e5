import { hash } from '@node-rs/argon2'
import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { addressOf } from '../../../test/http-client.ts'
import { recheckCaller } from '../../platform/access.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { session, sessions, events } = contract
const password = 'secret-1'

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
const PHONE =
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'

type From = { browser?: string; address?: string; cookie?: string }

/** Signs in by a browser. Returns the user with the token, and the browser's cookie. */
async function signIn(user: TestUser, { browser = WINDOWS, address = '203.0.113.1', cookie }: From = {}) {
  const answer = await (await context.app).inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'user-agent': browser, 'x-forwarded-for': address, ...(cookie && { cookie }) },
    payload: { username: user.username, password },
  })
  const { token } = answer.json()
  return { ...user, token, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' }
}

/** Calls as a page does that nobody touches. */
const pollAs = async ({ token }: TestUser, endpoint: Endpoint) =>
  (
    await (
      await context.app
    ).inject({
      method: endpoint.method,
      url: addressOf(endpoint),
      headers: { authorization: `Bearer ${token}`, 'x-idle': '1' },
    })
  ).statusCode

const statusOf = async (user: TestUser) => (await context.call(user, session.me, {})).status
const confirm = async (user: TestUser) =>
  (await context.call(user, session.confirm, { body: { password } })).body.token
const addUser = () => context.add.user({ username: 'lan', password })

describe('a session', () => {
  // R-1900
  test('ends after 12 hours without use', async () => {
    const user = await signIn(await addUser())
    await context.moveClock('11 hours 59 minutes')
    expect(await statusOf(user)).toBe(200)
    await context.moveClock('11 hours 59 minutes')
    expect(await statusOf(user)).toBe(200)
    await context.moveClock('12 hours')
    expect(await statusOf(user)).toBe(401)
  })

  //
  test('ends 7 days after the sign-in, however much it is used', async () => {
    await context.freezeClock()
    const user = await signIn(await addUser())
    for (let hour = 0; hour < 6 * 24 + 22; hour += 10) {
      expect(await statusOf(user)).toBe(200)
      await context.moveClock('10 hours')
    }
    expect(await statusOf(user)).toBe(401)
  })

  // R-1901
  test('is not kept alive by a page that nobody touches, nor by its event stream', async () => {
    const user = await signIn(await addUser())
    await context.moveClock('11 hours')
    expect(await pollAs(user, session.me)).toBe(200)
    await (await context.call(user, events.follow, {})).status
    await context.moveClock('1 hour')
    expect(await statusOf(user)).toBe(401)
  })

  // R-2193
  test('of a thief who claims that nobody touches the page is listed with its last request and address', async () => {
    const owner = await signIn(await addUser())
    const listed = async () => {
      const { body } = await context.call(owner, sessions.list, { params: owner })
      return body.sessions.find(({ isCurrent }) => !isCurrent)
    }
    const thief = await signIn(owner)
    await context.moveClock('2 hours')
    const before = await listed()
    expect(before).toMatchObject({ address: '203.0.113.1', idleAt: null })
    await Promise.all([1, 2, 3].map(() => pollAs(thief, session.me)))
    const after = await listed()
    expect(after).toMatchObject({ address: '127.0.0.1', usedAt: before?.usedAt })
    expect(Date.parse(after?.idleAt ?? '') - Date.parse(before?.usedAt ?? '')).toBeGreaterThan(7_199_000)

    await pollAs(thief, session.me)
    expect((await listed())?.idleAt).toBe(after?.idleAt)
    await context.moveClock('1 minute 1 second')
    await context.call(thief, events.follow, {})
    expect((await listed())?.idleAt).not.toBe(after?.idleAt)
    await context.moveClock('1 minute 1 second')
    await statusOf(thief)
    expect((await listed())?.idleAt).toBeNull()
  })

  // R-1902
  test('has its last use written once a minute at most', async () => {
    const user = await signIn(await addUser())
    const written = () => context.db.one(sql`select xmin::text, used_at from sessions where browser <> ''`)
    const before = await written()
    await statusOf(user)
    expect(await written()).toEqual(before)
    await context.moveClock('1 minute 1 second')
    await Promise.all([1, 2, 3].map(() => statusOf(user)))
    const after = await written()
    expect(after).not.toEqual(before)
    await statusOf(user)
    expect(await written()).toEqual(after)
  })
})

describe('a confirmation', () => {
  // R-1903
  test('gives the session a new token, and the former one ends 30 seconds later', async () => {
    await context.freezeClock()
    const former = await signIn(await addUser())
    const present = { ...former, token: (await confirm(former)) ?? '' }
    expect([await statusOf(former), await statusOf(present)]).toEqual([200, 200])
    await context.moveClock('30 seconds')
    expect([await statusOf(former), await statusOf(present)]).toEqual([401, 200])
  })

  // R-1903
  test('of several at the same moment replaces the token once, and every request gets through', async () => {
    const former = await signIn(await addUser())
    const reads = Array.from({ length: 20 }, () => statusOf(former))
    const tokens = await Promise.all([1, 2, 3, 4].map(() => confirm(former)))
    expect(new Set(await Promise.all(reads))).toEqual(new Set([200]))
    const [token, ...others] = tokens.filter((token) => token !== null)
    expect(others).toEqual([])
    expect(await statusOf({ ...former, token: token ?? '' })).toBe(200)
  })

  // R-2174
  test('whose answer was lost can be entered once more, and gives another token', async () => {
    await context.freezeClock()
    const user = await signIn(await addUser())
    await confirm(user)
    expect(await confirm(user)).toBeNull()
    await context.moveClock('6 seconds')

    const present = { ...user, token: (await confirm(user)) ?? '' }

    await context.moveClock('29 seconds')
    expect([await statusOf(user), await statusOf(present)]).toEqual([200, 200])
    expect((await context.call(present, sessions.endOthers, { params: user })).status).toBe(204)
    await context.moveClock('1 second')
    expect([await statusOf(user), await statusOf(present)]).toEqual([401, 200])
  })

  // R-2153
  test('counts for the new token only, so that whoever stole the former one gains nothing', async () => {
    const stolen = await signIn(await addUser())
    await context.db.run(sql`update sessions set confirmed_at = clock_now() - interval '1 hour'`)
    const mine = { ...stolen, token: (await confirm(stolen)) ?? '' }
    const body = { name: 'Mine', rights: [], instanceIds: null, addresses: [], days: 700 }
    const make = (by: TestUser) => context.call(by, contract.apiKeys.create, { body })
    expect(await make(stolen)).toMatchObject({ status: 403, body: { code: 'confirm_password' } })
    expect((await make(mine)).status).toBe(201)
  })

  // R-1903, R-2153
  test('is lengthened by no clock that is set back, and nor is the former token', async () => {
    await context.freezeClock()
    const former = await signIn(await addUser())
    const present = { ...former, token: (await confirm(former)) ?? '' }
    await context.moveClock('-1 hour')
    expect([await statusOf(former), await statusOf(present)]).toEqual([401, 200])
    expect((await context.call(present, sessions.endOthers, { params: former })).status).toBe(403)
    const next = { ...present, token: (await confirm(present)) ?? '' }
    expect((await context.call(next, sessions.endOthers, { params: former })).status).toBe(204)
  })

  // R-1903
  test('does not break off what has begun with the former token, such as a download', async () => {
    const former = await signIn(await addUser())
    const caller = await (await context.app).findCaller(former.token, '')
    if (!caller) throw new Error('Nobody has this token.')
    await confirm(former)
    await context.moveClock('31 seconds')
    const rule = { access: 'signedIn', needsConfirmation: false, allowsApiKeys: false } as const
    await expect(recheckCaller(context.db, caller, rule)).resolves.toMatchObject({
      id: former.id,
    })
  })
})

describe('the list of sessions', () => {
  // R-1905
  test('says browser, address and last use of each, and which one asks', async () => {
    const user = await addUser()
    await context.db.run(sql`delete from sessions`)
    const [here, phone] = [await signIn(user), await signIn(user, { browser: PHONE, address: '203.0.113.2' })]
    const { body } = await context.call(here, sessions.list, { params: user })
    expect(body.sessions.map(({ id, createdAt, usedAt, ...facts }) => facts)).toEqual([
      { browser: 'Firefox, Windows', address: '203.0.113.1', idleAt: null, isCurrent: true },
      { browser: 'Chrome, Android', address: '203.0.113.2', idleAt: null, isCurrent: false },
    ])
    expect(body.sessions[0]?.usedAt).toBe(body.sessions[0]?.createdAt)
    expect(await statusOf(phone)).toBe(200)
  })

  // R-1906, R-1907
  test('ends one of them, or all others, so that a stolen one is refused', async () => {
    const user = await addUser()
    const [mine, stolen, other] = [await signIn(user), await signIn(user), await signIn(user)]
    const { id } = await context.db.one<{ id: number }>(sql`
      select s.id from sessions s order by s.id desc limit 1`)
    const one = await context.call(mine, sessions.end, { params: { id: user.id, sessionId: id } })
    expect([one.status, await statusOf(other), await statusOf(stolen)]).toEqual([204, 401, 200])

    expect((await context.call(mine, sessions.endOthers, { params: user })).status).toBe(204)

    expect([await statusOf(stolen), await statusOf(user), await statusOf(mine)]).toEqual([401, 401, 200])
    expect(await context.call(mine, sessions.end, { params: { id: user.id, sessionId: id } })).toMatchObject({
      status: 404,
    })
    const entries = await context.db.many(sql`
      select user_name, object_name, details from audit_log where action = 'session.end' order by id`)
    expect(entries).toEqual([
      { userName: 'lan', objectName: 'lan', details: { count: 1 } },
      { userName: 'lan', objectName: 'lan', details: { count: 2 } },
    ])
  })

  // R-1908
  test('of another user is for Admins, and nobody ends a session under the name of another user', async () => {
    const [user, other, admin] = [await addUser(), await context.add.user(), await context.add.admin()]
    const { body } = await context.call(admin, sessions.list, { params: user })
    expect(body.sessions).toMatchObject([{ isCurrent: false }])
    const [theirs] = body.sessions
    const params = { id: other.id, sessionId: theirs?.id ?? 0 }
    expect((await context.call(other, sessions.end, { params })).status).toBe(404)
    expect((await context.call(other, sessions.list, { params: user })).status).toBe(404)
    expect((await context.call(admin, sessions.endOthers, { params: user })).status).toBe(204)
    expect([await statusOf(user), await statusOf(admin), await statusOf(other)]).toEqual([401, 200, 200])
  })

  test('does not deadlock when two sessions end each other', async () => {
    const user = await addUser()
    const both = [await signIn(user), await signIn(user)]
    const answers = await Promise.all(
      both.map((by) => context.call(by, sessions.endOthers, { params: user })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401])
  })
})

// R-1911
test('a hash that costs less than today’s is replaced at the next right password', async () => {
  const user = await addUser()
  const cheap = await hash(password, { memoryCost: 8192, timeCost: 2, parallelism: 1 })
  await context.db.run(sql`update users set password_hash = ${cheap}, generated_hash = ${cheap}`)
  const hashes = () =>
    context.db.one<{ passwordHash: string; generatedHash: string }>(
      sql`select password_hash, generated_hash from users`,
    )
  await context.call(null, session.login, { body: { username: 'lan', password: 'wrong' } })
  expect((await hashes()).passwordHash).toBe(cheap)

  const answers = await Promise.all([signIn(user), signIn(user)])

  expect(answers.map(({ token }) => typeof token)).toEqual(['string', 'string'])
  const { passwordHash, generatedHash } = await hashes()
  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(generatedHash).toBe(passwordHash)
  await signIn(user)
  expect((await hashes()).passwordHash).toBe(passwordHash)
})
