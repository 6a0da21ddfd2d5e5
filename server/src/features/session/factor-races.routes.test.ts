import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { countWaiting } from '../../../test/locks.ts'
import { codeAt } from '../../../test/totp.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { newSecret } from './codes.ts'

const context = useContext()
const { session, factor } = contract
const password = 'secret-1'

const nowMs = async () =>
  (await context.db.one<{ ms: number }>(sql`select (extract(epoch from clock_now()) * 1000)::float8 as ms`))
    .ms
const addUser = () => context.add.user({ username: 'lan', password })
const signIn = () => context.call(null, session.login, { body: { username: 'lan', password } })
const short = ({ status, body }: { status: number; body?: { code?: string } }) =>
  [status, body?.code].filter(Boolean).join(' ')

async function setUp(user: TestUser) {
  const { secret } = (await context.call(user, factor.begin, {})).body
  const code = codeAt(secret, await nowMs())
  return { secret, ...(await context.call(user, factor.finish, { body: { code } })) }
}

/** Runs the call until it waits for the user's row, and gives the user a second factor before it goes on. */
async function whileSettingUp<T>(user: TestUser, call: () => Promise<T>): Promise<T> {
  const { calling } = await context.db.begin(async (tx) => {
    await tx.run(sql`select from users where id = ${user.id} for no key update`)
    const calling = call()
    await until('the call waits for the user', async () => (await countWaiting(context.db)) === 1)
    const cipher = context.secrets.encrypt(newSecret())
    await tx.run(sql`insert into factors (user_id, secret_cipher) values (${user.id}, ${cipher})`)
    return { calling }
  })
  return calling
}

describe('from the set-up of a factor on', () => {
  // R-1936
  test('another session has to enter a code for what the password alone permitted before', async () => {
    const user = await addUser()
    const thief = { ...user, token: (await signIn()).body.token }
    expect((await setUp(user)).status).toBe(200)

    expect(short(await context.call(thief, factor.remove, {}))).toBe('403 confirm_password')
    expect(short(await context.call(user, factor.remove, {}))).toBe('204')
  })

  // R-1936
  test('a sign-in that is on its way without a code is refused', async () => {
    const user = await addUser()
    expect(short(await whileSettingUp(user, signIn))).toBe('401 login_failed')
    expect(short(await signIn())).toBe('401 factor_required')
  })

  // R-1936
  test('a password entered once more, which is on its way without a code, permits nothing', async () => {
    const user = await addUser()
    await context.db.run(sql`update sessions set confirmed_at = 'epoch'`)
    const confirm = () => context.call(user, session.confirm, { body: { password } })
    expect((await whileSettingUp(user, confirm)).body.fields).toEqual({ code: 'LOGIN.CODE_REQUIRED' })
    expect(short(await context.call(user, factor.remove, {}))).toBe('403 confirm_password')
  })
})

// R-1937
test('of two requests for recovery codes at the same moment the ten of the later one count', async () => {
  const user = await addUser()
  await setUp(user)
  await Promise.all([1, 2, 3].map(() => context.call(user, factor.newCodes, {})))
  expect(await context.db.run(sql`select from recovery_codes`)).toBe(10)
})

// R-1937
test('a set-up and a reset at the same moment do not deadlock', async () => {
  const [user, admin] = [await addUser(), await context.add.admin()]
  await setUp(user)
  for (let round = 0; round < 5; round++) {
    const mine = await context.add.session(user)
    const { secret } = (await context.call(mine, factor.begin, {})).body
    const code = codeAt(secret, await nowMs())
    const answers = await Promise.all([
      context.call(mine, factor.finish, { body: { code } }),
      context.call(admin, factor.reset, { params: user }),
    ])
    expect(answers.map(short)).not.toContain('409 job_busy')
  }
})
