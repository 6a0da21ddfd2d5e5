import { expect, test } from 'vitest'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, createJob, phoneNumbers, readJob } from './scenario.ts'

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
