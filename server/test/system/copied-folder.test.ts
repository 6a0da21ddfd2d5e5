import { execFileSync } from 'node:child_process'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { Installation, startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, createJob, phoneNumbers, untilEnded } from './scenario.ts'

const RECIPIENTS = Number(process.env.RECIPIENTS ?? 200)

test('a copy of a data folder that is started at once sends nothing again, not even after a cancel and another job', {
  timeout: 600_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await simulator.setLatency(10)
  const env = { TEST_PROVIDER_URL: simulator.url }
  const first = await home.start([], env)
  const admin = await home.signIn(first)
  const instanceId = await addInstance(admin, 'test_linked_a')
  const numbers = phoneNumbers(RECIPIENTS)
  const id = await createJob(admin, {
    ...{ text: 'sent', jobType: 'SendToUsers', phoneNumbers: numbers.join(','), instanceId },
  })
  await until('a quarter is sent', async () => (await simulator.ledger()).length > RECIPIENTS / 4, 60_000)
  await first.end('SIGTERM')
  await using copy = await Installation.create(env)
  execFileSync('cp', ['-a', `${home.dataDir}/.`, copy.dataDir])

  const second = await home.start([], env)
  await untilEnded(await home.signIn(second), id, 300_000)
  await second.end('SIGTERM')
  expect(await simulator.ledger()).toHaveLength(RECIPIENTS)
  copy.password = home.password
  const started = await copy.start()

  const copyAdmin = await copy.signIn(started)
  // The worker watches for others meanwhile.
  await copyAdmin.ask(contract.jobs.cancel, { params: { id } })
  const other = await createJob(copyAdmin, {
    ...{ text: 'other', jobType: 'SendToUsers', phoneNumbers: '84900000000', instanceId },
  })
  await untilEnded(copyAdmin, other, 60_000)
  const retry = await copyAdmin.call(contract.jobs.retryFailed, { params: { id }, body: {} })
  expect(retry).toMatchObject({ status: 409 }) // nobody is left
  expect(await untilEnded(copyAdmin, id, 120_000)).toMatchObject({
    status: 'Cancelled',
    recipients: allSent(RECIPIENTS),
  })
  const ofTheJob = (await simulator.ledger()).filter(({ body }) => body === 'sent')
  expect(ofTheJob.map(({ to }) => to).sort()).toEqual(chatsOf(numbers))
  const firstLines = await copyAdmin.ask(contract.jobs.logs, {
    params: { id },
    query: { sortDirection: 'asc', pageSize: 5 },
  })
  expect(firstLines.data.map(({ reason }) => reason.code)).toContain('history_found')
})
