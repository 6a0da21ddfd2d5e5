import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { lockCaller } from '../src/platform/access.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

const context = useContext()
const { session, sessions, users, apiKeys, messages } = contract

const rule = { access: 'signedIn', needsConfirmation: false, allowsApiKeys: true } as const
const write = (thief: TestUser) => context.call(thief, messages.create, { body: { textContent: 'Hello' } })

/** Calls `stop` while a write of the thief runs, and lets the thief write once more. Returns both statuses. */
async function stopDuringWrite(thief: TestUser, stop: () => Promise<{ status: number }>) {
  const caller = await (await context.app).findCaller(thief.token, '127.0.0.1')
  if (!caller) throw new Error('The thief has no session.')
  const answers = await context.db.begin(async (tx) => {
    await lockCaller(tx, caller, rule)
    const stopping = stop()
    await until('it waits for the write', async () => (await countWaiting(context.db)) === 1)
    const writing = write(thief)
    const isInTurn = until('the next write waits for it', async () => (await countWaiting(context.db)) === 2)
    await Promise.race([writing, isInTurn])
    return [stopping, writing]
  })
  return (await Promise.all(answers)).map(({ status }) => status)
}

// R-2170
test.each(['ends the session', 'ends all others', 'sets a password', 'signs out there'])(
  'a thief who writes on and on does not keep the owner waiting, who %s',
  async (what) => {
    const owner = await context.add.user({ username: 'lan' })
    const thief = await context.add.session(owner)
    const { body } = await context.call(owner, sessions.list, { params: owner })
    const theirs = body.sessions.find(({ isCurrent }) => !isCurrent)?.id ?? 0
    const stop = {
      'ends the session': () =>
        context.call(owner, sessions.end, { params: { id: owner.id, sessionId: theirs } }),
      'ends all others': () => context.call(owner, sessions.endOthers, { params: owner }),
      'sets a password': () =>
        context.call(owner, users.update, { params: owner, body: { password: 'another-2' } }),
      'signs out there': () => context.call(thief, session.logout, {}),
    }[what]
    const [status, next] = await stopDuringWrite(thief, stop as never)
    expect(status).toBeLessThan(300)
    expect(next).toBe(401)
  },
)

// R-2170
test('a Member who writes on and on can be locked, and an API key that does so can be revoked', async () => {
  const [admin, thief] = [await context.add.admin(), await context.add.user()]
  const key = await context.add.apiKey(admin)
  const revoke = () => context.call(admin, apiKeys.revoke, { params: { id: key.keyId } })
  expect(await stopDuringWrite(key, revoke)).toEqual([204, 401])
  const lock = () => context.call(admin, users.update, { params: thief, body: { isActive: false } })
  expect(await stopDuringWrite(thief, lock)).toEqual([200, 401])
})

// R-2170
test('nobody holds up the writes of a user whom they do not see', async () => {
  const [other, stranger] = [await context.add.user(), await context.add.user()]
  const caller = await (await context.app).findCaller(other.token, '127.0.0.1')
  if (!caller) throw new Error('The user has no session.')
  await context.db.begin(async (tx) => {
    await lockCaller(tx, caller, rule)
    expect((await context.call(stranger, sessions.endOthers, { params: other })).status).toBe(404)
  })
})

// R-2170
test('a Member whose own writes hold up their ends keeps no Admin from a change of users', async () => {
  const [admin, owner] = [await context.add.admin(), await context.add.user()]
  const key = await context.add.apiKey(owner)
  const caller = await (await context.app).findCaller((await context.add.session(owner)).token, '127.0.0.1')
  if (!caller) throw new Error('The user has no session.')
  const answers = await context.db.begin(async (tx) => {
    await lockCaller(tx, caller, rule)
    const waiting = [
      context.call(owner, sessions.endOthers, { params: owner }),
      context.call(owner, users.update, { params: owner, body: { password: 'another-2' } }),
      context.call(owner, apiKeys.revoke, { params: { id: key.keyId } }),
    ]
    await until('all wait', async () => (await countWaiting(context.db)) === waiting.length)
    const email = { params: admin, body: { email: 'minh@example.com' } }
    const change = context.call(admin, users.update, email).then(({ status }) => status)
    const isWaiting = until('the Admin waits', async () => (await countWaiting(context.db)) > waiting.length)
    expect(await Promise.race([change, isWaiting])).toBe(200)
    return waiting
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 200, 204])
})
