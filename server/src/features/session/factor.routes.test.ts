import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { codeAt } from '../../../test/totp.ts'
import { sql } from '../../platform/database/sql.ts'
import { newSecret } from './codes.ts'
import { resetFactorByCommand } from './factor.service.ts'
import { deleteEnded } from './sessions.queries.ts'

const context = useContext()
const { session, sessions, factor, users, groups } = contract
const password = 'secret-1'

const nowMs = async () =>
  (await context.db.one<{ ms: number }>(sql`select (extract(epoch from clock_now()) * 1000)::float8 as ms`))
    .ms

/** A user with a second factor, and what the app on the user's phone shows, so many seconds from now. */
async function addWithFactor(username = 'lan', role: 'Admin' | 'Member' = 'Member') {
  await context.freezeClock()
  const user = await context.add.user({ username, password, role })
  const secret = newSecret()
  await context.db.run(sql`
    insert into factors (user_id, secret_cipher) values (${user.id}, ${context.secrets.encrypt(secret)})`)
  const codeIn = async (seconds = 0) => codeAt(secret, (await nowMs()) + seconds * 1000)
  return { user, codeIn }
}

const enterPassword = (username = 'lan') =>
  context.call(null, session.login, { body: { username, password } })
const ticketOf = async (username?: string) => String((await enterPassword(username)).body.params?.ticket)
const enterCode = (ticket: string, code: string) =>
  context.call(null, session.loginCode, { body: { ticket, code } })
/** The status, and the code of a refusal. */
const short = ({ status, body }: { status: number; body?: { code?: string } }) =>
  [status, body?.code].filter(Boolean).join(' ')
const meOf = (user: TestUser) => context.call(user, session.me, {})

/** Sets up a factor as a user does. Returns the recovery codes and a way to the app's codes. */
async function setUp(user: TestUser) {
  const { secret } = (await context.call(user, factor.begin, {})).body
  const codeIn = async (seconds = 0) => codeAt(secret, (await nowMs()) + seconds * 1000)
  const { body } = await context.call(user, factor.finish, { body: { code: await codeIn() } })
  return { recoveryCodes: body.recoveryCodes, codeIn }
}

describe('a sign-in with a second factor', () => {
  // R-1920, R-1921
  test('answers a ticket to the password, and token and user to the code', async () => {
    const { user, codeIn } = await addWithFactor()
    const first = await enterPassword()
    expect(first).toMatchObject({ status: 401, body: { code: 'factor_required' } })
    expect(first.body.token).toBeUndefined()
    expect(first.headers['set-cookie']).toBeUndefined()

    const second = await enterCode(String(first.body.params?.ticket), await codeIn())

    expect(second).toMatchObject({
      status: 200,
      body: { user: { id: user.id, role: 'Member', hasFactor: true } },
    })
    expect(String(second.headers['set-cookie'])).toContain(`device-${user.id}`)
    expect((await meOf({ ...user, token: second.body.token })).status).toBe(200)
    const entries = await context.db.many(sql`select action from audit_log order by id`)
    expect(entries).toEqual([{ action: 'session.sign_in' }])
  })

  // R-1922
  test.each([
    [-29, 200],
    [29, 200],
    [-90, 401],
    [90, 401],
  ])('takes a code of a clock that is %i s off: %i', async (seconds, status) => {
    const { codeIn } = await addWithFactor()
    for (const at of ['2026-11-26T00:00:00Z', '2026-11-26T00:00:15Z', '2026-11-26T00:00:29.900Z']) {
      await context.db.run(sql`update factors set last_step = 0`)
      await context.setClock(at)
      await context.freezeClock()
      expect((await enterCode(await ticketOf(), await codeIn(seconds))).status).toBe(status)
      await context.db.run(sql`delete from sign_in_failures`)
    }
  })

  // R-1923
  test('takes a code once, also within its 30 seconds, and no earlier one afterwards', async () => {
    const { codeIn } = await addWithFactor()
    const code = await codeIn()
    expect(short(await enterCode(await ticketOf(), code))).toBe('200')
    expect(short(await enterCode(await ticketOf(), code))).toBe('401 code_wrong')
    expect(short(await enterCode(await ticketOf(), await codeIn(-30)))).toBe('401 code_wrong')
    expect(short(await enterCode(await ticketOf(), await codeIn(30)))).toBe('200')
  })

  // R-1923
  test('of two requests with one code at the same moment lets one in', async () => {
    const { codeIn } = await addWithFactor()
    const code = await codeIn()
    const tickets = [await ticketOf(), await ticketOf()]
    const answers = await Promise.all(tickets.map((ticket) => enterCode(ticket, code)))
    expect(answers.map(short).toSorted()).toEqual(['200', '401 code_wrong'])
  })

  // R-1924
  test('takes a ticket once, also of two requests at the same moment', async () => {
    const { user, codeIn } = await addWithFactor()
    const ticket = await ticketOf()
    await context.db.run(sql`delete from sessions`)
    const codes = [await codeIn(-30), await codeIn()]
    const answers = await Promise.all(codes.map((code) => enterCode(ticket, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(short(await enterCode(ticket, await codeIn(30)))).toBe('401 ticket_invalid')
    expect(await context.db.many(sql`select user_id from sessions`)).toEqual([{ userId: user.id }])
  })

  // R-1924
  test('takes a ticket for five minutes, and until the password changes or the user is locked', async () => {
    const { user, codeIn } = await addWithFactor()
    const [late, changed, locked, inTime] = [
      await ticketOf(),
      await ticketOf(),
      await ticketOf(),
      await ticketOf(),
    ]
    await context.moveClock('4 minutes 59 seconds')
    expect(short(await enterCode(inTime, await codeIn()))).toBe('200')
    await context.moveClock('1 second')
    expect(short(await enterCode(late, await codeIn(30)))).toBe('401 ticket_invalid')
    for (const [ticket, change] of [
      [changed, sql`password_hash = 'another'`],
      [locked, sql`is_active = false`],
    ] as const) {
      await context.db.run(sql`update sign_in_tickets set expires_at = clock_now() + interval '1 minute'`)
      await context.db.run(sql`update users set ${change} where id = ${user.id}`)
      expect(short(await enterCode(ticket, await codeIn(30)))).toBe('401 ticket_invalid')
    }
    await deleteEnded(context.db)
    expect(await context.db.many(sql`select from sign_in_tickets`)).toEqual([])
  })

  // R-1925
  test('slows down who guesses codes, whatever they do in between', async () => {
    const { codeIn } = await addWithFactor()
    const wrong = [await codeIn(3000), await codeIn(3300)]
    const ticket = await ticketOf()
    const guess = async (n: number) =>
      short(await enterCode(n % 2 ? ticket : await ticketOf(), wrong[n % 2] ?? ''))
    for (let n = 0; n < 5; n++) expect(await guess(n)).toBe('401 code_wrong')
    expect(await guess(5)).toBe('429 too_many_requests')
    expect(short(await enterCode(ticket, await codeIn()))).toBe('429 too_many_requests')
    await context.moveClock('1 second')
    expect(short(await enterCode(ticket, await codeIn()))).toBe('200')
    const failed = await context.db.many(
      sql`select object_name from audit_log where action = 'session.sign_in_failed'`,
    )
    expect(failed).toEqual(Array.from({ length: 5 }, () => ({ objectName: 'lan' })))
  })

  // R-1926
  test('takes each of ten recovery codes once, and stores only their hashes', async () => {
    const user = await context.add.user({ username: 'lan', password })
    const { recoveryCodes } = await setUp(user)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = '', second = ''] = recoveryCodes
    const answers = [first, first, second.toUpperCase().replaceAll('-', ' '), 'aaaa-aaaa']
    const taken: string[] = []
    for (const code of answers) taken.push(short(await enterCode(await ticketOf(), code)))
    expect(taken).toEqual(['200', '401 code_wrong', '200', '401 code_wrong'])
    expect((await context.call(user, factor.get, {})).body).toMatchObject({ recoveryCodesLeft: 8 })
    const stored = await context.db.one(
      sql`select string_agg(code_hash::text, ',') as hashes from recovery_codes`,
    )
    expect(JSON.stringify(stored)).not.toContain(Buffer.from(second).toString('hex'))
  })

  // R-1926
  test('of two requests with one recovery code at the same moment lets one in', async () => {
    const user = await context.add.user({ username: 'lan', password })
    const { recoveryCodes } = await setUp(user)
    const tickets = [await ticketOf(), await ticketOf()]
    const answers = await Promise.all(tickets.map((ticket) => enterCode(ticket, recoveryCodes[0] ?? '')))
    expect(answers.map(short).toSorted()).toEqual(['200', '401 code_wrong'])
  })
})

describe('the set-up', () => {
  // R-1927
  test('counts from the first code on, and the secret is encrypted', async () => {
    await context.freezeClock()
    const user = await context.add.user({ username: 'lan', password })
    const { secret, qr } = (await context.call(user, factor.begin, {})).body
    expect(qr).toMatch(/^data:image\/png;base64,/)
    expect(short(await enterPassword())).toBe('200')
    expect(await context.call(user, factor.finish, { body: { code: '000000' } })).toMatchObject({
      status: 400,
      body: { fields: { code: 'LOGIN.CODE_WRONG' } },
    })
    expect((await meOf(user)).body.hasFactor).toBe(false)

    const code = codeAt(secret, await nowMs())
    expect((await context.call(user, factor.finish, { body: { code } })).status).toBe(200)

    expect((await meOf(user)).body.hasFactor).toBe(true)
    expect(short(await enterPassword())).toBe('401 factor_required')
    expect(short(await enterCode(await ticketOf(), code))).toBe('401 code_wrong')
    const { secretCipher } = await context.db.one<{ secretCipher: Buffer }>(
      sql`select secret_cipher from factors`,
    )
    expect(secretCipher.toString('latin1')).not.toContain(secret)
    expect(context.secrets.decrypt(secretCipher)).toBe(secret)
  })

  // R-1927
  test('of another phone keeps the former one until its first code, and new recovery codes end the others', async () => {
    const user = await context.add.user({ username: 'lan', password })
    await context.freezeClock()
    const former = await setUp(user)
    await context.call(user, factor.begin, {})
    expect(short(await enterCode(await ticketOf(), await former.codeIn(30)))).toBe('200')
    const next = await setUp(user)
    await context.moveClock('1 minute')
    expect(short(await enterCode(await ticketOf(), await former.codeIn()))).toBe('401 code_wrong')
    expect(short(await enterCode(await ticketOf(), await next.codeIn()))).toBe('200')
    const { recoveryCodes } = (await context.call(user, factor.newCodes, {})).body
    expect(short(await enterCode(await ticketOf(), next.recoveryCodes[0] ?? ''))).toBe('401 code_wrong')
    expect(short(await enterCode(await ticketOf(), recoveryCodes[9] ?? ''))).toBe('200')
  })

  // R-2273
  test('that is begun again before it is finished has one entry in the audit log', async () => {
    await context.freezeClock()
    const user = await context.add.user({ username: 'lan', password })
    const entries = () =>
      context.db.run(sql`select from audit_log where action = 'factor.begin' and user_id = ${user.id}`)
    for (let time = 0; time < 3; time++) await context.call(user, factor.begin, {})
    expect(await entries()).toBe(1)
    await setUp(user)
    expect(await entries()).toBe(1)
    await context.call(user, factor.begin, {})
    expect(await entries()).toBe(2)
  })

  test('ends when the user removes the factor', async () => {
    const user = await context.add.user({ username: 'lan', password })
    await setUp(user)
    expect((await context.call(user, factor.remove, {})).status).toBe(204)
    expect(short(await enterPassword())).toBe('200')
    expect(await context.db.many(sql`select from recovery_codes`)).toEqual([])
    expect((await context.call(user, factor.remove, {})).status).toBe(404)
  })
})

// R-1928
test('a password entered once more needs a code as well', async () => {
  const { user, codeIn } = await addWithFactor()
  const confirm = (code?: string, typed = password) =>
    context.call(user, session.confirm, { body: { password: typed, ...(code !== undefined && { code }) } })
  const code = await codeIn()
  expect((await confirm()).body.fields).toEqual({ code: 'LOGIN.CODE_REQUIRED' })
  expect((await confirm(code, 'wrong')).body.fields).toEqual({ password: 'LOGIN.PASSWORD_WRONG' })
  expect((await confirm('000000')).body.fields).toEqual({ code: 'LOGIN.CODE_WRONG' })
  expect((await confirm(code)).status).toBe(200)
  expect((await confirm(code)).body.fields).toEqual({ code: 'LOGIN.CODE_WRONG' })
})

describe('a reset', () => {
  // R-1929
  test('by another Admin ends the sessions, and the password alone signs in again', async () => {
    const { user } = await addWithFactor()
    const ticket = await ticketOf()
    const admin = await context.add.admin()
    const answer = await context.call(admin, factor.reset, { params: user })
    expect(answer.status).toBe(204)
    expect((await meOf(user)).status).toBe(401)
    expect(short(await enterCode(ticket, '000000'))).toBe('401 ticket_invalid')
    expect(short(await enterPassword())).toBe('200')
    expect(
      await context.db.many(sql`select user_name, object_name from audit_log where action = 'factor.reset'`),
    ).toEqual([{ userName: admin.username, objectName: 'lan' }])
    expect((await context.call(admin, factor.reset, { params: user })).status).toBe(404)
  })

  // R-1929
  test('of one’s own is another Admin’s', async () => {
    const { user } = await addWithFactor('boss', 'Admin')
    expect(short(await context.call(user, factor.reset, { params: user }))).toBe('409 own_factor')
  })

  // R-1930
  test('by the command ends the sessions', async () => {
    const { user } = await addWithFactor()
    expect(await resetFactorByCommand(context.db, 'LAN')).toBe(true)
    expect((await meOf(user)).status).toBe(401)
    expect(short(await enterPassword())).toBe('200')
    expect(await resetFactorByCommand(context.db, 'lan')).toBe(false)
    await expect(resetFactorByCommand(context.db, 'nobody')).rejects.toThrow(
      'There is no user called nobody.',
    )
  })
})

describe('a required factor', () => {
  const setRule = async (requiredOf: 'nobody' | 'admins' | 'all', since: string | null = null) =>
    context.db.run(sql`update factor_rule set required_of = ${requiredOf}, since = ${since}`)

  // R-1931
  test('lets the user do nothing but set one up, and then everything', async () => {
    const user = await context.add.user({ username: 'lan', password })
    await setRule('all')
    const { token, user: me } = (await enterPassword()).body
    expect(me).toMatchObject({ needsFactor: true, hasFactor: false })
    const signedIn = { ...user, token }
    const status = async () => short(await context.call(signedIn, groups.list, {}))
    expect(await status()).toBe('403 factor_setup_required')
    expect(short(await context.call(signedIn, sessions.list, { params: user }))).toBe(
      '403 factor_setup_required',
    )
    expect(
      short(await context.call(signedIn, users.update, { params: user, body: { password: 'other-2' } })),
    ).toBe('403 factor_setup_required')
    await setUp(signedIn)
    expect(await status()).toBe('200')
    expect((await meOf(signedIn)).body).toMatchObject({ needsFactor: false, hasFactor: true })
    expect(short(await context.call(signedIn, factor.remove, {}))).toBe('409 factor_is_required')
  })

  // R-1931
  test('is required of Admins, or of all, from its date on', async () => {
    const [admin, member] = [await context.add.admin(), await context.add.user()]
    const blocked = async () =>
      Promise.all(
        [admin, member].map(async (user) => (await context.call(user, groups.list, {})).status === 403),
      )
    expect(await blocked()).toEqual([false, false])
    await setRule('admins')
    expect(await blocked()).toEqual([true, false])
    const day = 24 * 3600 * 1000
    await setRule('all', new Date((await nowMs()) + day).toISOString())
    expect(await blocked()).toEqual([false, false])
    await context.moveClock('25 hours')
    await context.db.run(sql`update sessions set expires_at = clock_now() + interval '1 day'`)
    expect(await blocked()).toEqual([true, true])
  })

  // R-1932
  test('is set by an Admin, and recorded', async () => {
    const admin = await context.add.admin()
    const body = { requiredOf: 'admins' as const, since: '2099-01-01T00:00:00.000Z' }
    for (const _ of [1, 2]) expect((await context.call(admin, factor.setRule, { body })).body).toEqual(body)
    expect((await context.call(admin, factor.rule, {})).body).toEqual(body)
    expect((await context.call(admin, factor.get, {})).body).toMatchObject({
      isRequired: true,
      since: body.since,
    })
    expect(await context.db.many(sql`select action, details from audit_log`)).toEqual([
      {
        action: 'factor_rule.update',
        details: { changes: { requiredOf: ['nobody', 'admins'], since: [null, '2099-01-01T00:00:00.000Z'] } },
      },
    ])
  })
})
