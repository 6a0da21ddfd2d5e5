import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, createJob, phoneNumbers } from './scenario.ts'

/** Slow enough that a message which begins too late does so while the server still answers. */
const LOAD_BALANCER_ASKS_EVERY_MS = 1_000

//
test('a stop sends no more and frees its instances at once, while the load balancer learns of the stop', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const db = connect(home.database, { max: 1, applicationName: 'sendroom test' })
  onTestFinished(() => db.end())
  const instanceId = await addInstance(admin, 'test_linked_stop')
  const numbers = phoneNumbers(5_000).join()
  await createJob(admin, { text: 'Hello', instanceId, jobType: 'SendToUsers', phoneNumbers: numbers })
  const isReady = async () => (await fetch(`${sendroom.url}/api/ready`)).status === 200
  expect(await isReady()).toBe(true)
  await until('the job sends', async () => (await simulator.ledger()).length > 20)

  const ended = sendroom.end('SIGTERM')
  await until('the server says that it leaves', async () => !(await isReady()))
  await delay(LOAD_BALANCER_ASKS_EVERY_MS)
  expect(await isReady()).toBe(false)
  const begun = (await simulator.ledger()).length
  await delay(LOAD_BALANCER_ASKS_EVERY_MS)
  const { isFree } = await db.one<{ isFree: boolean }>(sql`
    select claim is null and lease_until is null as is_free from instances where id = ${instanceId}`)
  // The third answer. Now the load balancer has taken the server out, and the port closes.
  expect(await isReady()).toBe(false)
  expect(await ended).toBe(0)

  expect(await simulator.ledger()).toHaveLength(begun)
  expect(isFree).toBe(true)
})
