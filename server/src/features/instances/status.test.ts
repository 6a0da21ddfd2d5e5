import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSimulator } from '../../../test/simulated.ts'
import { useWorld } from '../../../test/world.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { readDueStatuses } from './status.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const world = useWorld()

const readDue = (given: { withTest?: boolean; expiry?: string } = {}) => {
  const { live, test: simulator } = simulated.providers()
  const { expiry } = given
  const test = simulator && expiry ? { ...simulator, expiry: async () => expiry } : simulator
  const parts = {
    db: world.db,
    secrets: world.secrets,
    providers: { live, test: given.withTest === false ? null : test },
    requestSync: async (id: number) => void world.syncRequests.push(id),
    webhookBase: () => null,
  }
  return readDueStatuses(parts, new AbortController().signal)
}

const statusOf = async (id: number) =>
  (await world.db.many(sql`select status from instances where id = ${id}`))[0]?.status

const asked = (token: string) => simulated.simulator.channels.find(token)?.requests.get('GET /health') ?? 0

test('all active accounts that are due are read, once; inactive ones never', async () => {
  const ids: number[] = []
  for (let n = 0; n < 25; n++)
    ids.push((await world.add.instance({ token: `test_linked_due_${n}`, status: 'Unknown' })).id)
  const inactive = await world.add.instance({ token: 'test_linked_due_off', isActive: false })

  await readDue()
  await readDue()

  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'Connected'))
  expect(asked('test_linked_due_24')).toBe(1)
  expect(asked(inactive.token)).toBe(0)
})

test('an account that writes to people is asked whether it may, and shows when it may not', async () => {
  const { id, token } = await world.add.instance({ token: 'test_linked_restricted' })
  const until = Math.floor(Date.now() / 1000) + 86_400
  simulated.change(token, { restrictedUntil: until })
  const admin = await world.add.admin()
  const waiting = async () =>
    (await world.call(admin, contract.instances.get, { params: { id } })).body.waiting

  await readDue()
  expect(await waiting()).toBeNull()
  await world.add.job({ instanceId: id, recipients: ['84901@s.whatsapp.net'], status: 'Running' })
  await world.shiftClock('2 minutes')
  await readDue()
  expect(await waiting()).toEqual({ code: 'account_restricted', params: {} })

  simulated.change(token, { restrictedUntil: 0 })
  await world.shiftClock('4 minutes')
  await readDue()
  expect(await waiting()).toBeNull()
})

test('two workers never ask for the same account', async () => {
  for (let n = 0; n < 12; n++) await world.add.instance({ token: `test_linked_two_${n}` })

  await Promise.all([readDue(), readDue(), readDue()])

  for (let n = 0; n < 12; n++) expect(asked(`test_linked_two_${n}`)).toBe(1)
})

test('a real account is asked once an hour, a test-mode account every minute', async () => {
  simulated.change('live-status', { state: 'AUTH' })
  await world.add.instance({ token: 'live-status' })
  await world.add.instance({ token: 'test_linked_often' })

  await readDue()
  await world.shiftClock('59 minutes')
  await readDue()
  expect([asked('live-status'), asked('test_linked_often')]).toEqual([1, 2])
  await world.shiftClock('61 minutes')
  await readDue()
  expect(asked('live-status')).toBe(2)
})

test('reading does not wake an account that sleeps', async () => {
  const { id, token } = await world.add.instance({ token: 'test_sleeping' })

  await readDue()

  expect(await statusOf(id)).toBe('Connecting')
  expect(simulated.simulator.channels.find(token)?.wokenAt).toBeNull()
})

test('an account found connected again goes on, and its groups are read', async () => {
  const waiting = { code: 'account_not_linked', params: {} }
  const { id } = await world.add.instance({
    token: 'test_linked_again',
    status: 'NeedsLogin',
    waiting: json(waiting),
    lastSyncAt: '2026-01-01T00:00:00Z',
  })

  await readDue()

  expect(await world.db.many(sql`select waiting from instances where id = ${id}`)).toEqual([
    { waiting: null },
  ])
  expect(world.syncRequests).toEqual([id])
})

test.each([
  ['QR', 'NeedsLogin'],
  ['ERROR', 'Disconnected'],
  ['SYNC_ERROR', 'Degraded'],
  ['STOP', 'Unpaid'],
] as const)('an account in %s shows as %s', async (state, status) => {
  const { id, token } = await world.add.instance({ token: `test_linked_${state}` })
  simulated.change(token, { state })

  await readDue()

  expect(await statusOf(id)).toBe(status)
})

test('a provider that can not be reached leaves what was known, and the others are read', async () => {
  const lost = await world.add.instance({ token: 'test_linked_lost', status: 'NeedsLogin' })
  const other = await world.add.instance({ token: 'test_linked_other', status: 'Unknown' })
  simulated.simulator.faults.add({ kind: 'drop-before', token: lost.token })

  await readDue()

  expect([await statusOf(lost.id), await statusOf(other.id)]).toEqual(['NeedsLogin', 'Connected'])
})

test('a worker without a simulator leaves test-mode accounts to others', async () => {
  const { token } = await world.add.instance({ token: 'test_linked_elsewhere' })

  await readDue({ withTest: false })

  expect(asked(token)).toBe(0)
})

test('the end of an account’s term is kept where the provider tells it; else the date on the form stays', async () => {
  const { id } = await world.add.instance({ expiredTime: '2027-01-01T00:00:00.000Z' })
  const known = async () => (await world.db.many(sql`select expired_time from instances where id = ${id}`))[0]

  await readDue()
  expect(await known()).toEqual({ expiredTime: '2027-01-01T00:00:00.000Z' })

  await world.shiftClock('2 minutes')
  await readDue({ expiry: '2027-02-02T00:00:00.000Z' })
  expect(await known()).toEqual({ expiredTime: '2027-02-02T00:00:00.000Z' })
})
