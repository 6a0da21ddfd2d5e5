import { readFileSync } from 'node:fs'
import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { ensureFirstAdmin, resetPassword } from '../src/features/session/first-admin.ts'
import { sql } from '../src/platform/database/sql.ts'
import { findWeakness } from '../src/platform/passwords.ts'
import { useContext } from './context.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const { dashboard, session, system, users } = contract

describe('where a password is set', () => {
  const context = useContext({ env: { PASSWORD_MIN_LENGTH: '10' } })

  const register = (username: string, password: string) =>
    context.call(null, session.register, {
      body: { username, email: `${username}@example.com`, password, repassword: password },
    })
  const create = async (username: string, password: string) =>
    context.call(await context.add.admin(), users.create, {
      body: { username, email: `${username}@example.com`, password },
    })
  const update = async (username: string, password: string) =>
    context.call(await context.add.admin(), users.update, {
      params: await context.add.user({ username }),
      body: { password },
    })
  const rename = async (username: string, password: string) =>
    context.call(await context.add.admin(), users.update, {
      params: await context.add.user(),
      body: { username, password },
    })
  const changeOwn = async (username: string, password: string) => {
    const user = await context.add.user({ username })
    return context.call(user, users.update, { params: user, body: { password } })
  }

  test.each(Object.entries({ register, create, update, rename, changeOwn }))(
    '%s takes a good password only',
    async (_, set) => {
      const errorOf = async (username: string, password: string) => (await set(username, password)).body.error
      const tooShort = { password: 'Enter a password of 10 to 100 characters.' }
      expect(await errorOf('Minh1', 'of9 chars')).toEqual(tooShort)
      expect(await errorOf('Minh2', 'BasketBall')).toEqual({
        password: 'This password is too common. Choose another one.',
      })
      expect(await errorOf('Minh3', 'only MINH3 knows')).toEqual({
        password: 'The password contains the username. Choose another one.',
      })
      expect((await set('Minh4', 'of 10 char')).status).toBeLessThan(300)
    },
  )

  test('the options say how long a password must be, and that registration is open', async () => {
    expect((await context.call(null, session.options, {})).body).toMatchObject({
      passwordMin: 10,
      selfRegistration: true,
    })
  })

  test.each([
    ['too-short', 'ADMIN_PASSWORD must have at least 10 characters.'],
    ['basketball', 'ADMIN_PASSWORD is too common: choose another one.'],
    ['the root of all', 'ADMIN_PASSWORD contains the name of ADMIN_USERNAME: choose another one.'],
  ])('the first Admin does not get the password %s', async (password, sentence) => {
    const config = { dataDir: '/nowhere', passwordMin: 10, admin: { username: 'root', password } }
    await expect(ensureFirstAdmin(context.db, config)).rejects.toThrow(sentence)
  })

  test('ADMIN_PASSWORD does not matter once there is a user', async () => {
    await context.add.user()
    const config = { dataDir: '/nowhere', passwordMin: 10, admin: { username: 'root', password: '123456' } }
    expect(await ensureFirstAdmin(context.db, config)).toBeNull()
  })

  //
  test('the generated password of the first Admin is reminded of until it is changed', async () => {
    const config = { ...context.config, dataDir: await makeTemporaryFolder('first-admin') }
    await ensureFirstAdmin(context.db, config)
    const { id } = await context.db.one<{ id: number }>(sql`select id from users`)
    const admin = await context.add.session({ id, username: 'admin' })
    const other = await context.add.admin()
    const isReminded = async (user: typeof admin) =>
      (await context.call(user, dashboard.now, {})).body.hasGeneratedPassword
    const examined = async () =>
      (await context.call(other, system.examine, {})).body.findings.filter(
        ({ code }) => code === 'password_generated',
      )
    expect(await isReminded(admin)).toBe(true)
    expect(await isReminded(other)).toBe(false)
    expect(await examined()).toEqual([{ code: 'password_generated', params: { name: 'admin' } }])

    await context.call(admin, users.update, { params: admin, body: { password: 'of my own 1' } })

    expect(await isReminded(admin)).toBe(false)
    expect(await examined()).toEqual([])
  })

  //
  test('a chosen password of the first Admin is nobody’s trouble', async () => {
    await ensureFirstAdmin(context.db, {
      ...context.config,
      admin: { username: 'root', password: 'of my own 1' },
    })
    const { id } = await context.db.one<{ id: number }>(sql`select id from users`)
    const admin = await context.add.session({ id, username: 'root' })
    expect((await context.call(admin, dashboard.now, {})).body.hasGeneratedPassword).toBe(false)
  })

  test('a password is compared as it was typed, to its last character', async () => {
    const password = ` ${'Áo dài 衣 '.repeat(12)}`.slice(0, 99).concat('x')
    const user = await context.add.user({ username: 'minh' })
    expect((await context.call(user, users.update, { params: user, body: { password } })).status).toBe(200)
    const statusOf = async (typed: string) =>
      (await context.call(null, session.login, { body: { username: 'minh', password: typed } })).status
    expect(await statusOf(password)).toBe(200)
    for (const other of [
      password.trim(),
      password.slice(0, -1),
      password.toLowerCase(),
      password.normalize('NFD'),
    ])
      expect(await statusOf(other)).toBe(401)
  })

  test('a generated password is long enough', async () => {
    await context.add.user({ username: 'minh' })
    // 22 letters and digits of base64 have 128 bits.
    expect((await resetPassword(context.db, 'minh', { passwordMin: 6 })).length).toBeGreaterThanOrEqual(22)
    expect((await resetPassword(context.db, 'minh', { passwordMin: 64 })).length).toBeGreaterThanOrEqual(64)
  })
})

describe('a password', () => {
  const weaknessOf = (password: string) => findWeakness(password, 'Minh', 6)

  //
  test.each([
    ['one character again and again', 'aaaaaa'],
    ['two', 'aaaabbbb'],
    ['three', '112233112233'],
    ['a few characters again and again', 'k9w2k9w2k9w2'],
    ['a common password twice', 'basketballBasketball'],
    ['our name', 'Sendroom'],
    ['the name of what we automate', 'whatsapp1'],
    ['both', 'whatsapp-Sendroom'],
    ['our provider and a year', 'whapi2026'],
    ['a longer common one', 'basketball1'],
  ])('of %s is refused', async (_what, password) => {
    expect(await weaknessOf(password)).toBe('PASSWORD.TOO_COMMON')
  })

  //
  test.each(['our whatsapp runs at night', 'k9w2px', 'ba-na-na 4', 'k9w2pxk9w2px'])(
    'like %s is taken',
    async (password) => {
      expect(await weaknessOf(password)).toBeNull()
    },
  )
})

test('the list has 10,000 common passwords in lower case, and more than 3,000 for a least length of 8', () => {
  const text = readFileSync(new URL('../src/platform/common-passwords.txt', import.meta.url), 'utf8')
  const passwords = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('# '))
  expect(passwords.length).toBeGreaterThan(10_000)
  expect(new Set(passwords).size).toBe(passwords.length)
  expect(passwords.filter((password) => password.length >= 8).length).toBeGreaterThan(3_000)
  expect(passwords.filter((password) => password.length < 6 || password !== password.toLowerCase())).toEqual(
    [],
  )
})
