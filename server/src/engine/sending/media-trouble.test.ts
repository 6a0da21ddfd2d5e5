import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { cancelJob, pauseJob, resumeJob } from '../index.ts'

// Files at the provider: large ones, lost ones, and what is deleted while one is uploaded.

const context = useEngineContext()

const openMedia = async () => fileOf(new Uint8Array([1, 2, 3]))

async function videoTo(recipients: string[], columns: { size?: number; name?: string } = {}) {
  const file = await context.add.file('video', columns)
  return context.add.job({
    ...{ status: 'Running', recipients, fileId: file.id, textContent: 'Only today' },
    content: JSON.stringify({ kind: 'video', fileName: 'a.mp4' }),
  })
}

// R-1650
test('a large video that the provider lists a minute after it has taken it is not sent twice', async () => {
  const { provider, script, calls, accept } = scriptedProvider()
  const job = await videoTo(['1@g.us'], { size: 16 << 20 })
  script.onSend = () => ({ kind: 'unknown', reason: { code: 'provider_unreachable', params: {} } })
  context.worker(provider, { openMedia })
  await context.untilStatuses(job.id, 'doubt')
  const lookedUp = async (by: string) => {
    const { ownMessages } = calls
    await context.moveClock(by)
    await until('the chat is looked up', () => calls.ownMessages > ownMessages)
  }
  await lookedUp('31 seconds')
  await lookedUp('30 seconds')
  await lookedUp('11 seconds')

  for (const send of calls.sends) accept(send)
  await context.moveClock('30 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends).toHaveLength(1)
  expect(await context.statuses(job.id)).toEqual(['sent'])
})

// R-1659
test('a small file does not wait until large ones are through', async () => {
  const { provider, script } = scriptedProvider()
  const { promise: through, resolve: letThrough } = Promise.withResolvers<void>()
  let large = 0
  const upload = script.onUpload
  script.onUpload = async (file) => {
    if (file.size > 3) {
      large++
      await through
    }
    return upload(file)
  }
  const largeFile = fileOf(new Uint8Array(1 << 20))
  const openBySize = async (name: string) => (name === 'small.mp4' ? openMedia() : largeFile)
  const jobs = await Promise.all(['1@g.us', '2@g.us', '3@g.us', '4@g.us'].map((to) => videoTo([to])))
  context.worker(provider, { openMedia: openBySize })
  await until('three large uploads run', () => large === 3)
  const { id } = await videoTo(['5@g.us'], { name: 'small.mp4' })

  await context.untilStatus(id, 'Completed')

  expect(large).toBe(3)
  letThrough()
  for (const job of jobs) await context.untilStatus(job.id, 'Completed')
})

// R-1772
test('an upload that always times out does not keep the account’s other job waiting before each message', async () => {
  const { provider, script, calls } = scriptedProvider()
  let isBroken = true
  const { onUpload } = script
  script.onUpload = (file) =>
    isBroken
      ? { kind: 'busy', reason: { code: 'provider_unreachable', params: {} }, retryAfterMs: null }
      : onUpload(file)
  const withFile = await videoTo(['1@g.us', '2@g.us'])
  const recipients = Array.from({ length: 8 }, (_, n) => `${n + 3}@g.us`)
  const other = await context.add.job({ instanceId: withFile.instanceId, recipients })
  context.worker(provider, { openMedia })

  await context.untilStatus(other.id, 'Completed')

  expect(calls.uploads).toBeLessThan(recipients.length / 2)
  expect(await context.log(withFile.id)).toContain('image_upload_failed')
  expect(await context.statuses(withFile.id)).toEqual(['queued', 'queued'])

  isBroken = false
  await context.untilStatus(withFile.id, 'Completed')
  expect(calls.sends.map(({ to }) => to).toSorted()).toEqual(['1@g.us', '2@g.us', ...recipients].toSorted())
})

// R-1773
test.each([
  ['content_too_large', ['failed', 'failed', 'failed', 'queued', 'queued']],
  ['not_on_whatsapp', ['failed', 'failed', 'failed', 'failed', 'failed']],
] as const)('beside a job that goes on, a job whose file is answered with %s', async (code, statuses) => {
  const { provider, script, accept } = scriptedProvider()
  let isRefused = true
  script.onSend = (send) =>
    isRefused && send.mediaId ? { kind: 'rejected', reason: { code, params: {} } } : accept(send)
  const recipients = ['1@g.us', '2@g.us', '3@g.us', '4@g.us', '5@g.us']
  const withFile = await videoTo(recipients)
  const other = await context.add.job({
    instanceId: withFile.instanceId,
    recipients: Array.from({ length: 12 }, (_, n) => `${n + 6}@g.us`),
  })
  context.worker(provider, { openMedia })

  await context.untilStatus(other.id, 'Completed')
  await context.untilStatuses(withFile.id, ...statuses)

  const pauses = (await context.log(withFile.id)).filter((line) => line === 'job_paused_by_refusals')
  expect(pauses).toHaveLength(code === 'content_too_large' ? 1 : 0)
  if (pauses.length === 0) return
  expect(await context.instance(withFile.instanceId)).toMatchObject({ waiting: null })
  isRefused = false
  await context.db.begin((tx) => resumeJob(tx, withFile.id, 'Ann'))
  await context.untilStatuses(withFile.id, 'failed', 'failed', 'failed', 'sent', 'sent')
})

// R-1773
test('a few recipients who are refused a file that others get do not pause the job', async () => {
  const { provider, script, accept } = scriptedProvider()
  script.onSend = (send) =>
    ['2@g.us', '4@g.us', '5@g.us'].includes(send.to)
      ? { kind: 'rejected', reason: { code: 'content_too_large', params: {} } }
      : accept(send)
  const job = await videoTo(['1@g.us', '2@g.us', '3@g.us', '4@g.us', '5@g.us', '6@g.us'])
  context.worker(provider, { openMedia })

  await context.untilStatus(job.id, 'Completed')

  expect(await context.statuses(job.id)).toEqual(['sent', 'failed', 'sent', 'failed', 'failed', 'sent'])
})

// R-1776
test.each([
  ['were sent before a retry', sql`status = 'sent', sent_at = clock_now(), intent_at = clock_now()`],
  ['are skipped', sql`status = 'skipped'`],
])('three refusals in a row pause a job also where recipients between them %s', async (_, others) => {
  const { provider, script, calls } = scriptedProvider()
  script.onSend = () => ({ kind: 'rejected', reason: { code: 'content_too_large', params: {} } })
  const job = await videoTo(Array.from({ length: 10 }, (_, n) => `${n}@g.us`))
  await context.db.run(sql`update deliveries set ${others} where job_id = ${job.id} and id % 2 = 0`)
  await context.db.run(sql`update jobs set resumed_at = clock_now() where id = ${job.id}`)
  context.worker(provider, { openMedia })

  await until('three are refused, or more', () => calls.sends.length >= 3)
  await context.untilWaiting(job.id, 'paused')

  expect(calls.sends).toHaveLength(3)
})

// R-1776
test('a job that was resumed is not paused again at the first recipient who is refused its file', async () => {
  const { provider, script, accept } = scriptedProvider()
  script.onSend = (send) =>
    send.to < '5@g.us'
      ? { kind: 'rejected', reason: { code: 'content_too_large', params: {} } }
      : accept(send)
  const job = await videoTo(['1@g.us', '2@g.us', '3@g.us', '4@g.us', '5@g.us', '6@g.us'])
  context.worker(provider, { openMedia })
  await context.untilWaiting(job.id, 'paused')

  await context.db.begin((tx) => resumeJob(tx, job.id, 'Ann'))

  await context.untilStatus(job.id, 'Completed')
})

// R-1776
test('a job ends though its last three recipients are refused its file', async () => {
  const { provider, script } = scriptedProvider()
  script.onSend = () => ({ kind: 'rejected', reason: { code: 'media_refused', params: {} } })
  const job = await videoTo(['1@g.us', '2@g.us', '3@g.us'])
  context.worker(provider, { openMedia })

  await context.untilStatus(job.id, 'Failed')

  expect(await context.log(job.id)).not.toContain('job_paused_by_refusals')
})

// R-1658
test('an account whose messages arrive although their sends get no answer in time is not held back for long', async () => {
  const { provider, script, calls, accept } = scriptedProvider()
  script.onSend = (send) => {
    accept(send)
    return { kind: 'unknown', reason: { code: 'provider_unreachable', params: {} } }
  }
  const job = await videoTo(['1@g.us', '2@g.us', '3@g.us'])
  context.worker(provider, { openMedia })

  await context.untilStatus(job.id, 'Completed')

  expect(calls.sends).toHaveLength(3)
  expect(await context.instance(job.instanceId)).toMatchObject({ busy: null, busySince: null, busyInARow: 0 })
})

// R-1657
test('a file is uploaded once more, not twice, for a recipient with whom the provider does not find it', async () => {
  const { provider, script, calls, accept } = scriptedProvider()
  script.onSend = (send) => (send.to === '1@g.us' ? { kind: 'media_gone' } : accept(send))
  const job = await videoTo(['1@g.us', '2@g.us', '3@g.us'])
  context.worker(provider, { openMedia })

  await context.untilStatus(job.id, 'Completed')

  expect(await context.statuses(job.id)).toEqual(['failed', 'sent', 'sent'])
  expect(calls.uploads).toBe(2)
})

// R-1655
test.each([
  ['a job', 'uploaded'],
  ['a job', 'busy'],
  ['an account', 'uploaded'],
  ['an account', 'busy'],
] as const)('%s may be deleted while its file is %s', async (what, kind) => {
  const { provider, script, calls } = scriptedProvider()
  const errors: object[] = []
  const log = { info() {}, warn() {}, error: (details: object) => void errors.push(details) }
  const { instanceId } = await videoTo(['1@g.us'])
  script.onUpload = async () => {
    await context.db.run(sql`delete from jobs`)
    if (what === 'an account') await context.db.run(sql`delete from instances where id = ${instanceId}`)
    const reason = { code: 'provider_busy', params: {} } as const
    return kind === 'busy' ? { kind, reason, retryAfterMs: null } : { kind, mediaId: 'media-1' }
  }
  const worker = context.worker(provider, { openMedia, log })
  await until('the upload has begun', () => calls.uploads > 0)

  await worker.stop()

  expect(errors).toEqual([])
})

// R-1661
test('a store that fails while a file is opened is named as what it is', async () => {
  const { provider } = scriptedProvider()
  const open = () => Promise.reject(new Error('The store is down'))
  const job = await videoTo(['1@g.us'])
  context.worker(provider, { openMedia: async () => ({ ...fileOf(new Uint8Array(3)), open }) })

  await until('the upload has failed', async () =>
    (await context.log(job.id)).includes('image_upload_failed'),
  )

  const { busy } = (await context.instance(job.instanceId)) as { busy: { code: string } }
  expect(busy.code).toBe('image_store_down')
})

// R-1662
test.each([
  ['cancelled', cancelJob],
  ['paused', pauseJob],
])('an upload ends when its job is %s, and the account’s other job goes on', async (_what, end) => {
  const { provider, script, ledger } = scriptedProvider()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  script.onUpload = async (file) => {
    const stream = await file.open()
    begin()
    await once(stream, 'error')
    return { kind: 'busy', reason: { code: 'image_store_down', params: {} }, retryAfterMs: null }
  }
  const endless = { mimeType: 'video/mp4', size: 1 << 24, open: async () => new Readable({ read() {} }) }
  const job = await videoTo(['1@g.us'])
  context.worker(provider, { openMedia: async () => endless })
  await begun
  const other = await context.add.job({ instanceId: job.instanceId, recipients: ['2@g.us'] })

  await context.db.begin((tx) => end(tx, job.id, 'Ann'))
  await context.untilStatus(other.id, 'Completed')

  expect(ledger.map(({ to }) => to)).toEqual(['2@g.us'])
  expect(await context.log(job.id)).not.toContain('image_upload_failed')
})
