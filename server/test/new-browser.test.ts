import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'

const context = useContext()
const { session, sessions, notices, users } = contract
const password = 'secret-1'

const PHONE =
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'

type From = { browser?: string; address?: string; cookie?: string }

/** Signs in by a browser. Returns the user with the token, and the browser's cookie. */
async function signIn(
  user: TestUser,
  { browser = 'Firefox/143.0', address = '203.0.113.1', cookie }: From = {},
) {
  const answer = await (await context.app).inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'user-agent': browser, 'x-forwarded-for': address, ...(cookie && { cookie }) },
    payload: { username: user.username, password },
  })
  const { token } = answer.json()
  return { ...user, token, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' }
}

const addUser = () => context.add.user({ username: 'lan', password })
const look = () => lookForTroubles(context.db, { hasMail: true })
async function noticesOf(user: TestUser) {
  await look()
  await context.moveClock('11 seconds')
  await look()
  const { body } = await context.call(user, notices.list, {})
  return body.notices
    .filter(({ kind }) => kind === 'new_browser')
    .map(({ kind, host, reason }) => ({ kind, host, params: reason?.params }))
}
const told = (browser: string, address: string) => [
  { kind: 'new_browser', host: '', params: { browser, address } },
]

// R-1909
test('a sign-in from a new browser is told to that user, by bell and email, but for the first one of all', async () => {
  const [user, admin] = [await addUser(), await context.add.admin()]
  const first = await signIn(user)
  await signIn(user, { cookie: first.cookie, address: '203.0.113.9' })
  expect(await noticesOf(first)).toEqual([])

  const thief = await signIn(user, { browser: PHONE, address: '203.0.113.7' })
  await context.call(thief, session.logout, {})

  expect(await noticesOf(first)).toEqual(told('Chrome, Android', '203.0.113.7'))
  expect(await noticesOf(admin)).toEqual([])
  expect(await context.db.many(sql`select user_id from due_emails`)).toEqual([{ userId: user.id }])
  expect(await context.db.many(sql`select from webhook_events`)).toEqual([])
})

// R-1909
test('a browser is not new after a new password, nor for a program of the same name and address', async () => {
  const user = await addUser()
  const first = await signIn(user)
  const next = await signIn(user, { browser: 'curl/8.5.0', address: '203.0.113.8' })
  expect(await noticesOf(first)).toEqual(told('curl/8.5.0', '203.0.113.8'))
  await context.call(first, users.update, { params: user, body: { password: 'another-2' } })
  await context.call(first, users.update, { params: user, body: { password } })
  expect((await signIn(user, { cookie: first.cookie, address: '203.0.113.77' })).token).toBeTruthy()
  expect((await signIn(next, { browser: 'curl/8.5.0', address: '203.0.113.8' })).token).toBeTruthy()
  expect(await noticesOf(first)).toHaveLength(1)
})

// R-1909
test('a browser is new although another one of its name has signed in from its address, as in an office', async () => {
  const user = await addUser()
  const first = await signIn(user)
  await signIn(user)
  expect(await noticesOf(first)).toEqual(told('Firefox', '203.0.113.1'))
})

// R-2166
test('no name of a program makes a link in an email, and a program without a name is told as well', async () => {
  const user = await addUser()
  const first = await signIn(user)
  await signIn(user, { browser: 'sendroom-help.example.com/sign-in/8.5.0' })
  expect(await noticesOf(first)).toEqual(told('sendroom-help example com/sign-in/8.5.0', '203.0.113.1'))
  await signIn(user, { browser: '' })
  expect((await noticesOf(first))[0]).toMatchObject({ params: { browser: '–' } })
})

// R-2167
test('a notice says when the sign-in was, also if no process has looked for hours', async () => {
  await context.freezeClock()
  const user = await addUser()
  const first = await signIn(user)
  await signIn(user, { browser: PHONE })
  const { body } = await context.call(first, sessions.list, { params: user })
  const thief = body.sessions.find(({ browser }) => browser === 'Chrome, Android')
  await context.moveClock('6 hours')
  await noticesOf(first)
  const listed = await context.call(first, notices.list, {})
  expect(listed.body.notices).toMatchObject([{ beganAt: thief?.createdAt }])
})

// R-2168
test('hundreds of failed jobs do not hide in the bell that somebody has signed in', async () => {
  const instance = await context.add.instance()
  const user = await context.add.user({ username: 'lan', password, instances: [instance] })
  const first = await signIn(user)
  await signIn(user, { browser: PHONE })
  await look()
  for (let n = 0; n < 201; n++) await context.add.job({ instanceId: instance.id })
  await context.db.run(sql`update jobs set status = 'Failed', completed_at = clock_now()`)
  await noticesOf(first)
  const { body } = await context.call(first, notices.list, {})
  expect(body.notices.slice(0, 2).map(({ kind }) => kind)).toEqual(['new_browser', 'job_failed'])
})
