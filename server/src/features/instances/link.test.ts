import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { useSimulator } from '../../../test/simulated.ts'
import { useWorld } from '../../../test/world.ts'
import { sql } from '../../platform/database/sql.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const world = useWorld({ providers: simulated.providers })
const { instances } = contract

let count = 0
/** A token whose channel no other test uses. */
const newToken = (prefix = 'test_linked') => `${prefix}_link_${count++}`

describe('linking', () => {
  test('the QR code is shown, and the page soon sees the account connected', async () => {
    const { id } = await world.add.instance({ token: newToken('test_fresh'), status: 'Unknown' })
    const member = await world.add.user({ instances: [{ id }] })
    const ask = () => world.call(member, instances.qr, { params: { id } })
    const look = async () => {
      await world.db.run(sql`update instances set status_asked_at = 'epoch'`) // two seconds have passed
      return (await world.call(member, instances.get, { params: { id } })).body
    }

    const early = await ask()
    expect(early).toMatchObject({ status: 503, body: { code: 'qr_not_ready' } })
    expect(early.headers['retry-after']).toBe('2')
    await expect.poll(async () => (await ask()).status, { timeout: 5000 }).toBe(200)

    await expect.poll(async () => (await look()).status, { timeout: 5000 }).toBe('Connected')
    expect((await look()).whatsAppNumber).toMatch(/^84\d+$/)
    expect(world.syncRequests).toEqual([id])
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'already_connected' } })
  })

  //
  test('the QR code is a PNG as a data URI', async () => {
    const token = newToken('test_fresh')
    simulated.change(token, { state: 'QR' })
    const { id } = await world.add.instance({ token })

    const { body } = await world.call(await world.add.admin(), instances.qr, { params: { id } })

    expect(body.qr).toMatch(/^data:image\/png;base64,iVBORw0/)
  })

  test('while an account is being linked the provider is asked once in two seconds', async () => {
    const token = newToken('test_fresh')
    simulated.change(token, { state: 'QR', linkAfterMs: 60_000 })
    const { id } = await world.add.instance({ token, status: 'NeedsLogin' })
    const admin = await world.add.admin()

    for (let n = 0; n < 5; n++) await world.call(admin, instances.get, { params: { id } })

    const channel = simulated.simulator.channels.find(token)
    expect(channel?.requests.get('GET /health')).toBe(1)
  })

  //
  test('a number written the local way gets its pairing code', async () => {
    const token = newToken('test_fresh')
    simulated.change(token, { state: 'QR' })
    const { id } = await world.add.instance({ token, status: 'NeedsLogin' })
    const admin = await world.add.admin()
    const ask = (phone: string) =>
      world.call(admin, instances.pairingCode, { params: { id }, query: { phone } })

    expect(await ask('0901 234 567')).toMatchObject({
      status: 200,
      body: { code: expect.stringMatching(/^\w{4}-\w{4}$/) },
    })
    expect(simulated.simulator.channels.find(token)?.number).toBe('84901234567')
  })

  test.each(['', 'hello', '12', '0901'])(
    //
    'the phone number %j is refused on its field',
    async (phone) => {
      const { id } = await world.add.instance()

      const answer = await world.call(await world.add.admin(), instances.pairingCode, {
        params: { id },
        query: { phone },
      })

      expect(answer).toMatchObject({ status: 400, body: { fields: { phone: 'ACCOUNT.PHONE_REQUIRED' } } })
    },
  )

  test('an account that is connected already is seen so anew, for the page that waits to hear it', async () => {
    const { id } = await world.add.instance({ token: newToken(), status: 'Connected' })
    const admin = await world.add.admin()
    const params = { id }
    const query = { phone: '0901234567' }
    const seenAt = async () => (await world.call(admin, instances.get, { params })).body.statusSeenAt

    const before = await seenAt()
    const forQr = await world.call(admin, instances.qr, { params })
    const afterQr = await seenAt()
    const forCode = await world.call(admin, instances.pairingCode, { params, query })

    for (const answer of [forQr, forCode])
      expect(answer).toMatchObject({ status: 409, body: { code: 'already_connected' } })
    expect(new Set([before, afterQr, await seenAt()]).size).toBe(3)
  })

  //
  test('logging out unlinks the account; a second time there is nothing to unlink', async () => {
    const { id } = await world.add.instance({ token: newToken() })
    const member = await world.add.user({ instances: [{ id }] })
    const logOut = () => world.call(member, instances.logout, { params: { id } })

    expect((await logOut()).status).toBe(204)
    expect(await world.db.many(sql`select status from instances`)).toEqual([{ status: 'NeedsLogin' }])
    expect(await logOut()).toMatchObject({ status: 409, body: { code: 'already_logged_out' } })
  })

  //
  test('an inactive account is neither linked nor synced nor asked for', async () => {
    const token = newToken('test_fresh')
    const { id } = await world.add.instance({ token, isActive: false, status: 'NeedsLogin' })
    const admin = await world.add.admin()
    const params = { id }

    const answers = [
      await world.call(admin, instances.qr, { params }),
      await world.call(admin, instances.pairingCode, { params, query: { phone: '0901234567' } }),
      await world.call(admin, instances.sync, { params }),
    ]
    await world.call(admin, instances.get, { params })

    for (const answer of answers)
      expect(answer).toMatchObject({ status: 409, body: { code: 'instance_inactive' } })
    expect(simulated.simulator.channels.find(token)?.requests.size ?? 0).toBe(0)
  })

  test.each([
    ['a server error', { kind: 'status', status: 500 } as const, 'provider_error', /error \(500\)/],
    ['a lost connection', { kind: 'drop-before' } as const, 'provider_unreachable', /could not be reached/],
    ['an unpaid account', { kind: 'status', status: 402 } as const, 'account_unpaid', /not paid/],
    //
  ])('%s at the provider is said in plain words', async (_case, fault, why, words) => {
    const token = newToken('test_fresh')
    const { id } = await world.add.instance({ token })
    const admin = await world.add.admin()
    simulated.simulator.faults.add({ ...fault, token, path: '^/users/' })

    const answers = [
      await world.call(admin, instances.qr, { params: { id } }),
      await world.call(admin, instances.pairingCode, { params: { id }, query: { phone: '0901234567' } }),
      await world.call(admin, instances.logout, { params: { id } }),
    ]

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 502, body: { code: 'provider_failed', params: { why } } })
      expect(answer.body.error).toMatch(words)
      expect(answer.raw.toString()).not.toContain(token)
    }
  })

  test('a token the provider does not know shows as the status', async () => {
    const { id } = await world.add.instance({ token: newToken('test_unknown') })
    const admin = await world.add.admin()

    expect((await world.call(admin, instances.qr, { params: { id } })).status).toBe(502)

    expect((await world.call(admin, instances.get, { params: { id } })).body.status).toBe('BadToken')
  })
})

describe('asking for the groups', () => {
  //
  test('is taken at once and done in the background', async () => {
    const { id } = await world.add.instance()
    const member = await world.add.user({ instances: [{ id }] })

    expect((await world.call(member, instances.sync, { params: { id } })).status).toBe(202)
    expect(world.syncRequests).toEqual([id])
  })

  test('an account that is not connected is looked at first', async () => {
    const { id } = await world.add.instance({ token: newToken('test_fresh'), status: 'NeedsLogin' })
    const linked = await world.add.instance({ token: newToken(), status: 'NeedsLogin' })
    const admin = await world.add.admin()

    expect(await world.call(admin, instances.sync, { params: { id } })).toMatchObject({
      status: 409,
      body: { code: 'not_connected' },
    })
    expect((await world.call(admin, instances.sync, { params: linked })).status).toBe(202)
  })
})
