import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { languages } from '@sendroom/contract/languages'
import { reasonWords } from '@sendroom/contract/reasons'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sendDueEmails } from '../src/features/notices/emails.ts'
import { lookForTroubles } from '../src/features/notices/watch.ts'
import { resetFactorByCommand } from '../src/features/session/factor.service.ts'
import { resetPassword } from '../src/features/session/first-admin.ts'
import { newToken, tokenHashOf } from '../src/features/session/open-session.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { startMailServer } from './mail-server.ts'
import { codeAt } from './totp.ts'

const mailServer = await startMailServer()
afterAll(() => mailServer.close())
const context = useContext({
  env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Sendroom <alerts@example.com>' },
})

beforeEach(async () => {
  mailServer.mails.length = 0
  await context.freezeClock()
})

const { factor, notices, users, session } = contract
const log = { warn: () => undefined }
const look = () => lookForTroubles(context.db, { hasMail: true })
const send = () =>
  sendDueEmails({ db: context.db, config: context.config, log }, new AbortController().signal)
const pathOf = ({ path }: Endpoint, id: number) => `/api${path.replace(':id', String(id))}`

/** Calls as a user does by this browser. */
async function by(user: TestUser, endpoint: Endpoint, { id = 0, body }: { id?: number; body?: object } = {}) {
  const answer = await (await context.app).inject({
    method: endpoint.method,
    url: pathOf(endpoint, id),
    headers: {
      authorization: `Bearer ${user.token}`,
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/143.0',
    },
    remoteAddress: '203.0.113.7',
    ...(body && { payload: body }),
  })
  expect(answer.statusCode).toBeLessThan(300)
  return answer.body ? answer.json() : null
}

async function setUp(user: TestUser) {
  const { secret } = await by(user, factor.begin)
  const { ms } = await context.db.one<{ ms: number }>(sql`
    select (extract(epoch from clock_now()) * 1000)::float8 as ms`)
  await by(user, factor.finish, { body: { code: codeAt(secret, ms) } })
}

async function pass() {
  await look()
  await context.moveClock('11 seconds')
  await look()
  await send()
}

const reasonsOf = async (user: TestUser) =>
  (await context.call(user, notices.list, {})).body.notices
    .filter(({ kind }) => kind === 'sign_in_changed')
    .map(({ reason }) => [reason?.code, reason?.params])
    .reverse()
const from = { browser: 'Firefox, Windows', address: '203.0.113.7' }

/** A session of the user, as after a sign-in. A reset ends the one before. */
async function again(user: TestUser): Promise<TestUser> {
  const token = newToken()
  await context.db.run(sql`
    insert into sessions (token_hash, user_id, expires_at)
    values (${tokenHashOf(token)}, ${user.id}, clock_now() + interval '1 day')`)
  return { ...user, token }
}

// R-1942, R-1943
test('a user is told of each change of the second factor and the password, with browser and address', async () => {
  const [lan, other] = [await context.add.user({ username: 'lan' }), await context.add.admin()]
  await setUp(lan)
  await by(lan, factor.newCodes)
  await by(lan, users.update, { id: lan.id, body: { password: 'another-secret-2' } })
  await by(lan, factor.remove)
  await pass()
  expect(await reasonsOf(lan)).toEqual([
    ['factor_set_up_from', from],
    ['factor_new_codes_from', from],
    ['user_password_from', from],
    ['factor_remove_from', from],
  ])
  expect(await reasonsOf(other)).toEqual([])
  expect(mailServer.mails).toMatchObject([
    { to: 'lan@example.com', subject: 'Sendroom: Changes to your sign-in (4)' },
  ])
  expect(mailServer.mails[0]?.text).toContain(
    '- Second factor set up: Firefox, Windows, address 203.0.113.7. If this was not you, tell an Admin. (since ',
  )
  expect(await context.db.many(sql`select from webhook_events`)).toEqual([])
})

// R-1942, R-1943
test('a reset and a new password by an Admin name the Admin only, and those by a command the server', async () => {
  const [lan, minh] = [
    await context.add.user({ username: 'lan' }),
    await context.add.admin({ username: 'minh' }),
  ]
  await setUp(lan)
  await pass()
  await by(minh, factor.reset, { id: lan.id })
  await by(minh, users.update, { id: lan.id, body: { password: 'another-secret-2' } })
  await setUp(await again(lan))
  await resetFactorByCommand(context.db, 'lan')
  await resetPassword(context.db, 'lan', context.config)
  await pass()
  expect((await reasonsOf(await again(lan))).slice(1)).toEqual([
    ['factor_reset_by', { user: 'minh' }],
    ['user_password_by', { user: 'minh' }],
    ['factor_set_up_from', from],
    ['factor_reset_by_command', {}],
    ['user_password_by_command', {}],
  ])
  expect(await reasonsOf(minh)).toEqual([])
})

// R-1944
test('whoever has stolen a session can’t switch these notices off, nor keep back the email by reading', async () => {
  const lan = await context.add.user({ username: 'lan' })
  for (const kind of ['sign_in_changed', 'new_browser'] as never[])
    expect(
      (await context.call(lan, notices.choose, { body: { choices: [{ kind, channels: [] }] } })).status,
    ).toBe(400)
  const { choices } = (await context.call(lan, notices.settings, {})).body
  expect(choices.map(({ kind }) => kind)).not.toContain('sign_in_changed')
  // From before.
  await context.db.run(sql`
    insert into notice_choices (user_id, kind, channels)
    values (${lan.id}, 'sign_in_changed', '{}'), (${lan.id}, 'new_browser', '{}')`)
  await setUp(lan)
  await look()
  await context.moveClock('11 seconds')
  await look()
  const listed = (await context.call(lan, notices.list, {})).body.notices
  await context.call(lan, notices.read, { body: { ids: listed.map(({ id }) => id) } })
  await context.call(lan, session.logout, {})
  await send()
  expect(mailServer.mails).toHaveLength(1)
  expect(await reasonsOf(await again(lan))).toEqual([['factor_set_up_from', from]])
})

// R-1945
test('of a flood the first ten of a kind in a day are told, and every other kind', async () => {
  const lan = await context.add.user({ username: 'lan' })
  await setUp(lan)
  for (let n = 0; n < 12; n++) await by(lan, factor.newCodes)
  await by(lan, factor.remove)
  await pass()
  const codes = (await reasonsOf(lan)).map(([code]) => code)
  expect(codes).toEqual([
    'factor_set_up_from',
    ...Array.from({ length: 10 }, () => 'factor_new_codes_from'),
    'factor_remove_from',
  ])
})

// R-1946
test('a changed email address is told to the former one as well, and so is what follows within a day', async () => {
  const minh = await context.add.admin({ username: 'minh', email: 'minh@example.com' })
  for (const email of ['thief@example.net', 'other@example.net'])
    await by(minh, users.update, { id: minh.id, body: { email } })
  await pass()
  mailServer.mails.length = 0
  await context.moveClock('5 minutes')
  await by(minh, users.update, { id: minh.id, body: { password: 'another-secret-2' } })
  await context.db.run(sql`
    insert into disks (host, total_bytes, free_bytes, is_low, checked_at)
    values ('host-1', 2, 1, true, clock_now() + interval '1 minute')`)
  mailServer.accept = (to) => (to.startsWith('other') ? new Error('Unknown user') : null)
  await pass()
  expect(mailServer.mails).toMatchObject([
    { to: 'minh@example.com', subject: 'Sendroom: Changes to your sign-in' },
  ])
  mailServer.accept = () => null
  mailServer.mails.length = 0
  await context.moveClock('1 day')
  await by(await again(minh), users.update, { id: minh.id, body: { password: 'another-secret-3' } })
  await pass()
  expect(mailServer.mails.map(({ to }) => to)).toEqual(['other@example.net'])
})

// R-1946
test('only what concerns the sign-in goes to the former address, and an Admin who changed it is named', async () => {
  const [lan, minh] = [
    await context.add.admin({ username: 'lan', email: 'lan@example.com' }),
    await context.add.admin({ username: 'minh', email: 'minh@example.com' }),
  ]
  await by(minh, users.update, { id: lan.id, body: { email: 'lan@example.net' } })
  await context.db.run(sql`
    insert into disks (host, total_bytes, free_bytes, is_low, checked_at)
    values ('host-1', 2, 1, true, clock_now() + interval '1 minute')`)
  await pass()
  expect(await reasonsOf(lan)).toEqual([['user_update_by', { user: 'minh' }]])
  const subjects = mailServer.mails.map(({ to, subject }) => [to, subject]).sort()
  expect(subjects).toEqual([
    ['lan@example.com', 'Sendroom: Changes to your sign-in'],
    ['lan@example.net', expect.stringContaining('Disk nearly full')],
    ['minh@example.com', expect.stringContaining('Disk nearly full')],
  ])
})

// R-1943
test('the email says in the language of its user what the page does', async () => {
  const words = {
    en: '- Second factor set up: Firefox, Windows,',
    vi: '- Đã thiết lập xác thực bước hai: Firefox, Windows,',
    cn: '- 已设置两步验证：Firefox, Windows，',
  }
  for (const language of languages) {
    const user = await context.add.user({ username: language })
    await context.call(user, session.language, { body: { language } })
    await setUp(user)
  }
  await pass()
  for (const language of languages) {
    const mail = mailServer.mails.find(({ to }) => to === `${language}@example.com`)
    expect(mail?.text).toContain(words[language])
  }
})

// R-2169
test('whoever is locked is told as well, so that no Admin’s stolen session hides it by a lock', async () => {
  const [lan, minh] = [
    await context.add.user({ username: 'lan' }),
    await context.add.admin({ username: 'minh', email: 'minh@example.com' }),
  ]
  const waiting = await context.add.user({ username: 'waits', isActive: false })
  await context.db.run(sql`update users set is_waiting = true where id = ${waiting.id}`)
  await by(minh, users.update, { id: waiting.id, body: { email: 'stranger@example.net' } })
  await by(minh, users.update, { id: lan.id, body: { isActive: false } })
  await by(minh, users.update, { id: lan.id, body: { password: 'another-secret-2' } })
  await pass()
  expect(mailServer.mails.map(({ to }) => to)).toEqual(['lan@example.com'])
  await by(minh, users.update, { id: lan.id, body: { isActive: true } })
  expect(await reasonsOf(await again(lan))).toEqual([['user_password_by', { user: 'minh' }]])
})

// R-1946
test('a former address whose server asks to come back later gets the email later', async () => {
  const minh = await context.add.admin({ username: 'minh', email: 'minh@example.com' })
  await by(minh, users.update, { id: minh.id, body: { email: 'thief@example.net' } })
  const later = Object.assign(new Error('Try again later'), { responseCode: 451 })
  mailServer.accept = (to) => (to.startsWith('minh') ? later : null)
  await pass()
  expect(mailServer.mails.map(({ to }) => to)).toEqual(['thief@example.net'])
  mailServer.accept = () => null
  await context.moveClock('1 minute')
  await send()
  expect(mailServer.mails.map(({ to }) => to)).toContain('minh@example.com')
  mailServer.mails.length = 0

  mailServer.accept = (to) => (to.startsWith('minh') ? later : null)
  await by(minh, users.update, { id: minh.id, body: { password: 'another-secret-2' } })
  await context.moveClock('5 minutes')
  await pass()
  for (let n = 0; n < 6; n++) {
    await context.moveClock('5 minutes')
    await send()
  }
  // A server that always does so is asked three times more.
  expect(mailServer.mails.map(({ to }) => to)).toEqual(Array(4).fill('thief@example.net'))
  mailServer.accept = () => null
})

// R-1946
test('whoever has again the address of before gets one email', async () => {
  const minh = await context.add.admin({ username: 'minh', email: 'minh@example.com' })
  for (const email of ['mistyped@example.com', 'minh@example.com'])
    await by(minh, users.update, { id: minh.id, body: { email } })
  await pass()
  expect(mailServer.mails.map(({ to }) => to)).toEqual(['minh@example.com'])
})

// R-1942
test('a change by a program from before, which has not recorded the browser, is told as well', async () => {
  const lan = await context.add.user()
  await context.db.run(sql`
    insert into audit_log (user_id, user_name, address, action, object_name, details)
    values (${lan.id}, 'lan', '203.0.113.7', 'factor.remove', '', '{}')`)
  await pass()
  expect(await reasonsOf(lan)).toEqual([['factor_remove_from', { browser: '–', address: '203.0.113.7' }]])
  expect(Object.keys(reasonWords)).toContain('factor_remove_from')
})
