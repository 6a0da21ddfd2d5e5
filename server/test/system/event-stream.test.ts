import { expect, test } from 'vitest'
import { Followed } from '../followed.ts'
import type { HttpClient } from '../http-client.ts'
import { postmasterOf } from '../kill-postgres.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, createJob, phoneNumbers } from './scenario.ts'

test('a server streams the changes of another process, even after PostgreSQL was killed, and stops at once', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  const working = await home.start()
  const admin = await home.signIn(working)
  const other = await home.start(['server'])
  const instanceId = await addInstance(admin, 'test_linked_stream')
  const createJobForMany = () =>
    createJob(admin, {
      text: 'Hello',
      instanceId,
      jobType: 'SendToUsers',
      phoneNumbers: phoneNumbers(50).join(),
    })
  const untilNotified = (followed: Followed, jobId: number) =>
    until(`the stream reports job ${jobId}`, () =>
      (['jobs', 'deliveries'] as const).every((feature) =>
        followed.changes.some((change) => change.feature === feature && change.id === jobId),
      ),
    )

  const before = await follow(other.url, admin)
  await untilNotified(before, await createJobForMany())

  process.kill(postmasterOf(home.database), 'SIGKILL')
  await until('the stream ends', () => before.hasEnded)
  const after = await follow(other.url, admin)
  await until('the first process is back', async () => (await fetch(`${working.url}/api/ready`)).ok)
  await untilNotified(after, await createJobForMany())

  expect(await other.end('SIGTERM')).toBe(0)
  await until('the stream has ended', () => after.hasEnded)
})

/** Opens an event stream. Tries again until the server can answer. */
const follow = (url: string, { token }: HttpClient) =>
  until('the stream is open', async () => {
    const { ok, body } = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
    return ok && body && new Followed(body)
  })
