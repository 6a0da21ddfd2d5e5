import { expect, test } from 'vitest'
import { Installation, startSimulatorProcess } from '../process.ts'
import { until } from '../until.ts'
import { addAccount, orderJob, phoneNumbers, readJob, syncGroups } from './story.ts'

test('a job of a test-mode account is sent, delivered and read, without any configuration, through a kill', {
  timeout: 120_000,
}, async () => {
  await using home = await Installation.create()
  const killed = await home.start()
  const admin = await home.signIn(killed)
  const instanceId = await addAccount(admin, 'test_linked_receipts')
  const id = await orderJob(admin, {
    ...{ text: 'Hello', instanceId },
    ...{ jobType: 'SendToUsers', phoneNumbers: phoneNumbers(30).join(',') },
  })
  const reached = (field: 'sent' | 'delivered' | 'read', count: number) =>
    until(`${count} ${field}`, async () => (await readJob(admin, id)).recipients[field] >= count, 60_000)
  await reached('sent', 30)
  // Before most have got it; it comes back at another address.
  await killed.end('SIGKILL')
  admin.url = (await home.start()).url
  await reached('delivered', 30)
  await reached('read', 3)
  const { sentMessages } = await readJob(admin, id)
  for (const { sentAt, deliveredAt, deliveredTo } of sentMessages) {
    expect(String(deliveredAt) >= String(sentAt)).toBe(true)
    expect(deliveredTo).toBeNull()
  }
})

test('the members of a group are counted, whatever happens to the news on the way', {
  timeout: 120_000,
}, async () => {
  await using home = await Installation.create()
  await using simulator = await startSimulatorProcess(home.dataDir)
  const rules = { sentMs: 0, deliveredMs: 100, readMs: 300, spreadMs: 200, readPercent: 100 }
  await setReceipts(simulator.url, { ...rules, disorders: ['duplicates', 'reversed', 'unknown'] })
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const instanceId = await addAccount(admin, 'test_linked_members')
  // The first ones of a channel are the odd ones, some of which may not be written to.
  const groups = (await syncGroups(admin, instanceId)).filter(({ name }) => / \d+$/.test(name)).slice(0, 5)
  const id = await orderJob(admin, {
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

test('receipts may come before the answer to the send; one that tells of a failure makes Sent Failed', {
  timeout: 120_000,
}, async () => {
  await using home = await Installation.create()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await setReceipts(simulator.url, { token: 'test_linked_early', readPercent: 100, disorders: ['early'] })
  await setReceipts(simulator.url, { token: 'test_linked_failing', sentMs: 500, fate: 'failed' })
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const admin = await home.signIn(sendroom)
  const order = async (token: string) =>
    orderJob(admin, {
      ...{ text: 'Hello', instanceId: await addAccount(admin, token) },
      ...{ jobType: 'SendToUsers', phoneNumbers: phoneNumbers(3).join(',') },
    })
  const [early, failing] = [await order('test_linked_early'), await order('test_linked_failing')]
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

/** What becomes of messages from now on, and how the simulator tells of it. */
async function setReceipts(url: string, rules: object) {
  const headers = { 'content-type': 'application/json' }
  await fetch(`${url}/_control/receipts`, { method: 'POST', headers, body: JSON.stringify(rules) })
}
