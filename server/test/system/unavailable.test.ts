import { appendFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { externalDatabase } from '../external-database.ts'
import { Followed } from '../followed.ts'
import type { HttpClient } from '../http-client.ts'
import { postmasterOf } from '../kill-postgres.ts'
import { Installation, type Sendroom, startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, untilEnded } from './scenario.ts'

type Outage = {
  url: string
  begin: () => void
  end: () => unknown
  [Symbol.asyncDispose]: () => Promise<void>
}

const numbers = phoneNumbers(100)

//
describe.concurrent('everything continues by itself after the database', { timeout: 240_000 }, () => {
  test('refused all connections', () => expectToSurvive(refusing))
  test('swallowed everything', () => expectToSurvive(silent))
  test('accepted no writes', () => expectToSurvive(readOnly))
})

async function expectToSurvive(openDatabase: () => Promise<Outage>) {
  await using home = await Installation.create({ LOG_LEVEL: 'info' })
  await using database = await openDatabase()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await simulator.setLatency(20)
  const sendroom = await home.start([], { DATABASE_URL: database.url, TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const instanceId = await addInstance(admin, 'test_linked_away')
  const jobId = await createJob(admin, {
    ...{ text: 'Hello', instanceId, jobType: 'SendToUsers', phoneNumbers: numbers.join(',') },
  })
  let pages = await follow(sendroom, admin)
  await until('some messages are sent', async () => (await simulator.ledger()).length > 20)

  const logged = logOf(sendroom).length
  database.begin()
  await until('Sendroom is not ready', async () => (await ready(sendroom)).status === 503)
  await until('the log says so', () => logOf(sendroom).length > logged)
  await expectRefusals(sendroom, admin)
  const sentBefore = (await simulator.ledger()).length
  expect(sentBefore).toBeLessThan(numbers.length)
  await until('the open pages are disconnected', () => pages.hasEnded)
  expect((await simulator.ledger()).length).toBeLessThan(sentBefore + 2)
  await database.end()

  await until('Sendroom is ready', async () => (await ready(sendroom)).status === 200)
  await until('open pages are notified', async () => {
    if (pages.hasEnded) pages = await follow(sendroom, admin)
    return pages.changes.length > 0
  })
  const ended = { status: 'Completed', recipients: allSent(numbers.length) }
  expect(await untilEnded(admin, jobId, 150_000)).toMatchObject(ended)
  expect((await simulator.ledger()).map(({ to }) => to).sort()).toEqual(chatsOf(numbers))
  expect(sendroom.isRunning).toBe(true)
  // After half a minute without a worker, a line tells of that too.
  const ofDatabase = logOf(sendroom)
    .slice(logged)
    .filter((line) => line.startsWith('The database '))
  expect(ofDatabase).toEqual(['The database is unavailable, waiting', 'The database is available again'])
}

const ready = ({ url }: Sendroom) => fetch(`${url}/api/ready`)

/** Sign-ins, reads and writes are refused in the same way, and at once. */
async function expectRefusals(sendroom: Sendroom, admin: HttpClient) {
  const body = { username: 'admin', password: 'wrong' }
  const requests = [
    () => admin.call(contract.session.login, { body }),
    () => admin.call(contract.jobs.list, {}),
    () => admin.call(contract.messages.create, { body: { textContent: 'Hello' } }),
  ]
  for (const request of requests) {
    const begin = performance.now()
    const { status, headers, body } = await request()
    // A request that waits for a connection takes five seconds.
    expect(performance.now() - begin).toBeLessThan(4500)
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await ready(sendroom)).headers.get('retry-after')).toBe('2')
}

async function follow({ url }: Sendroom, { token }: HttpClient) {
  const { body } = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
  if (!body) throw new Error('There is no stream.')
  return new Followed(body)
}

const logOf = ({ stderr }: Sendroom): string[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).msg)

async function refusing(): Promise<Outage> {
  const database = await externalDatabase()
  const { proxy } = database
  return { ...database, begin: () => proxy.close(), end: () => proxy.reopen() }
}

/** Neither refuses nor ends anything. What was swallowed is lost. */
async function silent(): Promise<Outage> {
  const database = await externalDatabase()
  const { proxy } = database
  const end = () => {
    proxy.cut()
    proxy.unblock()
  }
  return { ...database, begin: () => proxy.block(), end }
}

/** A PostgreSQL that turns read-only without cutting a connection, as a demoted primary may. */
async function readOnly(): Promise<Outage> {
  const home = await readyInstallation()
  const { superuser, stop } = await startCluster(home.dataDir, console)
  const proxy = await DatabaseProxy.open(superuser)
  const settings = join(superuser.host, 'postgresql.auto.conf')
  const reload = () => process.kill(postmasterOf(superuser), 'SIGHUP')
  return {
    url: `postgres://${superuser.user}@${proxy.address}/${superuser.database}`,
    begin() {
      appendFileSync(settings, 'default_transaction_read_only = on\n')
      reload()
    },
    end() {
      truncateSync(settings)
      reload()
    },
    async [Symbol.asyncDispose]() {
      proxy.close()
      await stop()
    },
  }
}
