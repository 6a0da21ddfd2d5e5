import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { sql } from '../../platform/database/sql.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const context = useSharedContext({ providers: simulated.providers })
const { instances } = contract

let count = 0
/** A token whose channel no other test uses. */
const newToken = (prefix = 'test_linked') => `${prefix}_link_${count++}`

describe('linking', () => {
  test('the QR code is shown, and the page soon shows the instance as connected', async () => {
    const { id } = await context.add.instance({ token: newToken('test_unlinked'), status: 'Unknown' })
    const member = await context.add.user({ instances: [{ id }] })
    const ask = () => context.call(member, instances.qr, { params: { id } })
    const getAfterTwoSeconds = async () => {
      await context.db.run(sql`update instances set status_asked_at = 'epoch' where id = ${id}`)
      return (await context.call(member, instances.get, { params: { id } })).body
    }

    const early = await ask()
    expect(early).toMatchObject({ status: 503, body: { code: 'qr_not_ready' } })
    expect(early.headers['retry-after']).toBe('2')
    await expect.poll(async () => (await ask()).status).toBe(200)

    await expect.poll(async () => (await getAfterTwoSeconds()).status).toBe('Connected')
    expect((await getAfterTwoSeconds()).whatsAppNumber).toMatch(/^84\d+$/)
    expect(await context.dueSyncs()).toContain(id)
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'already_connected' } })
  })

  //
  test('the QR code is a PNG as a data URI', async () => {
    const token = newToken('test_unlinked')
    simulated.change(token, { state: 'QR' })
    const { id } = await context.add.instance({ token })

    const { body } = await context.call(await context.add.admin(), instances.qr, { params: { id } })

    expect(body.qr).toMatch(/^data:image\/png;base64,iVBORw0/)
  })

  test('the status is read at most every two seconds during the linking', async () => {
    const token = newToken('test_unlinked')
    simulated.change(token, { state: 'QR', linkAfterMs: 60_000 })
    const { id } = await context.add.instance({ token, status: 'NeedsLogin' })
    const admin = await context.add.admin()

    for (let n = 0; n < 5; n++) await context.call(admin, instances.get, { params: { id } })

    const channel = simulated.simulator.channels.find(token)
    expect(channel?.requests.get('GET /health')).toBe(1)
  })

  //
  test('a number without a country code gets its pairing code', async () => {
    const token = newToken('test_unlinked')
    simulated.change(token, { state: 'QR' })
    const { id } = await context.add.instance({ token, status: 'NeedsLogin' })
    const admin = await context.add.admin()
    const ask = (phone: string) =>
      context.call(admin, instances.pairingCode, { params: { id }, query: { phone } })

    expect(await ask('0901 234 567')).toMatchObject({
      status: 200,
      body: { code: expect.stringMatching(/^\w{4}-\w{4}$/) },
    })
    expect(simulated.simulator.channels.find(token)?.number).toBe('84901234567')
  })

  test.each(['', 'hello', '12', '0901'])(
    //
    'the phone number %j is refused, and the error names the field',
    async (phone) => {
      const { id } = await context.add.instance()

      const answer = await context.call(await context.add.admin(), instances.pairingCode, {
        params: { id },
        query: { phone },
      })

      expect(answer).toMatchObject({ status: 400, body: { fields: { phone: 'ACCOUNT.PHONE_REQUIRED' } } })
    },
  )

  test('a refusal because the instance is connected saves that status again, so that open pages are notified', async () => {
    const { id } = await context.add.instance({ token: newToken(), status: 'Connected' })
    const admin = await context.add.admin()
    const params = { id }
    const query = { phone: '0901234567' }
    const statusSeenAt = async () => (await context.call(admin, instances.get, { params })).body.statusSeenAt

    const before = await statusSeenAt()
    const forQr = await context.call(admin, instances.qr, { params })
    const afterQr = await statusSeenAt()
    const forCode = await context.call(admin, instances.pairingCode, { params, query })

    for (const answer of [forQr, forCode])
      expect(answer).toMatchObject({ status: 409, body: { code: 'already_connected' } })
    expect(new Set([before, afterQr, await statusSeenAt()]).size).toBe(3)
  })

  //
  test('a logout unlinks the instance, and a second one is refused', async () => {
    const { id } = await context.add.instance({ token: newToken() })
    const member = await context.add.user({ instances: [{ id }] })
    const logOut = () => context.call(member, instances.logout, { params: { id } })

    expect((await logOut()).status).toBe(204)
    expect(await context.db.many(sql`select status from instances where id = ${id}`)).toEqual([
      { status: 'NeedsLogin' },
    ])
    expect(await logOut()).toMatchObject({ status: 409, body: { code: 'already_logged_out' } })
  })

  //
  test('an inactive instance is not linked, synced or read', async () => {
    const token = newToken('test_unlinked')
    const { id } = await context.add.instance({ token, isActive: false, status: 'NeedsLogin' })
    const admin = await context.add.admin()
    const params = { id }

    const answers = [
      await context.call(admin, instances.qr, { params }),
      await context.call(admin, instances.pairingCode, { params, query: { phone: '0901234567' } }),
      await context.call(admin, instances.sync, { params }),
    ]
    await context.call(admin, instances.get, { params })

    for (const answer of answers)
      expect(answer).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
    expect(simulated.simulator.channels.find(token)?.requests.size ?? 0).toBe(0)
  })

  test.each([
    ['a server error', { kind: 'status', status: 500 } as const, 'provider_error', /error \(500\)/],
    ['a lost connection', { kind: 'drop-before' } as const, 'provider_unreachable', /is unreachable/],
    ['an unpaid channel', { kind: 'status', status: 402 } as const, 'account_unpaid', /is unpaid/],
    //
  ])('%s at the provider is explained in plain words', async (_case, fault, why, words) => {
    const token = newToken('test_unlinked')
    const { id } = await context.add.instance({ token })
    const admin = await context.add.admin()
    simulated.simulator.faults.add({ ...fault, token, path: '^/users/' })

    const answers = [
      await context.call(admin, instances.qr, { params: { id } }),
      await context.call(admin, instances.pairingCode, { params: { id }, query: { phone: '0901234567' } }),
      await context.call(admin, instances.logout, { params: { id } }),
    ]

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 502, body: { code: 'provider_failed', params: { why } } })
      expect(answer.body.error).toMatch(words)
      expect(answer.raw.toString()).not.toContain(token)
    }
  })

  test('a token that the provider does not know gives the status BadToken', async () => {
    const { id } = await context.add.instance({ token: newToken('test_unknown') })
    const admin = await context.add.admin()

    expect((await context.call(admin, instances.qr, { params: { id } })).status).toBe(502)

    expect((await context.call(admin, instances.get, { params: { id } })).body.status).toBe('BadToken')
  })
})

describe('a sync request', () => {
  //
  test('is accepted at once and done in the background', async () => {
    const { id } = await context.add.instance()
    const member = await context.add.user({ instances: [{ id }] })

    expect((await context.call(member, instances.sync, { params: { id } })).status).toBe(202)
    expect(await context.dueSyncs()).toContain(id)
  })

  test('reads the status of an instance that is not connected', async () => {
    const { id } = await context.add.instance({ token: newToken('test_unlinked'), status: 'NeedsLogin' })
    const linked = await context.add.instance({ token: newToken(), status: 'NeedsLogin' })
    const admin = await context.add.admin()

    expect(await context.call(admin, instances.sync, { params: { id } })).toMatchObject({
      status: 409,
      body: { code: 'not_connected' },
    })
    expect((await context.call(admin, instances.sync, { params: linked })).status).toBe(202)
  })
})
