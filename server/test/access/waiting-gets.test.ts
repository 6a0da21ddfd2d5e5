import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { useContext } from '../context.ts'
import { addressOf } from '../http-client.ts'
import { countWaiting } from '../locks.ts'
import { until } from '../until.ts'

// Calls that read wait for the provider, too. Whoever is revoked meanwhile gets no answer.

let whileAsked: () => Promise<unknown>
const answer = (value: unknown) => async () => {
  await whileAsked()
  return value
}
const provider = {
  qr: answer('data:image/png;base64,QR'),
  pairingCode: answer('ABCD-EFGH'),
  logout: answer(undefined),
} as unknown as Provider // these endpoints call nothing else
const context = useContext({ providers: () => ({ live: provider, test: provider }) })
const { instances } = contract

const inputOf = (id: number) => ({ params: { id }, query: { phone: '0901234567' } })

const revocations = {
  'is locked': (userId: number) => sql`update users set is_active = false where id = ${userId}`,
  'loses the session': (userId: number) => sql`delete from sessions where user_id = ${userId}`,
  'loses the right': (userId: number) => sql`update users set can_link_accounts = false where id = ${userId}`,
  'loses the instance': (userId: number) => sql`delete from user_instances where user_id = ${userId}`,
}

//
describe.each([
  ['QR code', instances.qr],
  ['pairing code', instances.pairingCode],
])('the %s', (_, endpoint) => {
  test.each(Object.entries(revocations))(
    'is not given to a user who %s while the provider is asked',
    async (_, revoke) => {
      const instance = await context.add.instance({ status: 'NeedsLogin' })
      const user = await context.add.user({ instances: [instance], canLinkAccounts: true })
      whileAsked = () => context.db.run(revoke(user.id))
      const { status, raw } = await context.call(user, endpoint, inputOf(instance.id))
      expect([401, 403, 404]).toContain(status)
      expect(String(raw)).not.toMatch(/QR|ABCD/)
      expect(await context.db.many(sql`select from audit_log where action = 'instance.link'`)).toEqual([])
    },
  )
})

//
test('an instance is not unlinked for a user who is locked while the call waits for its turn', async () => {
  const instance = await context.add.instance({ status: 'NeedsLogin' })
  const user = await context.add.user({ instances: [instance], canLinkAccounts: true })
  const { promise: answered, resolve: answerAll } = Promise.withResolvers<void>()
  let asked = 0
  whileAsked = () => {
    asked++
    return answered
  }
  const codes = Array.from({ length: 5 }, () => context.call(user, instances.qr, inputOf(instance.id)))
  await until('five calls run', () => asked === 5)
  const unlinking = context.call(user, instances.logout, inputOf(instance.id))
  await (await context.app).findCaller(user.token, '127.0.0.1') // the call has begun by now
  await context.db.run(sql`update users set is_active = false where id = ${user.id}`)
  answerAll()
  await Promise.all(codes)
  expect([(await unlinking).status, asked]).toEqual([401, 5])
})

test('any other read that has waited for long is checked again', async () => {
  const user = await context.add.user()
  const answering = await context.db.begin(async (tx) => {
    await tx.run(sql`lock table instances in access exclusive mode`)
    const answering = context.call(user, instances.list, {})
    await until('the call waits', async () => (await countWaiting(context.db)) > 0)
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2000)
    onTestFinished(() => clock.mockRestore())
    await tx.run(sql`update users set is_active = false where id = ${user.id}`)
    return [answering]
  })
  expect((await Promise.all(answering))[0]?.status).toBe(401)
})

//
test.each([
  ['qr', instances.qr],
  ['pairingCode', instances.pairingCode],
  ['logout', instances.logout],
] as [string, Endpoint][])('HEAD of %s does nothing and answers 405', async (_, endpoint) => {
  const instance = await context.add.instance({ status: 'Connected' })
  const admin = await context.add.admin()
  let isAsked = false
  whileAsked = async () => {
    isAsked = true
  }
  const { params, query } = inputOf(instance.id)
  const { statusCode, headers } = await (await context.app).inject({
    method: 'HEAD',
    url: addressOf(endpoint, params, endpoint.query && query),
    headers: { authorization: `Bearer ${admin.token}` },
  })
  expect([statusCode, headers.allow, isAsked]).toEqual([405, 'GET', false])
})
