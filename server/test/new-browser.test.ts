import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'

const context = useContext()
const { session, notices, users } = contract
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
