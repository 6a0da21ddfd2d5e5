import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import type { LedgerEntry } from '@sendroom/simulator'
import { describe, expect, test } from 'vitest'
import { moveClockAt } from '../clock.ts'
import type { HttpClient } from '../http-client.ts'
import { killPostgres } from '../kill-postgres.ts'
import { startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, untilEnded } from './scenario.ts'

const numbers = phoneNumbers(200)
const KILLS = 3
/** Then the lease of a killed process has ended, and an empty chat is believed. */
const LOOKED_UP_AFTER = '40 seconds'

describe.concurrent('a job of 200 recipients reaches each of them once', { timeout: 300_000 }, () => {
  test('when the process is killed several times while the provider has a message', async () => {
    await using home = await readyInstallation()
    await using simulator = await startSimulatorProcess(home.dataDir)
    await simulator.setLatency(30)
    const env = { TEST_PROVIDER_URL: simulator.url }
    let sendroom = await home.start([], env)
    const admin = await home.signIn(sendroom)
    const jobId = await createLargeJob(admin)
    for (const count of killsAfter(1)) {
      const hasMore = (than: number) => async () => (await simulator.ledger()).length > than
      await until(`${count} messages`, hasMore(count - 1), 60_000)
      // The next message stays unanswered, so that the kill hits it.
      await simulator.setLatency(60_000)
      const before = (await simulator.ledger()).length
      await until('the provider has a message', hasMore(before))
      await sendroom.end('SIGKILL')
      await simulator.setLatency(30)
      await moveClockAt(home.database, LOOKED_UP_AFTER)
      expect((await simulator.ledger()).length).toBeLessThan(numbers.length)
      sendroom = await home.start([], env)
      admin.url = sendroom.url
    }
    const { logs } = await expectEachOnce(admin, jobId, () => simulator.ledger())
    // Otherwise the kills hit no send, and this test proves nothing.
    expect(logs.some(({ reason }) => reason.code === 'delivery_found')).toBe(true)
  })

  test('when PostgreSQL is killed under the running process', async () => {
    await using home = await readyInstallation()
    const sendroom = await home.start()
    const admin = await home.signIn(sendroom)
    const ledger = () => journalOf(home.dataDir)
    const jobId = await createLargeJob(admin)
    for (const count of killsAfter(2)) {
      await until(`${count} messages`, () => ledger().length >= count, 60_000)
      // The requests begin before the kill, because a PostgreSQL with its files in memory is back at once.
      const [refused] = await Promise.all([untilRefused(admin), killPostgres(home.database)])
      expect(ledger().length).toBeLessThan(numbers.length)
      expect(refused).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await untilAnswered(admin)
    }
    await expectEachOnce(admin, jobId, ledger)
    expect(sendroom.isRunning).toBe(true)
  })
})

async function createLargeJob(admin: HttpClient) {
  const instanceId = await addInstance(admin, 'test_linked_kill')
  return createJob(admin, {
    ...{ text: 'Hello everybody', withImage: true, instanceId },
    ...{ jobType: 'SendToUsers', phoneNumbers: numbers.join('\n') },
  })
}

async function expectEachOnce(
  admin: HttpClient,
  jobId: number,
  ledger: () => LedgerEntry[] | Promise<LedgerEntry[]>,
) {
  // A message in doubt is looked up for 30 seconds or more before it is sent again.
  const job = await untilEnded(admin, jobId, 120_000)
  const sent = await ledger()
  expect(sent.map((entry) => entry.to).sort()).toEqual(chatsOf(numbers))
  expect(sent.every(({ caption, media }) => caption === 'Hello everybody' && media)).toBe(true)
  expect(job).toMatchObject({ status: 'Completed', progress: 100, recipients: allSent(numbers.length) })
  return job
}

/**
 * After how many messages to kill: spread over the first half of the job, the same each time. A busy machine, which
 * kills late, still does so before the end.
 */
function killsAfter(seed: number): number[] {
  const part = numbers.length / 2 / KILLS
  const chance = (index: number) => ((seed * 7919 + index * 104_729) % 1000) / 1000
  return Array.from({ length: KILLS }, (_, index) => Math.floor((index + chance(index)) * part) + 1)
}

/** Reads what the simulator inside the process has accepted from the simulator's file. */
function journalOf(dataDir: string): LedgerEntry[] {
  const lines = readFileSync(join(dataDir, 'simulator.jsonl'), 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line).sent).filter(Boolean)
}

const untilRefused = (admin: HttpClient) =>
  until('a request is refused', async () => {
    const answer = await admin.call(contract.jobs.list, {})
    return answer.status !== 200 && answer
  })

const untilAnswered = (admin: HttpClient) =>
  until('the database is back', async () => {
    const { status } = await admin.call(contract.jobs.list, {})
    expect([200, 503]).toContain(status)
    return status === 200
  })
