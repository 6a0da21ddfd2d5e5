import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { Followed } from '../followed.ts'
import { HttpClient } from '../http-client.ts'
import { runMixedLoad } from '../mixed-load.ts'
import { pgBouncerVersion, startPgBouncer } from '../pgbouncer.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, untilEnded } from './scenario.ts'

/** The measurement in docs/decisions/0018: POOLER_SECONDS=600 POOLER_CLIENTS=200. */
const SECONDS = Number(process.env.POOLER_SECONDS ?? 20)
const CLIENTS = Number(process.env.POOLER_CLIENTS ?? 30)
/** Several clients may be one user, who may make 1,200 requests a minute. */
const CLIENTS_PER_USER = 10
/** The job has so many messages that it runs for about as long as the clients work, on a busy machine too. */
const MESSAGES_PER_SECOND = 10
const SEND_MS = 70

const version = pgBouncerVersion()
if (!version) console.warn('PgBouncer is not installed, so the tests behind it are skipped.')

describe.skipIf(!version)(
  'behind a PgBouncer in transaction mode',
  { timeout: (SECONDS + 180) * 1000 },
  () => {
    test('two servers answer every request while a job runs', async () => {
      await using home = await Installation.create()
      await using simulator = await startSimulatorProcess(home.dataDir)
      await using pooled = await pooledDatabase()
      await simulator.setLatency(SEND_MS)
      const env = { ...pooled.env, TEST_PROVIDER_URL: simulator.url }
      const servers = [await home.start(['server'], env), await home.start(['server'], env)] as const
      const worker = home.launch(['worker'], env)
      const admin = await home.signIn(servers[0])
      const instanceId = await addInstance(admin, 'test_linked_pooler')
      const numbers = phoneNumbers(SECONDS * MESSAGES_PER_SECOND)
      const phones = { jobType: 'SendToUsers', phoneNumbers: numbers.join(',') } as const
      const jobId = await createJob(admin, { text: 'Hello', instanceId, ...phones })
      const clients = await signInClients(admin, servers)
      const streams = await Promise.all(clients.slice(0, 2).map(follow))

      const figures = await runMixedLoad(clients, { instanceId, jobId, seconds: SECONDS })
      console.info(`${version}, ${CLIENTS} clients, ${SECONDS} s: ${JSON.stringify(figures)}`)

      expect(figures.failures).toEqual({})
      expect(figures.requests).toBeGreaterThan(CLIENTS * SECONDS * 0.1)
      expect(streams.every((stream) => stream.changes.length > 0 && !stream.hasEnded)).toBe(true)
      expect(await untilEnded(admin, jobId, 120_000)).toMatchObject({ recipients: allSent(numbers.length) })
      expect((await simulator.ledger()).map(({ to }) => to).sort()).toEqual(chatsOf(numbers).sort())
      expect([...servers, worker].map(({ stderr }) => stderr)).toEqual(['', '', ''])
    })

    test('a server or worker without DATABASE_DIRECT_URL says in one sentence what to set', async () => {
      await using home = await Installation.create()
      await using pooled = await pooledDatabase()
      const { DATABASE_URL } = pooled.env
      const sentence = (variable: string, advice: string) =>
        `${variable} leads to a pooler that shares sessions, such as PgBouncer in transaction mode. ${advice} to the address of the database itself.\n`
      const refused = (stderr: string) => ({ code: 1, stdout: '', stderr })

      expect(await home.run(['server'], { DATABASE_URL })).toEqual(
        refused(sentence('DATABASE_URL', 'Set DATABASE_DIRECT_URL')),
      )
      expect(await home.run(['worker'], { DATABASE_URL, DATABASE_DIRECT_URL: DATABASE_URL })).toEqual(
        refused(sentence('DATABASE_DIRECT_URL', 'Set it')),
      )
    })

    test('two URLs of different databases are refused', async () => {
      await using home = await Installation.create()
      await using pooled = await pooledDatabase()
      await using other = await pooledDatabase()
      const env = { ...pooled.env, DATABASE_DIRECT_URL: other.env.DATABASE_DIRECT_URL }
      expect(await home.run(['server'], env)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^DATABASE_URL and DATABASE_DIRECT_URL lead to different databases/),
      })
    })
  },
)

async function pooledDatabase() {
  const { address, drop } = await createTestDatabase('template0')
  const pooler = await startPgBouncer(address)
  const { host, port, user, database } = address
  const direct = `postgres://${user}@${encodeURIComponent(host)}:${port}/${database}`
  return {
    env: { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct },
    async [Symbol.asyncDispose]() {
      await pooler[Symbol.asyncDispose]()
      await drop()
    },
  }
}

/** Signs in several users, with half of their clients on each server. */
async function signInClients(admin: HttpClient, servers: readonly { url: string }[]): Promise<HttpClient[]> {
  const clients: HttpClient[] = []
  for (let user = 0; clients.length < CLIENTS; user++) {
    const credentials = { username: `client ${user}`, password: 'secret-1' }
    const email = `client${user}@example.com`
    await admin.ask(contract.users.create, { body: { ...credentials, email, role: 'Admin' } })
    const { token } = await admin.ask(contract.session.login, { body: credentials })
    for (let nth = 0; nth < CLIENTS_PER_USER && clients.length < CLIENTS; nth++)
      clients.push(new HttpClient(servers[nth % servers.length]?.url ?? '', token))
  }
  return clients
}

async function follow({ url, token }: HttpClient) {
  const { body } = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
  if (!body) throw new Error('There is no stream.')
  return new Followed(body)
}
