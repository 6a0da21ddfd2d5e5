import { expect, test } from 'vitest'
import { startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, createJob, phoneNumbers, readJob, syncGroups } from './scenario.ts'

test('a test-mode job is sent, delivered and read without any configuration, even if the process is killed', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  const killed = await home.start()
  const admin = await home.signIn(killed)
  const instanceId = await addInstance(admin, 'test_linked_receipts')
  const id = await createJob(admin, {
    ...{ text: 'Hello', instanceId },
    ...{ jobType: 'SendToUsers', phoneNumbers: phoneNumbers(30).join(',') },
  })
  const untilCount = (field: 'sent' | 'delivered' | 'read', count: number) =>
    until(`${count} ${field}`, async () => (await readJob(admin, id)).recipients[field] >= count, 60_000)
  await untilCount('sent', 30)
  // Most messages are not delivered yet. The new process has another address, so the webhook must move too.
  await killed.end('SIGKILL')
  admin.url = (await home.start()).url
  await untilCount('delivered', 30)
  await untilCount('read', 3)
  const { sentMessages } = await readJob(admin, id)
  for (const { sentAt, deliveredAt, deliveredTo } of sentMessages) {
    expect(String(deliveredAt) >= String(sentAt)).toBe(true)
    expect(deliveredTo).toBeNull()
  }
})

test('group members are counted correctly when receipts come twice, out of order or with unknown ids', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  const rules = { sentMs: 0, deliveredMs: 100, readMs: 300, spreadMs: 200, readPercent: 100 }
  await simulator.setReceipts(null, { ...rules, disorders: ['duplicates', 'reversed', 'unknown'] })
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const instanceId = await addInstance(admin, 'test_linked_members')
  // Groups without a number in their name are special cases of the simulator, and some of them refuse messages.
  const groups = (await syncGroups(admin, instanceId)).filter(({ name }) => / \d+$/.test(name)).slice(0, 5)
  const id = await createJob(admin, {
    text: 'Hello',
    instanceId,
    groupIds: groups.map((group) => group.id),
  })
  const messages = await until('all have read it', async () => {
    const { sentMessages } = await readJob(admin, id)
    return (
      sentMessages.length === 5 &&
      sentMessages.every(({ members, readBy }) => members !== null && readBy === members) &&
      sentMessages
    )
  })
  for (const { deliveredTo, members, deliveredAt, readAt } of messages) {
    expect(deliveredTo).toBe(members)
    expect([deliveredAt, readAt]).toEqual([expect.any(String), expect.any(String)])
  }
  expect(await readJob(admin, id)).toMatchObject({ recipients: { sent: 5, delivered: 5, read: 5 } })
})

test('receipts may come before the answer to the send, and a failure receipt turns Sent into Failed', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await simulator.setReceipts('test_linked_early', { readPercent: 100, disorders: ['early'] })
  await simulator.setReceipts('test_linked_failing', { sentMs: 500, fate: 'failed' })
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const createJobOf = async (token: string) =>
    createJob(admin, {
      ...{ text: 'Hello', instanceId: await addInstance(admin, token) },
      ...{ jobType: 'SendToUsers', phoneNumbers: phoneNumbers(3).join(',') },
    })
  const [early, failing] = [await createJobOf('test_linked_early'), await createJobOf('test_linked_failing')]
  const recipients = async (id: number) => (await readJob(admin, id)).recipients
  await until('all have read it', async () => (await recipients(early)).read === 3)
  await until('all have failed', async () => (await recipients(failing)).failed === 3)
  const job = await readJob(admin, failing)
  expect(job).toMatchObject({ recipients: { total: 3, sent: 0, failed: 3, waiting: 0 }, progress: 0 })
  expect(job.sentMessages[0]).toMatchObject({
    status: 'Failed',
    reason: { code: 'receipt_failed', params: { detail: 'forbidden' } },
  })
  expect(job.logs.filter(({ reason }) => reason.code === 'delivery_failed')).toHaveLength(3)
})
