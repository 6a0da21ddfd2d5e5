import { beforeEach, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { deleteOldFailures } from './attempts.queries.ts'
import { checkPassword } from './attempts.ts'
import { resetPassword } from './first-admin.ts'

const context = useContext()
beforeEach(() => context.freezeClock())

let last = 0
const newAddress = () => {
  last += 1
  return `203.0.${last >> 8}.${last & 255}`
}

/** Signs in from this address, by default a new one. */
async function signIn(username: string, password: string, { from = newAddress(), cookie = '' } = {}) {
  const answer = await (await context.app).inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'x-forwarded-for': from, ...(cookie && { cookie }) },
    payload: { username, password },
  })
  return {
    status: answer.statusCode,
    body: answer.json(),
    wait: answer.headers['retry-after'],
    setCookie: String(answer.headers['set-cookie'] ?? ''),
    cookie: String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '',
  }
}

const addUser = (username: string, options: { isActive?: boolean } = {}) =>
  context.add.user({ username, password: 'secret1', ...options })

/** Enters wrong passwords for a name, from one address after the other, until one has to wait. */
async function guessUntilRefused(username: string) {
  for (;;) {
    const answer = await signIn(username, 'wrong')
    if (answer.status === 429) return answer
  }
}

test.each(['lan', 'nobody'])('five wrong passwords for %s are free, then the waits grow', async (name) => {
  await addUser('lan')
  const waits: number[] = []
  for (let guess = 1; guess <= 16; guess++) {
    expect((await signIn(name, `wrong-${guess}`)).status).toBe(401)
    if (guess < 5) continue
    const { status, wait, body } = await signIn(name, 'secret1')
    expect({ status, body }).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', params: { seconds: Number(wait) } },
    })
    waits.push(Number(wait))
    await context.moveClock(`${wait} seconds`)
  }
  //
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
})

test('of 120 guesses at the same moment, from 120 addresses, five are checked', async () => {
  await addUser('lan')

  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) => signIn(n % 2 ? 'lan' : ' LAN ', `wrong-${n}`)),
  )

  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(115)
})

test('the count starts again a day after the first failure', async () => {
  await addUser('lan')
  expect(await guessUntilRefused('lan')).toMatchObject({ wait: '1' })
  await context.moveClock('23 hours 59 minutes')
  await signIn('lan', 'wrong')
  expect(await signIn('lan', 'secret1')).toMatchObject({ status: 429, wait: '2' })

  await context.moveClock('1 minute 1 second')

  expect((await signIn('lan', 'wrong')).status).toBe(401)
  expect((await signIn('lan', 'secret1')).status).toBe(200)
})

test('a browser that has signed in before gets in while the name has to wait', async () => {
  await addUser('lan')
  const { cookie, setCookie } = await signIn('lan', 'secret1')
  expect(setCookie).toMatch(
    /^device-\d+=[^;]+; Max-Age=34560000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
  )
  await guessUntilRefused('lan')

  expect((await signIn('lan', 'secret1', { cookie })).status).toBe(200)
  expect((await signIn('lan', 'secret1')).status).toBe(429)
})

test('a known browser has an allowance of its own, which a sign-in renews', async () => {
  await addUser('lan')
  const { cookie } = await signIn('lan', 'secret1')
  const guess = async (password: string) => (await signIn('lan', password, { cookie })).status

  for (let n = 0; n < 4; n++) expect(await guess('wrong')).toBe(401)
  expect(await guess('secret1')).toBe(200)
  for (let n = 0; n < 5; n++) expect(await guess('wrong')).toBe(401)

  expect(await guess('secret1')).toBe(429)
  expect((await signIn('lan', 'secret1')).status).toBe(200)
})

test('only a cookie that we signed for this user makes a browser known', async () => {
  const [lan, minh] = [await addUser('lan'), await addUser('minh')]
  const { cookie } = await signIn('minh', 'secret1')
  await guessUntilRefused('lan')
  const signature = cookie.split('=')[1]

  for (const forged of [`device-${lan.id}=${signature}`, `device-${lan.id}=a.b`, `device-${lan.id}=`, cookie])
    expect((await signIn('lan', 'secret1', { cookie: forged })).status).toBe(429)
  expect((await signIn('minh', 'secret1', { cookie })).status).toBe(200)
  expect(minh.id).not.toBe(lan.id)
})

test('correct sign-ins of an office are never counted as failures', async () => {
  await addUser('lan')
  const from = newAddress()

  for (let n = 0; n < 40; n++) expect((await signIn('lan', 'secret1', { from })).status).toBe(200)

  // The one count is the user's own pace.
  const counts = await context.db.many(sql`select failures from sign_in_failures where failures > 0`)
  expect(counts).toEqual([{ failures: 40 }])
})

//
test('a user has 60 correct sign-ins in a minute from all strange browsers and by each known one, and others are not kept out', async () => {
  await addUser('lan')
  await addUser('minh')
  const { cookie } = await signIn('lan', 'secret1')
  const almost = () => context.db.run(sql`update sign_in_failures set failures = 59 where failures = 1`)
  await almost()
  expect((await signIn('lan', 'secret1')).status).toBe(200)

  expect(await signIn('lan', 'secret1')).toMatchObject({ status: 429, wait: '1' })
  expect((await signIn('lan', 'secret1', { cookie })).status).toBe(200)
  await almost()
  expect((await signIn('lan', 'secret1', { cookie })).status).toBe(200)
  expect((await signIn('lan', 'secret1', { cookie })).status).toBe(429)
  expect((await signIn('minh', 'secret1')).status).toBe(200)
  await context.moveClock('1 minute')

  expect((await signIn('lan', 'secret1')).status).toBe(200)
  expect((await signIn('lan', 'secret1')).status).toBe(200)
})

/** Signs in from new browsers until there are so many cookies. */
async function collectCookies(count: number) {
  const cookies: string[] = []
  for (let n = 0; n < count; n++) cookies.push((await signIn('lan', 'secret1')).cookie)
  return cookies
}

//
test('after a new password 200 guesses with 40 device cookies are strangers’ guesses', async () => {
  await addUser('lan')
  const cookies = await collectCookies(40)
  await resetPassword(context.db, 'lan', { passwordMin: 6 }, 'another-1')

  const statuses: number[] = []
  for (const cookie of cookies)
    for (let n = 0; n < 5; n++) statuses.push((await signIn('lan', `wrong-${n}`, { cookie })).status)

  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(195)
})

//
test('of a user’s browsers the ten newest are known', async () => {
  await addUser('lan')
  const cookies = await collectCookies(11)
  await guessUntilRefused('lan')

  const statuses = []
  for (const cookie of cookies) statuses.push((await signIn('lan', 'secret1', { cookie })).status)

  expect(statuses).toEqual([429, ...Array(10).fill(200)])
})

test('an address slows down after 100 wrong passwords, and its known browsers do not', async () => {
  await addUser('lan')
  const from = newAddress()
  const { cookie } = await signIn('lan', 'secret1', { from })
  await context.db.run(sql`delete from sign_in_failures`) // the user's own pace
  await signIn('somebody', 'wrong', { from })
  await context.db.run(sql`update sign_in_failures set failures = 98 where failures = 1`)

  expect((await signIn('nobody', 'wrong', { from })).status).toBe(401)
  expect((await signIn('lan', 'secret1', { from })).status).toBe(200)
  expect((await signIn('nobody', 'wrong', { from })).status).toBe(401)
  expect(await signIn('lan', 'secret1', { from })).toMatchObject({ status: 429, wait: '1' })
  expect((await signIn('lan', 'secret1', { from, cookie })).status).toBe(200)
  expect((await signIn('lan', 'secret1')).status).toBe(200)
})

test('the waits of an address end at a minute', async () => {
  const from = newAddress()
  await signIn('nobody', 'wrong', { from })
  await context.db.run(sql`update sign_in_failures set failures = 120`)
  await signIn('somebody', 'wrong', { from })

  expect(await signIn('anybody', 'wrong', { from })).toMatchObject({ status: 429, wait: '60' })
})

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:4:5:6', 'one count', 3],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', 'two counts', 4],
  ['203.0.113.7', '::ffff:203.0.113.7', 'one count', 3],
  ['203.0.113.7', '203.0.113.8', 'two counts', 4],
])('the addresses %s and %s have %s', async (first, second, _, counts) => {
  await signIn('lan', 'wrong', { from: first })
  await signIn('minh', 'wrong', { from: second })

  expect(await context.db.run(sql`select from sign_in_failures`)).toBe(counts)
})

test('the right password of a locked user is counted like a wrong one', async () => {
  await addUser('locked', { isActive: false })

  for (let n = 0; n < 5; n++) expect((await signIn('locked', 'secret1')).status).toBe(401)

  expect((await signIn('locked', 'secret1')).status).toBe(429)
})

test('another server knows the counts', async () => {
  await addUser('lan')
  await guessUntilRefused('lan')
  const db = connect(context.database.address, { applicationName: 'another server' })
  const known = {
    name: 'lan',
    id: null,
    passwordHash: null,
    hasFactor: false,
    newestDevice: 0,
    mayKnow: true,
  }

  const checking = checkPassword({ db, secrets: context.secrets }, known, 'wrong', {
    address: newAddress(),
    browser: '',
    deviceOf: () => null,
    hasSignedIn: () => false,
  })

  await expect(checking).rejects.toMatchObject({ code: 'too_many_requests' })
  await db.end()
})

test('no name and no address is stored', async () => {
  await signIn('lan', 'wrong', { from: '203.0.113.7' })

  const rows = await context.db.many<{ key: Buffer }>(sql`select key from sign_in_failures`)
  expect(rows.map(({ key }) => key.length)).toEqual([32, 32])
})

test('old counts are deleted, and beyond the limit the lowest ones', async () => {
  await signIn('old', 'wrong')
  await context.moveClock('1 day 1 second')
  await guessUntilRefused('attacked')
  const count = () => context.db.run(sql`select from sign_in_failures`)
  expect(await count()).toBe(8)

  await deleteOldFailures(context.db)
  expect(await count()).toBe(6)
  await deleteOldFailures(context.db, 1)

  expect(await context.db.many(sql`select failures from sign_in_failures`)).toEqual([{ failures: 5 }])
  expect((await signIn('attacked', 'wrong')).status).toBe(429)
})

test('an attempt that is refused because too many are being checked does not count', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, n) => (await signIn(`name-${n}`, 'wrong')).status),
  )

  const refused = statuses.filter((status) => status === 429).length
  expect(refused).toBeGreaterThan(0)
  expect(await context.db.run(sql`select from sign_in_failures where failures = 0`)).toBe(2 * refused)
})
