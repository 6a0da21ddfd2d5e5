import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { identifier, sql } from '../../src/platform/database/sql.ts'
import { moveClockAt } from '../clock.ts'
import { DatabaseProxy } from '../database-proxy.ts'
import { externalDatabase } from '../external-database.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, syncGroups, untilEnded } from './scenario.ts'

test('two workers and a server share several jobs, and each recipient gets the message once', {
  timeout: 420_000,
}, async () => {
  await using home = await Installation.create()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await using database = await externalDatabase()
  await simulator.setLatency(10)
  const env = { DATABASE_URL: database.url, TEST_PROVIDER_URL: simulator.url }
  const server = await home.start(['server'], env)
  const killed = home.launch(['worker'], env)
  const admin = await home.signIn(server)

  const instances = ['test_linked_a', 'test_linked_b', 'test_linked_c']
  const [a = 0, b = 0, c = 0] = await Promise.all(instances.map((token) => addInstance(admin, token)))
  // Groups without a number in their name are special cases of the simulator, and some of them refuse messages.
  const groups = (await syncGroups(admin, a)).filter(({ name }) => / \d+$/.test(name)).slice(0, 60)
  const numbers = phoneNumbers(120)
  const toGroups = { groupIds: groups.map(({ id }) => id) }
  const toNumbers = { jobType: 'SendToUsers', phoneNumbers: numbers.join(',') } as const
  const jobIds = await Promise.all([
    createJob(admin, { text: 'a, groups', withImage: true, instanceId: a, ...toGroups }),
    createJob(admin, { text: 'a, numbers', instanceId: a, ...toNumbers }),
    createJob(admin, { text: 'b, numbers', withImage: true, instanceId: b, ...toNumbers }),
  ])
  // Started only now, so that the worker that is killed has claimed instances for certain.
  const stopped = home.launch(['worker'], env)
  jobIds.push(await createJob(admin, { text: 'c, numbers', instanceId: c, ...toNumbers }))
  const total = groups.length + 3 * numbers.length
  const sent = async () => (await simulator.ledger()).length
  /** A lease lasts 20 s. The workers that live renew theirs with each intent. */
  const nearlyEndLeases = () => moveClockAt(database.address, '19 seconds')

  await until('a quarter of the messages is sent', async () => (await sent()) > total / 4)
  await killed.end('SIGKILL')
  await nearlyEndLeases()
  await until('half of the messages is sent', async () => (await sent()) > total / 2, 60_000)
  home.launch(['worker'], env)
  expect(await stopped.end('SIGTERM')).toBe(0)
  expect(await sent()).toBeLessThan(total)
  // Empty chats are believed half a minute after the killed worker's last intents.
  await nearlyEndLeases()

  const jobs = await Promise.all(jobIds.map((id) => untilEnded(admin, id, 300_000)))
  const ledger = await simulator.ledger()
  const recipientsOf = (text: string) =>
    ledger.filter(({ body, caption }) => (body ?? caption) === text).map(({ token, to }) => `${token} ${to}`)
  const expected = (token: string, chats: string[]) => chats.map((chat) => `${token} ${chat}`).sort()
  const chats = chatsOf(numbers)
  expect(recipientsOf('a, numbers').sort()).toEqual(expected('test_linked_a', chats))
  expect(recipientsOf('b, numbers').sort()).toEqual(expected('test_linked_b', chats))
  expect(recipientsOf('c, numbers').sort()).toEqual(expected('test_linked_c', chats))
  expect(new Set(recipientsOf('a, groups')).size).toBe(groups.length)
  expect(ledger).toHaveLength(total)
  for (const job of jobs)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(job.recipients.total) })
  expect(jobs.reduce((sum, job) => sum + job.recipients.total, 0)).toBe(total)
})

test('a start with an external database creates its data folder, or says why that fails', async () => {
  await using home = await Installation.create()
  await using database = await externalDatabase('template0')
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key that is kept in another place',
    ADMIN_PASSWORD: 'secret-1',
  }
  const sendroom = home.launch([], { ...env, DATA_DIR: join(home.dataDir, 'new') })
  await sendroom.says(/^Sendroom is running at/m)
  await sendroom.end('SIGTERM')
  // Not even root may create a folder there.
  expect(await home.run([], { ...env, DATA_DIR: '/sys/sendroom' })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'This user cannot write to the data folder /sys/sendroom. Grant write access, or set DATA_DIR to another folder.\n',
  })
})

describe('with two servers in DATABASE_URL, the second one is used', { timeout: 120_000 }, () => {
  test('when the first is down', async () => {
    await using database = await externalDatabase()
    await expectToDeliver(`127.0.0.1:1,${database.host}`, database)
  })

  test('when the first accepts no writes', async () => {
    await using database = await externalDatabase()
    await using standby = await readOnlyServer(database.name)
    await expectToDeliver(`${standby.host},${database.host}`, database)
  })
})

async function expectToDeliver(hosts: string, { user, name }: { user: string; name: string }) {
  await using home = await Installation.create({ DATABASE_URL: `postgres://${user}@${hosts}/${name}` })
  const admin = await home.signIn(await home.start())
  const instanceId = await addInstance(admin, 'test_linked')
  const numbers = phoneNumbers(5)
  const job = { jobType: 'SendToUsers', phoneNumbers: numbers.join(',') } as const
  const jobId = await createJob(admin, { text: 'Hello', instanceId, ...job })
  expect(await untilEnded(admin, jobId, 60_000)).toMatchObject({
    status: 'Completed',
    recipients: allSent(5),
  })
}

/** Starts a PostgreSQL with a database of this name that refuses all writes, as a standby does. */
async function readOnlyServer(name: string) {
  const home = await readyInstallation()
  const cluster = await startCluster(home.dataDir, console)
  const db = connect(cluster.superuser, { max: 1, applicationName: 'sendroom test' })
  await db.run(sql`create database ${identifier(name)}`)
  await db.run(sql`alter system set default_transaction_read_only = on`)
  await db.run(sql`select pg_reload_conf()`)
  await db.end()
  const proxy = await DatabaseProxy.open(cluster.superuser)
  return {
    host: proxy.address,
    async [Symbol.asyncDispose]() {
      proxy.close()
      await cluster.stop()
    },
  }
}
