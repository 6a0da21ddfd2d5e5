import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Followed } from '../followed.ts'
import type { HttpClient } from '../http-client.ts'
import { Installation } from '../process.ts'
import { until } from '../until.ts'
import { addAccount, orderJob, phoneNumbers } from './story.ts'

test('a server tells what another process did, also after the database was killed, and stops at once', {
  timeout: 120_000,
}, async () => {
  await using home = await Installation.create()
  const working = await home.start()
  const admin = await home.signIn(working)
  const other = await home.start(['server'])
  const instanceId = await addAccount(admin, 'test_linked_live')
  const order = () =>
    orderJob(admin, {
      text: 'Hello',
      instanceId,
      jobType: 'SendToUsers',
      phoneNumbers: phoneNumbers(50).join(),
    })
  const hears = (followed: Followed, jobId: number) =>
    until(`job ${jobId} is heard of`, () =>
      (['jobs', 'deliveries'] as const).every((feature) =>
        followed.changes.some((change) => change.feature === feature && change.id === jobId),
      ),
    )

  const before = await follow(other.url, admin)
  await hears(before, await order())

  process.kill(
    Number(readFileSync(join(home.database.host, 'postmaster.pid'), 'utf8').split('\n')[0]),
    'SIGKILL',
  )
  await until('the stream ends', () => before.hasEnded)
  const after = await follow(other.url, admin)
  await hears(after, await order())

  expect(await other.end('SIGTERM')).toBe(0)
  await until('the stream has ended', () => after.hasEnded)
})

/** Asks until the server can answer. */
const follow = (url: string, { token }: HttpClient) =>
  until('the server follows', async () => {
    const { ok, body } = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
    return ok && body && new Followed(body)
  })
