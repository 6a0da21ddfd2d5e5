import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { until } from '../until.ts'
import { addAccount, allSent, chatsOf, endedJob, orderJob, phoneNumbers, syncGroups } from './story.ts'

test('two workers and a server share a job mix without a double and without a miss', {
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

  const accounts = ['test_linked_a', 'test_linked_b', 'test_linked_c']
  const [a = 0, b = 0, c = 0] = await Promise.all(accounts.map((token) => addAccount(admin, token)))
  // The first ones of a channel are the odd ones, some of which may not be written to.
  const groups = (await syncGroups(admin, a)).filter(({ name }) => / \d+$/.test(name)).slice(0, 60)
  const numbers = phoneNumbers(120)
  const toGroups = { groupIds: groups.map(({ id }) => id) }
  const toNumbers = { jobType: 'SendToUsers', phoneNumbers: numbers.join(',') } as const
  const jobIds = await Promise.all([
    orderJob(admin, { text: 'a, groups', withImage: true, instanceId: a, ...toGroups }),
    orderJob(admin, { text: 'a, numbers', instanceId: a, ...toNumbers }),
    orderJob(admin, { text: 'b, numbers', withImage: true, instanceId: b, ...toNumbers }),
  ])
  // Only now, so that the one to be killed surely holds accounts.
  const stopped = home.launch(['worker'], env)
  jobIds.push(await orderJob(admin, { text: 'c, numbers', instanceId: c, ...toNumbers }))
  const total = groups.length + 3 * numbers.length
  const sent = async () => (await simulator.ledger()).length

  await until('a quarter is sent', async () => (await sent()) > total / 4)
  await killed.end('SIGKILL')
  await until('half is sent', async () => (await sent()) > total / 2, 60_000)
  home.launch(['worker'], env)
  expect(await stopped.end('SIGTERM')).toBe(0)
  expect(await sent()).toBeLessThan(total)

  const jobs = await Promise.all(jobIds.map((id) => endedJob(admin, id, 300_000)))
  const ledger = await simulator.ledger()
  const receivers = (text: string) =>
    ledger.filter(({ body, caption }) => (body ?? caption) === text).map(({ token, to }) => `${token} ${to}`)
  const expected = (token: string, chats: string[]) => chats.map((chat) => `${token} ${chat}`).sort()
  const chats = chatsOf(numbers)
  expect(receivers('a, numbers').sort()).toEqual(expected('test_linked_a', chats))
  expect(receivers('b, numbers').sort()).toEqual(expected('test_linked_b', chats))
  expect(receivers('c, numbers').sort()).toEqual(expected('test_linked_c', chats))
  expect(new Set(receivers('a, groups')).size).toBe(groups.length)
  expect(ledger).toHaveLength(total)
  for (const job of jobs)
    expect(job).toMatchObject({ status: 'Completed', recipients: allSent(job.recipients.total) })
  expect(jobs.reduce((sum, job) => sum + job.recipients.total, 0)).toBe(total)
})

test('a plain start with a database elsewhere makes its data folder, or says why it can’t', async () => {
  await using home = await Installation.create()
  await using database = await externalDatabase()
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key that is kept in another place',
    ADMIN_PASSWORD: 'secret1',
  }
  const sendroom = home.launch([], { ...env, DATA_DIR: join(home.dataDir, 'new') })
  await sendroom.says(/^Sendroom runs on/m)
  await sendroom.end('SIGTERM')
  // Not even root may make a folder there.
  expect(await home.run([], { ...env, DATA_DIR: '/sys/sendroom' })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      "The data folder /sys/sendroom can't be written by this user: give it the right, or set DATA_DIR to another folder.\n",
  })
})

/** A database of the test cluster at a URL such as operators give: that cluster listens on a Unix socket only. */
async function externalDatabase() {
  const { address, drop } = await createTestDatabase('template0')
  const relay = createServer((client) => {
    const upstream = connect(join(address.host, `.s.PGSQL.${address.port}`))
    for (const socket of [client, upstream]) socket.on('error', () => {})
    // A killed worker's connection is reset, which ends no pipe: its transaction would keep its locks for ever.
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const { port } = relay.address() as AddressInfo // a TCP server has one
  return {
    url: `postgres://${address.user}@127.0.0.1:${port}/${address.database}`,
    async [Symbol.asyncDispose]() {
      relay.close()
      await drop()
    },
  }
}
