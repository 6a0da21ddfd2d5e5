import { beforeEach, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { sql } from '../../platform/database/sql.ts'
import { recipientCounts, retryFailed } from '../index.ts'
import { failQueued } from '../jobs/fail-queued.ts'
import { openHeartbeat } from './heartbeat.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const recipients = ['1@g.us', '2@g.us', '3@g.us']

beforeEach(() => openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat())

/**
 * A voice message to three groups, whose job has ended without reaching them. Its *send to remaining* reached the first
 * group, and the database has lost that: what is in the chat there looks as `listed` says.
 */
async function afterLostRetry(listed: (sha256: string) => object) {
  const { id: instanceId } = await context.add.instance({ checkedEra: null })
  const file = await context.add.file('voice', { seconds: 7 })
  const job = await context.add.job({
    ...{ instanceId, recipients, status: 'Running', fileId: file.id, textContent: 'a.ogg' },
    content: JSON.stringify({ kind: 'voice', fileName: 'a.ogg' }),
  })
  const why = { code: 'account_wait_over', params: {} } as const
  await failQueued(context.db, { jobId: job.id, instanceId }, why)
  const scripted = scriptedProvider()
  scripted.accept({ token: 'any', to: '1@g.us', text: '', mediaId: null })
  Object.assign(scripted.ledger[0]?.message ?? {}, listed(file.sha256.toString('hex')))
  return { ...scripted, instanceId, job }
}

/** Another job runs, whose check reads the history. Then the job is sent to the remaining recipients. */
async function checkThenRetry({
  job,
  instanceId,
  provider,
  ledger,
}: Awaited<ReturnType<typeof afterLostRetry>>) {
  context.worker(provider, { openMedia: async () => fileOf(new Uint8Array([1])) })
  const other = await context.add.job({ instanceId, status: 'Running', recipients: ['4@g.us'] })
  await context.untilStatus(other.id, 'Completed')
  await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))
  await context.untilStatus(job.id, 'Completed')
  return ledger.map(({ to }) => to).filter((to) => to !== '4@g.us')
}

const voice = (media: object) => ({
  kind: 'voice',
  media: { sha256: null, size: null, fileName: null, ...media },
})

// R-1870
test('a voice message that a lost retry has sent, encoded again on its way, is not sent twice', async () => {
  const world = await afterLostRetry(() => voice({ sha256: 'f'.repeat(64), size: 5 }))

  expect((await checkThenRetry(world)).sort()).toEqual(recipients)

  expect(await recipientCounts(context.db, world.job.id)).toMatchObject({ sent: 2, failed: 1, unknown: 1 })
  expect(await context.log(world.job.id)).toContain('history_uncertain')
})

// R-1870
test('one that is recognised was sent', async () => {
  const world = await afterLostRetry((sha256) => voice({ sha256 }))

  expect((await checkThenRetry(world)).sort()).toEqual(recipients)

  expect(await recipientCounts(context.db, world.job.id)).toMatchObject({ sent: 3, failed: 0 })
})

// R-1870
test.each([
  ['a text', {}],
  ['an older file', { ...voice({}), timestamp: Math.floor(Date.now() / 1000) - 7200 }],
  ['a file from the phone', { ...voice({}), fromPhone: true }],
])('%s in the chat says nothing of it', async (_what, listed) => {
  const world = await afterLostRetry(() => listed)

  expect((await checkThenRetry(world)).sort()).toEqual(['1@g.us', ...recipients])
  expect(await context.db.run(sql`select from job_logs where reason->>'code' = 'history_uncertain'`)).toBe(0)
})
