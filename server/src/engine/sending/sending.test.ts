import { setTimeout as delay } from 'node:timers/promises'
import type { Reason } from '@sendroom/contract/values'
import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { oneByteFile } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { failOverdue } from '../health/overdue.ts'
import {
  cancelJob,
  deleteJobs,
  hasUnsettled,
  markInstanceActive,
  markInstanceHealthy,
  markInstanceTrouble,
  pauseJob,
  planJob,
  restartJob,
  resumeSending,
  whyWaiting,
} from '../index.ts'
import { cursorAtEnd } from '../shared/queue.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const context = useEngineContext()

const reason = (code: string, params = {}) => ({ code, params })

const times = async (jobId: number) =>
  (await context.db.many(sql`select started_at, completed_at from jobs where id = ${jobId}`))[0]

//
test('a job sends the message to each recipient once, in order', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await context.add.job({ textContent: 'Hello' })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to, text }) => [to, text])).toEqual([
    ['1@g.us', 'Hello'],
    ['2@g.us', 'Hello'],
    ['3@g.us', 'Hello'],
  ])
  expect(await context.statuses(job.id)).toEqual(['sent', 'sent', 'sent'])
  expect(await context.log(job.id)).toEqual(['job_started', 'job_completed'])
  expect(await times(job.id)).toEqual({ startedAt: expect.any(String), completedAt: expect.any(String) })
})

//
test('with TEST_MODE=off an instance in test mode sends nothing and says why', async () => {
  const { provider, ledger } = scriptedProvider()
  const instance = await context.add.instance({ token: 'test_forbidden' })
  await context.add.job({ instanceId: instance.id })
  context.worker(provider, { providers: { live: provider, test: null, forbidsTestMode: true } })
  await expect
    .poll(() => context.db.one(sql`select busy->>'code' as code from instances where id = ${instance.id}`))
    .toEqual({ code: 'test_mode_off' })
  expect(ledger).toEqual([])
})

test('the creation of a large job does not hold back the other jobs of its instance', async () => {
  const { provider } = scriptedProvider()
  const job = await context.add.job()

  await context.db.begin(async (tx) => {
    await planJob(tx, {
      jobType: 'SendToGroups',
      messageId: null,
      textContent: 'Large',
      imageId: null,
      instanceId: job.instanceId,
      scheduledAt: null,
      createdBy: { id: (await context.add.user()).id, name: 'Lan' },
      recipients: [{ chatId: '9@g.us', name: 'Nine', groupId: null, contactId: null }],
    })
    context.worker(provider)
    await context.untilStatus(job.id, 'Completed')
  })

  expect(await context.statuses(job.id)).toEqual(['sent', 'sent', 'sent'])
})

test('ten workers share the instances: each instance sends one message at a time, and none twice', async () => {
  const { provider, script, accept, ledger } = scriptedProvider()
  const sending = new Set<string>()
  let overlaps = 0
  script.onSend = async (send) => {
    if (sending.has(send.token)) overlaps++
    sending.add(send.token)
    await delay(1)
    sending.delete(send.token)
    return accept(send)
  }
  const jobs = []
  for (let instance = 0; instance < 5; instance++) {
    const { id: instanceId } = await context.add.instance()
    for (let n = 0; n < 2; n++)
      jobs.push(
        await context.add.job({ instanceId, textContent: `Job ${instance} ${n}`, recipients: people(20) }),
      )
  }
  for (let n = 0; n < 10; n++) context.worker(provider)

  for (const job of jobs) await context.untilStatus(job.id, 'Completed')

  expect(overlaps).toBe(0)
  expect(ledger).toHaveLength(200)
  expect(new Set(ledger.map(({ to, text }) => `${to} ${text}`)).size).toBe(200)
})

//
test('a scheduled job waits for its time, and starts later if no worker runs then', async () => {
  const { provider, ledger } = scriptedProvider()
  const { at } = await context.db.one<{ at: string }>(sql`select clock_now() + interval '3 hours' as at`)
  const job = await context.add.job({ scheduledAt: at })
  const first = context.worker(provider)
  const other = await context.add.job()
  await context.untilStatus(other.id, 'Completed')
  expect(await context.jobStatus(job.id)).toBe('Pending')
  await first.stop()

  await context.moveClock('3 days')
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(6)
})

//
test('a due job of an inactive instance becomes Running and says why it sends nothing', async () => {
  const { provider, calls } = scriptedProvider()
  const { id: instanceId } = await context.add.instance({ isActive: false })
  const job = await context.add.job({ instanceId })
  context.worker(provider)

  await context.untilStatus(job.id, 'Running')

  expect(await times(job.id)).toEqual({ startedAt: expect.any(String), completedAt: null })
  expect(await whyWaiting(context.db, job.id)).toEqual({
    waiting: reason('account_inactive'),
    nextSendAt: null,
  })
  expect(calls.sends).toHaveLength(0)

  await context.db.run(sql`update instances set is_active = true where id = ${instanceId}`)
  await context.untilStatus(job.id, 'Completed')
})

//
test('a rejected recipient fails with its reason, and a job fails only if nobody got the message', async () => {
  const { provider, script, accept } = scriptedProvider()
  script.onSend = (send) =>
    send.to === '2@g.us' || send.text === 'Refused'
      ? { kind: 'rejected', reason: { code: 'refused', params: { detail: 'no' } } }
      : accept(send)
  const job = await context.add.job({ textContent: 'Hello' })
  const refused = await context.add.job({ textContent: 'Refused' })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')
  await context.untilStatus(refused.id, 'Failed')

  expect(await context.statuses(job.id)).toEqual(['sent', 'failed', 'sent'])
  expect((await context.deliveries(job.id))[1]?.reason).toEqual(reason('refused', { detail: 'no' }))
  expect(await context.log(job.id)).toEqual(['job_started', 'delivery_failed', 'job_completed'])
  expect(await context.log(refused.id)).toContain('job_failed')
})

test('a busy provider is left alone for as long as it asks, and every recipient gets the message', async () => {
  const { provider, script, accept, ledger } = scriptedProvider()
  let busy = 2
  script.onSend = (send) =>
    busy-- > 0
      ? { kind: 'busy', reason: reason('provider_busy') as never, retryAfterMs: 3_600_000 }
      : accept(send)
  const job = await context.add.job()
  context.worker(provider)
  await context.untilWaiting(job.id, 'provider_busy')
  const { inFlight, sentByHour } = (await context.instance(job.instanceId)) ?? {}
  expect({ inFlight, sentByHour }).toEqual({ inFlight: null, sentByHour: {} })

  await context.moveClock('61 minutes')
  await until(
    'the provider was busy again',
    async () => (await context.instance(job.instanceId))?.busyInARow === 2,
  )
  await context.moveClock('61 minutes')
  await context.untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(3)
  expect(await context.log(job.id)).toEqual(['job_started', 'delivery_retry', 'job_completed'])
})

test('the jobs of an instance take turns, so a small job does not wait for a large one', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance()
  const large = await context.add.job({ instanceId, textContent: 'large', recipients: people(300) })
  const small = await context.add.job({ instanceId, textContent: 'small', recipients: people(3) })
  context.worker(provider)

  await context.untilStatus(large.id, 'Completed')

  const texts = ledger.map(({ text }) => text)
  expect(texts.lastIndexOf('small')).toBeLessThan(8)
  expect(await context.jobStatus(small.id)).toBe('Completed')
})

test('after a cancel no send begins, and a restart waits for the message in flight', async () => {
  const { provider, calls, ledger, holdSends } = scriptedProvider()
  const answer = holdSends()
  const job = await context.add.job()
  context.worker(provider)
  await until('a send is under way', () => calls.sends.length === 1)
  expect(await hasUnsettled(context.db, job.instanceId)).toBe(true)

  expect(await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('settling')
  expect(await deleteJobs(context.db, [job.id], 'Ann', async () => {}, 0)).toBe('busy')
  answer()
  await until('the message is settled', async () => !(await hasUnsettled(context.db, job.instanceId)))

  expect(await context.statuses(job.id)).toEqual(['sent', 'skipped', 'skipped'])
  expect(await context.jobStatus(job.id)).toBe('Cancelled')
  expect(ledger).toHaveLength(1)
  expect(await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('done')
  await context.untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(4)
})

test('a message that is requeued after a cancel is skipped', async () => {
  const { provider, script, calls } = scriptedProvider()
  const answer = Promise.withResolvers<void>()
  script.onSend = async () => {
    await answer.promise
    return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: 0 }
  }
  const job = await context.add.job()
  context.worker(provider)
  await until('a send is under way', () => calls.sends.length === 1)

  await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))
  answer.resolve()

  await context.untilStatuses(job.id, 'skipped', 'skipped', 'skipped')
  expect(calls.sends).toHaveLength(1)
})

test.each([
  { name: 'cancel', change: cancelJob, status: 'skipped' },
  { name: 'pause', change: pauseJob, status: 'queued' },
])(
  'an intent that waits for the lock of a $name sees it, although its snapshot is older',
  async ({ change, status }) => {
    const { db } = context
    const job = await context.add.job({ status: 'Running' })
    const claim = await context.claimOne()

    const waiting = await db.begin(async (tx) => {
      await tx.run(sql`select from instances where id = ${job.instanceId} for update`)
      const changing = db.begin((tx) => change(tx, job.id, 'Ann'))
      await until('the change waits for the lock', async () => (await countWaiting(db)) === 1)
      const intending = context.writeIntent(claim)
      await until('the intent waits too', async () => (await countWaiting(db)) === 2)
      // Both continue only after this transaction, so they must not be awaited inside.
      return { changing, intending }
    })

    expect(await waiting.changing).toBe('done')
    expect(await waiting.intending).toEqual({ kind: 'nothing' })
    expect(await context.statuses(job.id)).toEqual([status, status, status])
  },
)

test('an intent that waits while the remaining deliveries fail does not move the cursor back', async () => {
  const { db } = context
  const job = await context.add.job({ status: 'Running' })
  const claim = await context.claimOne()

  // This is what `failQueued` does before it ends the job.
  const step = await db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${job.instanceId} for no key update`)
    await tx.run(sql`update deliveries set status = 'failed' where job_id = ${job.id}`)
    await tx.run(sql`update jobs set ${cursorAtEnd(job.id)} where id = ${job.id}`)
    const intending = context.writeIntent(claim)
    await until('the intent waits for the lock', async () => (await countWaiting(context.db)) === 1)
    return { intending }
  })
  await step.intending

  const left = await db.maybeOne(sql`
    select count(*) as untried from deliveries d join jobs j on j.id = d.job_id where j.id = ${job.id} and d.id >= j.cursor`)
  expect(left).toEqual({ untried: 0 })
})

test('no recipient is attempted after a cancel has returned, even with 20 cancels during sending', async () => {
  const { provider } = scriptedProvider()
  const jobs = []
  for (let n = 0; n < 20; n++) jobs.push(await context.add.job({ recipients: people(40) }))
  for (let n = 0; n < 3; n++) context.worker(provider)
  const attempted = async (jobId: number) =>
    (await context.deliveries(jobId)).filter(({ attempt }) => attempt > 0).length

  const atAnswer = await Promise.all(
    jobs.map(async (job, n) => {
      await until('some recipients are attempted', async () => (await attempted(job.id)) > n / 2)
      await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))
      return attempted(job.id)
    }),
  )
  const control = await context.add.job()
  await context.untilStatus(control.id, 'Completed')

  expect(await Promise.all(jobs.map((job) => attempted(job.id)))).toEqual(atAnswer)
})

test('a paused job sends nothing, and the other jobs of its instance continue', async () => {
  const { provider, ledger } = scriptedProvider()
  const { id: instanceId } = await context.add.instance()
  const paused = await context.add.job({ instanceId, pausedAt: '2026-01-01T00:00:00.000Z' })
  const job = await context.add.job({ instanceId })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')
  await context.untilStatus(paused.id, 'Running')

  expect(await whyWaiting(context.db, paused.id)).toMatchObject({ waiting: reason('paused') })
  expect(ledger).toHaveLength(3)
})

test('stop() waits for the message in flight, saves its result and releases the instance at once', async () => {
  const { provider, calls, holdSends } = scriptedProvider()
  const answer = holdSends()
  const job = await context.add.job()
  const engine = context.worker(provider)
  await until('a send is under way', () => calls.sends.length === 1)

  const stopped = engine.stop()
  answer()
  await stopped

  expect(await context.statuses(job.id)).toEqual(['sent', 'queued', 'queued'])
  expect(await context.instance(job.instanceId)).toMatchObject({
    claim: null,
    leaseUntil: null,
    inFlight: null,
  })
})

test('an image is uploaded once per job and sent by its id', async () => {
  const { provider, calls, ledger } = scriptedProvider()
  const image = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  const job = await context.add.job({ imageId: image.id, textContent: 'Caption' })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(calls.uploads).toBe(1)
  expect(ledger.map(({ text, mediaId }) => [text, mediaId])).toEqual(
    Array.from({ length: 3 }, () => ['Caption', 'media-1']),
  )
})

test('an image that the provider forgot is uploaded again; forgotten twice, the recipient fails', async () => {
  const { provider, script, accept, calls } = scriptedProvider()
  const image = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('b.png', 'image/png', 1) returning id`)
  script.onSend = (send) =>
    send.mediaId === 'media-1' || send.to === '3@g.us' ? { kind: 'media_gone' } : accept(send)
  const job = await context.add.job({ imageId: image.id })
  context.worker(provider)

  await context.untilStatus(job.id, 'Completed')

  expect(await context.statuses(job.id)).toEqual(['sent', 'sent', 'failed'])
  expect((await context.deliveries(job.id))[2]?.reason?.code).toBe('media_missing')
  expect(calls.uploads).toBe(3)
})

test('an image is tried again while its store is down, and the log says why', async () => {
  const { provider } = scriptedProvider()
  const image = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('d.png', 'image/png', 1) returning id`)
  let isDown = true
  const openMedia = async () => {
    if (isDown) throw new Error('The bucket is gone')
    return oneByteFile()
  }
  const job = await context.add.job({ imageId: image.id })
  context.worker(provider, { openMedia })

  await until('the failed upload is logged', async () =>
    (await context.log(job.id)).includes('image_upload_failed'),
  )
  const { reason } = await context.db.one<{ reason: Reason }>(sql`
    select reason from job_logs where job_id = ${job.id} and reason->>'code' = 'image_upload_failed'`)
  expect(reason.params.why).toBe('image_store_down')

  isDown = false
  await context.moveClock('10 minutes')
  await context.untilStatus(job.id, 'Completed')
})

test('a job whose image cannot be uploaded takes its turns and logs the problem once', async () => {
  const { provider, script } = scriptedProvider()
  const image = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('e.png', 'image/png', 1) returning id`)
  script.onUpload = () => ({
    kind: 'busy',
    reason: { code: 'provider_error', params: { status: 503 } },
    retryAfterMs: null,
  })
  const stuck = await context.add.job({ imageId: image.id })
  const other = await context.add.job({ instanceId: stuck.instanceId })
  context.worker(provider)

  await until('the other job is Completed', async () => {
    await context.moveClock('1 minute')
    return (await context.jobStatus(other.id)) === 'Completed'
  })

  expect(await context.statuses(stuck.id)).toEqual(['queued', 'queued', 'queued'])
  expect(await context.log(stuck.id)).toEqual(['job_started', 'image_upload_failed'])
})

test('a refused image fails the whole job with the reason', async () => {
  const { provider, script } = scriptedProvider()
  const image = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('c.png', 'image/png', 1) returning id`)
  script.onUpload = () => ({ kind: 'rejected', reason: { code: 'media_refused', params: {} } })
  const job = await context.add.job({ imageId: image.id })
  context.worker(provider)

  await context.untilStatus(job.id, 'Failed')

  expect(new Set((await context.deliveries(job.id)).map((row) => row.reason?.code))).toEqual(
    new Set(['media_refused']),
  )
  expect(await context.log(job.id)).toEqual(['job_started', 'media_refused', 'job_failed'])
})

test('an instance in trouble waits with its reason, is checked again, and continues by itself', async () => {
  const { provider, script, accept, calls } = scriptedProvider()
  let linked = false
  script.onSend = (send) =>
    linked
      ? accept(send)
      : { kind: 'account', problem: 'account_not_linked', reason: { code: 'account_not_linked', params: {} } }
  script.onStatus = () => ({ status: linked ? 'Connected' : 'NeedsLogin', linkedNumber: null })
  const job = await context.add.job()
  context.worker(provider)
  await context.untilWaiting(job.id, 'account_not_linked')
  expect(await context.instance(job.instanceId)).toMatchObject({ status: 'NeedsLogin' })
  expect(calls).toMatchObject({ status: 0, sends: { length: 1 } })

  await context.moveClock('31 seconds')
  await until('the instance is checked', () => calls.status === 1)
  linked = true
  await context.moveClock('62 seconds')
  await context.untilStatus(job.id, 'Completed')

  expect(calls.status).toBe(2)
  expect(await context.log(job.id)).toEqual([
    'job_started',
    'account_waits',
    'account_resumed',
    'job_completed',
  ])
})

test('an instance that looks healthy but refuses every message fails its job after the whole wait', async () => {
  const { provider, script, calls } = scriptedProvider()
  script.onSend = () => ({
    kind: 'account',
    problem: 'account_unpaid',
    reason: { code: 'account_unpaid', params: {} },
  })
  const job = await context.add.job()
  context.worker(provider)
  for (let hours = 0; hours < 24; hours += 6) {
    const before = calls.sends.length
    await context.untilInstanceWaits(job.instanceId)
    await context.moveClock('6 hours')
    await until(
      'another send is refused, or the job has failed',
      async () => calls.sends.length > before || (await context.jobStatus(job.id)) === 'Failed',
    )
  }
  await context.untilStatus(job.id, 'Failed')

  expect((await context.deliveries(job.id)).map((row) => row.reason)).toEqual(
    Array.from({ length: 3 }, () => reason('account_wait_over', { why: 'account_unpaid' })),
  )
  expect(await context.log(job.id)).toEqual([
    'job_started',
    'account_waits',
    'account_wait_over',
    'job_failed',
  ])
})

test('a message that was in flight when the trouble began does not end it, and the job keeps its whole wait', async () => {
  const { provider, calls, holdSends } = scriptedProvider()
  const answer = holdSends()
  const job = await context.add.job()
  const engine = context.worker(provider)
  await until('a send is under way', () => calls.sends.length === 1)
  await context.db.run(sql`update jobs set started_at = clock_now() - interval '3 days' where id = ${job.id}`)

  await markInstanceTrouble(context.db, job.instanceId, 'NeedsLogin')
  answer()
  await context.untilStatuses(job.id, 'sent', 'queued', 'queued')
  await engine.stop()
  await failOverdue(context.db, DAY_MS)

  expect(await context.statuses(job.id)).toEqual(['sent', 'queued', 'queued'])
  expect(await context.log(job.id)).toEqual(['job_started', 'account_waits'])
  await context.moveClock('1 day')
  await failOverdue(context.db, DAY_MS)
  expect(await context.statuses(job.id)).toEqual(['sent', 'failed', 'failed'])
})

test('an inactive instance fails no job, and its wait starts over when it is activated again', async () => {
  const { id: instanceId } = await context.add.instance({ isActive: false })
  const job = await context.add.job({ instanceId, status: 'Running' })
  await markInstanceTrouble(context.db, instanceId, 'NeedsLogin')
  await context.moveClock('2 days')
  await failOverdue(context.db, DAY_MS)
  expect(await context.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])

  await context.db.run(sql`update instances set is_active = true where id = ${instanceId}`)
  await markInstanceActive(context.db, instanceId)
  await context.moveClock('23 hours')
  await failOverdue(context.db, DAY_MS)
  expect(await context.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
  await context.moveClock('1 hour')
  await failOverdue(context.db, DAY_MS)
  expect(await context.jobStatus(job.id)).toBe('Failed')
})

test('a status check that finds the instance connected ends its wait at once', async () => {
  const { provider, script, accept } = scriptedProvider()
  let linked = false
  script.onSend = (send) =>
    linked
      ? accept(send)
      : { kind: 'account', problem: 'account_not_linked', reason: { code: 'account_not_linked', params: {} } }
  const job = await context.add.job()
  context.worker(provider)
  await context.untilInstanceWaits(job.instanceId)

  linked = true
  await markInstanceHealthy(context.db, job.instanceId)

  await context.untilStatus(job.id, 'Completed')
})

test('after ten failures in a row the instance waits until a user resumes it', async () => {
  const { provider, script, accept, calls } = scriptedProvider()
  let refuses = true
  script.onSend = (send) =>
    refuses ? { kind: 'rejected', reason: { code: 'not_on_whatsapp', params: {} } } : accept(send)
  const job = await context.add.job({ recipients: people(12) })
  context.worker(provider)
  await context.untilWaiting(job.id, 'account_failures')
  expect(calls.sends).toHaveLength(10)
  const failures = Array.from({ length: 10 }, () => 'delivery_failed')
  expect(await context.log(job.id)).toEqual(['job_started', ...failures, 'account_waits'])

  await markInstanceHealthy(context.db, job.instanceId)
  await context.moveClock('2 days')
  refuses = false
  const other = await context.add.job()
  await context.untilStatus(other.id, 'Completed')
  expect(calls).toMatchObject({ sends: { length: 13 }, status: 0 })

  await resumeSending(context.db, job.instanceId, 'Ann')
  await context.untilStatus(job.id, 'Completed')
  expect(await context.log(job.id)).toEqual(expect.arrayContaining(['account_waits', 'account_resumed_by']))
})
