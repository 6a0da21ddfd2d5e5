import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../simulator/src/ledger.ts'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { HttpClient } from '../http-client.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { until } from '../until.ts'
import { addAccount, allSent, chatsOf, endedJob, orderJob, phoneNumbers } from './story.ts'

const numbers = phoneNumbers(200)
const KILLS = 3

describe.concurrent('a job of 200 recipients reaches each of them once', { timeout: 180_000 }, () => {
  test('when the process is killed again and again', async () => {
    await using home = await Installation.create()
    let sendroom = await home.start()
    const admin = await home.signIn(sendroom)
    const ledger = () => journalOf(home.dataDir)
    const jobId = await orderLargeJob(admin)
    for (const count of moments(1)) {
      await until(`${count} messages`, () => ledger().length >= count, 60_000)
      await sendroom.end('SIGKILL')
      expect(ledger().length).toBeLessThan(numbers.length)
      sendroom = await home.start()
      admin.url = sendroom.url
    }
    await expectEachOnce(admin, jobId, ledger)
  })

  test('when it is killed while a message is at the provider', async () => {
    await using home = await Installation.create()
    await using simulator = await startSimulatorProcess(home.dataDir)
    await simulator.setLatency(30)
    const env = { TEST_PROVIDER_URL: simulator.url }
    let sendroom = await home.start([], env)
    const admin = await home.signIn(sendroom)
    const jobId = await orderLargeJob(admin)
    for (const count of moments(2)) {
      await until(`${count} messages`, async () => (await simulator.ledger()).length >= count, 60_000)
      await sendroom.end('SIGKILL')
      expect((await simulator.ledger()).length).toBeLessThan(numbers.length)
      sendroom = await home.start([], env)
      admin.url = sendroom.url
    }
    const { logs } = await expectEachOnce(admin, jobId, simulator.ledger)
    // Or the kills hit nothing, and this test has shown nothing.
    expect(logs.some(({ reason }) => reason.code === 'delivery_found')).toBe(true)
  })

  test('when PostgreSQL is killed under the running process', async () => {
    await using home = await Installation.create()
    const sendroom = await home.start()
    const admin = await home.signIn(sendroom)
    const ledger = () => journalOf(home.dataDir)
    const jobId = await orderLargeJob(admin)
    for (const count of moments(3)) {
      await until(`${count} messages`, () => ledger().length >= count, 60_000)
      // Asked from before on: where files lie in memory it is back at once.
      const [refused] = await Promise.all([untilRefused(admin), killDatabase(home.database)])
      expect(ledger().length).toBeLessThan(numbers.length)
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await untilAnswered(admin)
    }
    await expectEachOnce(admin, jobId, ledger)
    expect(sendroom.isRunning).toBe(true)
  })
})

async function orderLargeJob(admin: HttpClient) {
  const instanceId = await addAccount(admin, 'test_linked_kill')
  return orderJob(admin, {
    ...{ text: 'Hello everybody', withImage: true, instanceId },
    ...{ jobType: 'SendToUsers', phoneNumbers: numbers.join('\n') },
  })
}

async function expectEachOnce(
  admin: HttpClient,
  jobId: number,
  ledger: () => LedgerEntry[] | Promise<LedgerEntry[]>,
) {
  // What was in doubt is looked up for 30 seconds and more before it is sent again.
  const job = await endedJob(admin, jobId, 120_000)
  const sent = await ledger()
  expect(sent.map((entry) => entry.to).sort()).toEqual(chatsOf(numbers))
  expect(sent.every(({ caption, media }) => caption === 'Hello everybody' && media)).toBe(true)
  expect(job).toMatchObject({ status: 'Completed', progress: 100, recipients: allSent(numbers.length) })
  return job
}

/** After how many messages to strike: anywhere, but the same in every run, and never at the very end. */
function moments(seed: number): number[] {
  const part = 150 / KILLS
  const chance = (index: number) => ((seed * 7919 + index * 104_729) % 1000) / 1000
  return Array.from({ length: KILLS }, (_, index) => Math.floor((index + chance(index)) * part) + 1)
}

/** What the simulator inside the process has accepted, by its own file. */
function journalOf(dataDir: string): LedgerEntry[] {
  const lines = readFileSync(join(dataDir, 'simulator.jsonl'), 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line).sent).filter(Boolean)
}

/** The postmaster first, or it would start its children again. */
async function killDatabase(address: DatabaseAddress) {
  const postmaster = Number(readFileSync(join(address.host, 'postmaster.pid'), 'utf8').split('\n')[0])
  const db = connect(address, { max: 1, applicationName: 'sendroom test' })
  const children = await db.many<{ pid: number }>(sql`select pid from pg_stat_activity`)
  for (const pid of [postmaster, ...children.map((row) => row.pid)]) process.kill(pid, 'SIGKILL')
  await db.end(0)
}

const untilRefused = (admin: HttpClient) =>
  until('an answer of 503', async () => {
    const answer = await admin.call(contract.jobs.list, {})
    return answer.status !== 200 && answer
  })

const untilAnswered = (admin: HttpClient) =>
  until('the database is back', async () => {
    const { status } = await admin.call(contract.jobs.list, {})
    expect([200, 503]).toContain(status)
    return status === 200
  })
