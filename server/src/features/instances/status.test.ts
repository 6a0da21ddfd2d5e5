import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { readDueStatuses } from './status.ts'

const simulated = useSimulator({ groupsPerChannel: 5 })
const context = useContext()

const readDue = ({ withTest = true, expiry }: { withTest?: boolean; expiry?: string } = {}) => {
  const { live, test: simulator } = simulated.providers()
  const test = simulator && expiry ? { ...simulator, expiry: async () => expiry } : simulator
  const deps = {
    db: context.db,
    secrets: context.secrets,
    providers: { live, test: withTest ? test : null },
    webhookBase: () => null,
  }
  return readDueStatuses(deps, new AbortController().signal)
}

const statusOf = async (id: number) =>
  (await context.db.many(sql`select status from instances where id = ${id}`))[0]?.status

const callsOf = (token: string) => simulated.simulator.channels.find(token)?.requests.get('GET /health') ?? 0

test('each active instance that is due is read once, and an inactive one never', async () => {
  const ids: number[] = []
  for (let n = 0; n < 25; n++)
    ids.push((await context.add.instance({ token: `test_linked_due_${n}`, status: 'Unknown' })).id)
  const inactive = await context.add.instance({ token: 'test_linked_due_off', isActive: false })

  await readDue()
  await readDue()

  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'Connected'))
  expect(callsOf('test_linked_due_24')).toBe(1)
  expect(callsOf(inactive.token)).toBe(0)
})

test('an instance with a job to people shows a restriction of WhatsApp and its end', async () => {
  const { id, token } = await context.add.instance({ token: 'test_linked_restricted' })
  const until = Math.floor(Date.now() / 1000) + 86_400
  simulated.change(token, { restrictedUntil: until })
  const admin = await context.add.admin()
  const waiting = async () =>
    (await context.call(admin, contract.instances.get, { params: { id } })).body.waiting

  await readDue()
  expect(await waiting()).toBeNull()
  await context.add.job({ instanceId: id, recipients: ['84901@s.whatsapp.net'], status: 'Running' })
  await context.shiftClock('2 minutes')
  await readDue()
  expect(await waiting()).toEqual({ code: 'account_restricted', params: {} })

  simulated.change(token, { restrictedUntil: 0 })
  await context.shiftClock('4 minutes')
  await readDue()
  expect(await waiting()).toBeNull()
})

test('two workers never read the same instance', async () => {
  for (let n = 0; n < 12; n++) await context.add.instance({ token: `test_linked_two_${n}` })

  await Promise.all([readDue(), readDue(), readDue()])

  for (let n = 0; n < 12; n++) expect(callsOf(`test_linked_two_${n}`)).toBe(1)
})

test('a real instance is read once an hour, a test-mode instance every minute', async () => {
  simulated.change('live-status', { state: 'AUTH' })
  await context.add.instance({ token: 'live-status' })
  await context.add.instance({ token: 'test_linked_often' })

  await readDue()
  await context.shiftClock('59 minutes')
  await readDue()
  expect([callsOf('live-status'), callsOf('test_linked_often')]).toEqual([1, 2])
  await context.shiftClock('61 minutes')
  await readDue()
  expect(callsOf('live-status')).toBe(2)
})

test('reading the status does not wake a sleeping instance', async () => {
  const { id, token } = await context.add.instance({ token: 'test_sleeping' })

  await readDue()

  expect(await statusOf(id)).toBe('Connecting')
  expect(simulated.simulator.channels.find(token)?.wokenAt).toBeNull()
})

test('an instance that is connected again resumes sending, and its groups are synced', async () => {
  const waiting = { code: 'account_not_linked', params: {} }
  const { id } = await context.add.instance({
    token: 'test_linked_again',
    status: 'NeedsLogin',
    waiting: json(waiting),
    lastSyncAt: '2026-01-01T00:00:00Z',
  })

  await readDue()

  expect(await context.db.many(sql`select waiting from instances where id = ${id}`)).toEqual([
    { waiting: null },
  ])
  expect(await context.dueSyncs()).toEqual([id])
})

test('a provider that does not answer leaves the known status, and other instances are read', async () => {
  const failing = await context.add.instance({ token: 'test_linked_lost', status: 'NeedsLogin' })
  const other = await context.add.instance({ token: 'test_linked_other', status: 'Unknown' })
  simulated.simulator.faults.add({ kind: 'drop-before', token: failing.token })

  await readDue()

  expect([await statusOf(failing.id), await statusOf(other.id)]).toEqual(['NeedsLogin', 'Connected'])
})

test('a worker without a simulator skips test-mode instances', async () => {
  const { token } = await context.add.instance({ token: 'test_linked_elsewhere' })

  await readDue({ withTest: false })

  expect(callsOf(token)).toBe(0)
})

test('the provider’s end of the paid term replaces the date of the form, which stays otherwise', async () => {
  const { id } = await context.add.instance({ expiredTime: '2027-01-01T00:00:00.000Z' })
  const expiredTime = async () =>
    (await context.db.many(sql`select expired_time from instances where id = ${id}`))[0]

  await readDue()
  expect(await expiredTime()).toEqual({ expiredTime: '2027-01-01T00:00:00.000Z' })

  await context.shiftClock('2 minutes')
  await readDue({ expiry: '2027-02-02T00:00:00.000Z' })
  expect(await expiredTime()).toEqual({ expiredTime: '2027-02-02T00:00:00.000Z' })
})
