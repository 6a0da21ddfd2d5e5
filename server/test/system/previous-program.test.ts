import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { findCountDifferences } from '../../src/platform/counts.ts'
import { createTestDatabase } from '../database.ts'
import type { HttpClient } from '../http-client.ts'
import { checkOutPreviousProgram, hasPreviousProgram, PREVIOUS_COMMIT } from '../previous-program.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { until } from '../until.ts'
import { urlOf } from '../url-of.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, untilEnded } from './scenario.ts'

const isMissing = !hasPreviousProgram()
if (isMissing)
  console.warn(`Upgrades are not tested: git does not have the previous program, ${PREVIOUS_COMMIT}.`)

test.skipIf(isMissing)(
  'the previous program serves and sends while the new one upgrades the database',
  {
    timeout: 300_000,
  },
  async () => {
    using previous = checkOutPreviousProgram()
    await using home = await Installation.create()
    await using simulator = await startSimulatorProcess(home.dataDir)
    const { db, address, drop } = await createTestDatabase('template0')
    await using _ = { [Symbol.asyncDispose]: drop }
    const env = { DATABASE_URL: urlOf(address), TEST_PROVIDER_URL: simulator.url }
    await simulator.setLatency(20)
    const sent = async () => (await simulator.ledger()).length

    const oldServer = await home.start(['server'], env, previous.root)
    const oldWorker = home.launch(['worker'], env, previous.root)
    const admin = await home.signIn(oldServer)
    const numbers = phoneNumbers(250)
    const toNumbers = { jobType: 'SendToUsers', phoneNumbers: numbers.join(',') } as const
    const instanceId = await addInstance(admin, 'test_linked_a')
    const jobId = await createJob(admin, { text: 'a', withImage: true, instanceId, ...toNumbers })
    await until('the job runs', async () => (await sent()) > 20)

    // The start may take long, and the jobs must not end before all processes have worked.
    await simulator.setLatency(1000)
    const newServer = await home.start(['server'], env)
    await simulator.setLatency(20)
    const upgradedAt = await sent()
    await until('the old worker sends on', async () => (await sent()) > upgradedAt + 50)
    await expectToServe(admin, jobId)
    const otherId = await addInstance(admin, 'test_linked_b')
    const otherJobId = await createJob(admin, { text: 'b', instanceId: otherId, ...toNumbers })

    home.launch(['worker'], env)
    const together = await sent()
    await until('old and new workers send', async () => (await sent()) > together + 100)
    await simulator.setLatency(1000)
    await expectToServe(admin, jobId)
    const successor = await home.signIn(newServer)
    await expectToServe(successor, otherJobId)
    expect(await oldWorker.end('SIGTERM')).toBe(0)
    expect(await oldServer.end('SIGTERM')).toBe(0)
    expect(await sent()).toBeLessThan(2 * numbers.length)
    await simulator.setLatency(0)
    expect(oldWorker.stderr + oldServer.stderr).toBe('')

    for (const id of [jobId, otherJobId])
      expect(await untilEnded(successor, id, 60_000)).toMatchObject({
        status: 'Completed',
        recipients: allSent(numbers.length),
      })
    for (const token of ['test_linked_a', 'test_linked_b'])
      expect((await simulator.ledger(token)).map(({ to }) => to).sort()).toEqual(chatsOf(numbers).sort())

    expect(await findCountDifferences(db)).toEqual([])

    const { code, stderr } = await home.run(['server'], env, previous.root)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The database was last used by a newer version .*\n$/),
    ])
  },
)

/** Reads every page and writes a message. */
async function expectToServe(client: HttpClient, jobId: number) {
  const { jobs, instances, messages, groups, dashboard, audit, users } = contract
  const params = { id: jobId }
  await client.ask(jobs.list, { query: {} })
  await client.ask(jobs.get, { params })
  await client.ask(jobs.logs, { params, query: {} })
  await client.ask(jobs.recipients, { params, query: {} })
  await client.ask(instances.list, { query: {} })
  await client.ask(groups.search, { body: {} })
  await client.ask(users.list, { query: {} })
  await client.ask(dashboard.stats, { query: {} })
  await client.ask(audit.list, { query: {} })
  await client.ask(messages.create, { body: { textContent: 'Hello' } })
  await client.ask(messages.list, { query: {} })
}
