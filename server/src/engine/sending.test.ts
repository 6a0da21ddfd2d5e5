import { setTimeout as delay } from 'node:timers/promises'
import type { Reason } from '@sendroom/contract/values'
import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { countWaiting } from '../../test/locks.ts'
import { sql } from '../platform/database/sql.ts'
import { failOverdue } from './account.ts'
import { claimAccounts } from './claim.ts'
import {
  accountHasTrouble,
  accountIsActive,
  accountIsWell,
  cancelJob,
  deleteJobs,
  hasUnsettled,
  planJob,
  restartJob,
  resumeAccount,
  whyWaiting,
} from './index.ts'
import { noneFresh } from './queue.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const world = useEngineWorld()

/** A promise and the key to it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const people = (count: number) => Array.from({ length: count }, (_, n) => `849${n}@s.whatsapp.net`)
const reason = (code: string, params = {}) => ({ code, params })

async function untilStatus(jobId: number, status: string) {
  await world.until(async () => (await world.jobStatus(jobId)) === status)
}

const times = async (jobId: number) =>
  (await world.db.many(sql`select started_at, completed_at from jobs where id = ${jobId}`))[0]

//
test('a job runs to its end: everybody gets the message once, in order', async () => {
  const { provider, ledger } = world.scripted()
  const job = await world.add.job({ textContent: 'Hello' })
  world.worker(provider)

  await untilStatus(job.id, 'Completed')

  expect(ledger.map(({ to, text }) => [to, text])).toEqual([
    ['1@g.us', 'Hello'],
    ['2@g.us', 'Hello'],
    ['3@g.us', 'Hello'],
  ])
  expect(await world.statuses(job.id)).toEqual(['sent', 'sent', 'sent'])
  expect(await world.log(job.id)).toEqual(['job_started', 'job_completed'])
  expect(await times(job.id)).toEqual({ startedAt: expect.any(String), completedAt: expect.any(String) })
})

test('a job that is being created, however large, holds its account back from nothing', async () => {
  const { provider } = world.scripted()
  const job = await world.add.job()

  await world.db.begin(async (tx) => {
    await planJob(tx, {
      jobType: 'SendToGroups',
      messageId: null,
      textContent: 'Large',
      imageId: null,
      instanceId: job.instanceId,
      scheduledAt: null,
      createdBy: { id: (await world.add.user()).id, name: 'Lan' },
      recipients: [{ chatId: '9@g.us', name: 'Nine', groupId: null }],
    })
    world.worker(provider)
    await untilStatus(job.id, 'Completed')
  })

  expect(await world.statuses(job.id)).toEqual(['sent', 'sent', 'sent'])
})

test('ten workers share the accounts: each account sends one message after another, none twice', async () => {
  const { provider, script, accept, ledger } = world.scripted()
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
  for (let account = 0; account < 5; account++) {
    const { id: instanceId } = await world.add.instance()
    for (let n = 0; n < 2; n++)
      jobs.push(
        await world.add.job({ instanceId, textContent: `Job ${account} ${n}`, recipients: people(20) }),
      )
  }
  for (let n = 0; n < 10; n++) world.worker(provider)

  for (const job of jobs) await untilStatus(job.id, 'Completed')

  expect(overlaps).toBe(0)
  expect(ledger).toHaveLength(200)
  expect(new Set(ledger.map(({ to, text }) => `${to} ${text}`)).size).toBe(200)
})

//
test('a scheduled job waits for its time, starts when it has come, however late we return', async () => {
  const { provider, ledger } = world.scripted()
  const { at } = await world.db.one<{ at: string }>(sql`select clock_now() + interval '3 hours' as at`)
  const job = await world.add.job({ scheduledAt: at })
  const first = world.worker(provider)
  const other = await world.add.job()
  await untilStatus(other.id, 'Completed')
  expect(await world.jobStatus(job.id)).toBe('Pending')
  await first.stop()

  await world.moveClock('3 days')
  world.worker(provider)
  await untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(6)
})

//
test('a due job becomes Running whatever its account does, and says why it sends nothing', async () => {
  const { provider, calls } = world.scripted()
  const { id: instanceId } = await world.add.instance({ isActive: false })
  const job = await world.add.job({ instanceId })
  world.worker(provider)

  await untilStatus(job.id, 'Running')

  expect(await times(job.id)).toEqual({ startedAt: expect.any(String), completedAt: null })
  expect(await whyWaiting(world.db, job.id)).toEqual({
    waiting: reason('account_inactive'),
    nextSendAt: null,
  })
  expect(calls.sends).toHaveLength(0)

  await world.db.run(sql`update instances set is_active = true where id = ${instanceId}`)
  await untilStatus(job.id, 'Completed')
})

//
test('a rejected recipient fails with its reason; the job is Failed only when nobody got it', async () => {
  const { provider, script, accept } = world.scripted()
  script.onSend = (send) =>
    send.to === '2@g.us' || send.text === 'Refused'
      ? { kind: 'rejected', reason: { code: 'refused', params: { detail: 'no' } } }
      : accept(send)
  const job = await world.add.job({ textContent: 'Hello' })
  const refused = await world.add.job({ textContent: 'Refused' })
  world.worker(provider)

  await untilStatus(job.id, 'Completed')
  await untilStatus(refused.id, 'Failed')

  expect(await world.statuses(job.id)).toEqual(['sent', 'failed', 'sent'])
  expect((await world.deliveries(job.id))[1]?.reason).toEqual(reason('refused', { detail: 'no' }))
  expect(await world.log(job.id)).toEqual(['job_started', 'delivery_failed', 'job_completed'])
  expect(await world.log(refused.id)).toContain('job_failed')
})

test('a busy provider gets a rest, and nobody is lost', async () => {
  const { provider, script, accept, ledger } = world.scripted()
  let busy = 2
  script.onSend = (send) =>
    busy-- > 0
      ? { kind: 'busy', reason: reason('provider_busy') as never, retryAfterMs: 3_600_000 }
      : accept(send)
  const job = await world.add.job()
  world.worker(provider)
  await world.until(async () => (await whyWaiting(world.db, job.id)).waiting?.code === 'provider_busy')
  const { inFlight, sentByHour } = (await world.account(job.instanceId)) ?? {}
  expect({ inFlight, sentByHour }).toEqual({ inFlight: null, sentByHour: {} })

  await world.moveClock('61 minutes')
  await world.until(async () => (await world.account(job.instanceId))?.busyInARow === 2)
  await world.moveClock('61 minutes')
  await untilStatus(job.id, 'Completed')

  expect(ledger).toHaveLength(3)
  expect(await world.log(job.id)).toEqual(['job_started', 'delivery_retry', 'job_completed'])
})

test('jobs of one account take turns: the small one beside the large one is through at once', async () => {
  const { provider, ledger } = world.scripted()
  const { id: instanceId } = await world.add.instance()
  const large = await world.add.job({ instanceId, textContent: 'large', recipients: people(300) })
  const small = await world.add.job({ instanceId, textContent: 'small', recipients: people(3) })
  world.worker(provider)

  await untilStatus(large.id, 'Completed')

  const texts = ledger.map(({ text }) => text)
  expect(texts.lastIndexOf('small')).toBeLessThan(8)
  expect(await world.jobStatus(small.id)).toBe('Completed')
})

test('after a cancel no send begins; what was in flight is recorded and holds back a restart', async () => {
  const { provider, script, accept, calls, ledger } = world.scripted()
  const { open, opened } = gate()
  script.onSend = async (send) => {
    await opened
    return accept(send)
  }
  const job = await world.add.job()
  world.worker(provider)
  await world.until(() => calls.sends.length === 1)
  expect(await hasUnsettled(world.db, job.instanceId)).toBe(true)

  expect(await cancelJob(world.db, job.id, 'Ann')).toBe('done')
  expect(await restartJob(world.db, job.id, 'Ann')).toBe('settling')
  expect(await deleteJobs(world.db, [job.id], 'Ann', 0)).toBe('busy')
  open()
  await world.until(async () => !(await hasUnsettled(world.db, job.instanceId)))

  expect(await world.statuses(job.id)).toEqual(['sent', 'skipped', 'skipped'])
  expect(await world.jobStatus(job.id)).toBe('Cancelled')
  expect(ledger).toHaveLength(1)
  expect(await restartJob(world.db, job.id, 'Ann')).toBe('done')
  await untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(4)
})

test('a message given back after the cancel is skipped, not sent', async () => {
  const { provider, script, calls } = world.scripted()
  const { open, opened } = gate()
  script.onSend = async () => {
    await opened
    return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: 0 }
  }
  const job = await world.add.job()
  world.worker(provider)
  await world.until(() => calls.sends.length === 1)

  await cancelJob(world.db, job.id, 'Ann')
  open()

  await world.until(async () => (await world.statuses(job.id)).every((status) => status === 'skipped'))
  expect(calls.sends).toHaveLength(1)
})

test('an intent that waits behind a cancel sees it, although its snapshot is older', async () => {
  const { db } = world
  const job = await world.add.job({ status: 'Running' })
  const [claim] = await claimAccounts(db, 10)
  if (!claim) throw new Error('Nothing was claimed')

  const [cancelled, step] = await db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${job.instanceId} for update`)
    const cancelling = cancelJob(db, job.id, 'Ann')
    await world.until(async () => (await countWaiting(world.db)) === 1)
    const intending = world.ask(claim)
    await world.until(async () => (await countWaiting(world.db)) === 2)
    // Not awaited inside: both go on when this transaction ends.
    return [{ cancelling }, { intending }] as const
  })

  expect(await cancelled.cancelling).toBe('done')
  expect(await step.intending).toEqual({ kind: 'nothing' })
  expect(await world.statuses(job.id)).toEqual(['skipped', 'skipped', 'skipped'])
})

test('an intent that waits while all the rest fails leaves the mark of the fresh rows where it is', async () => {
  const { db } = world
  const job = await world.add.job({ status: 'Running' })
  const [claim] = await claimAccounts(db, 10)
  if (!claim) throw new Error('Nothing was claimed')

  // As `failQueued` does, before the job is ended.
  const step = await db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${job.instanceId} for no key update`)
    await tx.run(sql`update deliveries set status = 'failed' where job_id = ${job.id}`)
    await tx.run(sql`update jobs set ${noneFresh(job.id)} where id = ${job.id}`)
    const intending = world.ask(claim)
    await world.until(async () => (await countWaiting(world.db)) === 1)
    return { intending }
  })
  await step.intending

  const left = await db.maybeOne(sql`
    select count(*) as fresh from deliveries d join jobs j on j.id = d.job_id where j.id = ${job.id} and d.id >= j.fresh_from`)
  expect(left).toEqual({ fresh: 0 })
})

test('many cancels in the middle of sending: nobody is attempted after the answer', async () => {
  const { provider } = world.scripted()
  const jobs = []
  for (let n = 0; n < 20; n++) jobs.push(await world.add.job({ recipients: people(40) }))
  for (let n = 0; n < 3; n++) world.worker(provider)
  const attempted = async (jobId: number) =>
    (await world.deliveries(jobId)).filter(({ attempt }) => attempt > 0).length

  const atAnswer = await Promise.all(
    jobs.map(async (job, n) => {
      await world.until(async () => (await attempted(job.id)) > n / 2)
      await cancelJob(world.db, job.id, 'Ann')
      return attempted(job.id)
    }),
  )
  const control = await world.add.job()
  await untilStatus(control.id, 'Completed')

  expect(await Promise.all(jobs.map((job) => attempted(job.id)))).toEqual(atAnswer)
})

test('a paused job sends nothing, and the others of its account go on', async () => {
  const { provider, ledger } = world.scripted()
  const { id: instanceId } = await world.add.instance()
  const paused = await world.add.job({ instanceId, pausedAt: '2026-01-01T00:00:00.000Z' })
  const job = await world.add.job({ instanceId })
  world.worker(provider)

  await untilStatus(job.id, 'Completed')
  await untilStatus(paused.id, 'Running')

  expect(await whyWaiting(world.db, paused.id)).toMatchObject({ waiting: reason('paused') })
  expect(ledger).toHaveLength(3)
})

test('stop() lets what is in flight finish, records it and hands the account over at once', async () => {
  const { provider, script, accept, calls } = world.scripted()
  const { open, opened } = gate()
  script.onSend = async (send) => {
    await opened
    return accept(send)
  }
  const job = await world.add.job()
  const engine = world.worker(provider)
  await world.until(() => calls.sends.length === 1)

  const stopped = engine.stop()
  open()
  await stopped

  expect(await world.statuses(job.id)).toEqual(['sent', 'queued', 'queued'])
  expect(await world.account(job.instanceId)).toMatchObject({ claim: null, leaseUntil: null, inFlight: null })
})

test('the image goes up once per job and is sent by its id', async () => {
  const { provider, calls, ledger } = world.scripted()
  const image = await world.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('a.png', 'image/png', 1) returning id`)
  const job = await world.add.job({ imageId: image.id, textContent: 'Caption' })
  world.worker(provider)

  await untilStatus(job.id, 'Completed')

  expect(calls.uploads).toBe(1)
  expect(ledger.map(({ text, mediaId }) => [text, mediaId])).toEqual(
    Array.from({ length: 3 }, () => ['Caption', 'media-1']),
  )
})

test('a forgotten image is uploaded again and its message sent; forgotten twice, the recipient fails', async () => {
  const { provider, script, accept, calls } = world.scripted()
  const image = await world.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('b.png', 'image/png', 1) returning id`)
  script.onSend = (send) =>
    send.mediaId === 'media-1' || send.to === '3@g.us' ? { kind: 'media_gone' } : accept(send)
  const job = await world.add.job({ imageId: image.id })
  world.worker(provider)

  await untilStatus(job.id, 'Completed')

  expect(await world.statuses(job.id)).toEqual(['sent', 'sent', 'failed'])
  expect((await world.deliveries(job.id))[2]?.reason?.code).toBe('media_missing')
  expect(calls.uploads).toBe(3)
})

test('an image whose store is away is tried again, and the log says what is wrong', async () => {
  const { provider } = world.scripted()
  const image = await world.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('d.png', 'image/png', 1) returning id`)
  let isAway = true
  const readImage = async () => {
    if (isAway) throw new Error('The bucket is gone')
    return { bytes: new Uint8Array([1]), mimeType: 'image/png' }
  }
  const job = await world.add.job({ imageId: image.id })
  world.worker(provider, { readImage })

  await world.until(async () => (await world.log(job.id)).includes('image_upload_failed'))
  const { reason } = await world.db.one<{ reason: Reason }>(sql`
    select reason from job_logs where job_id = ${job.id} and reason->>'code' = 'image_upload_failed'`)
  expect(reason.params.why).toBe('image_store_down')

  isAway = false
  await world.moveClock('10 minutes')
  await untilStatus(job.id, 'Completed')
})

test('a job whose image does not go up takes turns like any other, and says it once', async () => {
  const { provider, script } = world.scripted()
  const image = await world.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('e.png', 'image/png', 1) returning id`)
  script.onUpload = () => ({
    kind: 'busy',
    reason: { code: 'provider_error', params: { status: 503 } },
    retryAfterMs: null,
  })
  const stuck = await world.add.job({ imageId: image.id })
  const other = await world.add.job({ instanceId: stuck.instanceId })
  world.worker(provider)

  await world.until(async () => {
    await world.moveClock('1 minute')
    return (await world.jobStatus(other.id)) === 'Completed'
  })

  expect(await world.statuses(stuck.id)).toEqual(['queued', 'queued', 'queued'])
  expect(await world.log(stuck.id)).toEqual(['job_started', 'image_upload_failed'])
})

test('an image that is refused fails the whole job with the reason', async () => {
  const { provider, script } = world.scripted()
  const image = await world.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values ('c.png', 'image/png', 1) returning id`)
  script.onUpload = () => ({ kind: 'rejected', reason: { code: 'media_refused', params: {} } })
  const job = await world.add.job({ imageId: image.id })
  world.worker(provider)

  await untilStatus(job.id, 'Failed')

  expect(new Set((await world.deliveries(job.id)).map((row) => row.reason?.code))).toEqual(
    new Set(['media_refused']),
  )
  expect(await world.log(job.id)).toEqual(['job_started', 'media_refused', 'job_failed'])
})

test('an account in trouble waits with its reason, is asked again, and goes on by itself', async () => {
  const { provider, script, accept, calls } = world.scripted()
  let linked = false
  script.onSend = (send) =>
    linked
      ? accept(send)
      : { kind: 'account', problem: 'account_not_linked', reason: { code: 'account_not_linked', params: {} } }
  script.onStatus = () => ({ status: linked ? 'Connected' : 'NeedsLogin', linkedNumber: null })
  const job = await world.add.job()
  world.worker(provider)
  await world.until(async () => (await whyWaiting(world.db, job.id)).waiting?.code === 'account_not_linked')
  expect(await world.account(job.instanceId)).toMatchObject({ status: 'NeedsLogin' })
  expect(calls).toMatchObject({ status: 0, sends: { length: 1 } })

  await world.moveClock('31 seconds')
  await world.until(() => calls.status === 1)
  linked = true
  await world.moveClock('62 seconds')
  await untilStatus(job.id, 'Completed')

  expect(calls.status).toBe(2)
  expect(await world.log(job.id)).toEqual([
    'job_started',
    'account_waits',
    'account_resumed',
    'job_completed',
  ])
})

test('an account that looks well and refuses everything comes to the end of its wait', async () => {
  const { provider, script, calls } = world.scripted()
  script.onSend = () => ({
    kind: 'account',
    problem: 'account_unpaid',
    reason: { code: 'account_unpaid', params: {} },
  })
  const job = await world.add.job()
  world.worker(provider)
  for (let hours = 0; hours < 24; hours += 6) {
    const before = calls.sends.length
    await world.until(async () => (await world.account(job.instanceId))?.waiting)
    await world.moveClock('6 hours')
    await world.until(async () => calls.sends.length > before || (await world.jobStatus(job.id)) === 'Failed')
  }
  await untilStatus(job.id, 'Failed')

  expect((await world.deliveries(job.id)).map((row) => row.reason)).toEqual(
    Array.from({ length: 3 }, () => reason('account_wait_over', { why: 'account_unpaid' })),
  )
  expect(await world.log(job.id)).toEqual(['job_started', 'account_waits', 'account_wait_over', 'job_failed'])
})

test('a message on its way when the provider tells of trouble does not end it: the job keeps its whole wait', async () => {
  const { provider, script, accept, calls } = world.scripted()
  const answer = gate()
  script.onSend = async (send) => {
    await answer.opened
    return accept(send)
  }
  const job = await world.add.job()
  const engine = world.worker(provider)
  await world.until(() => calls.sends.length === 1)
  await world.db.run(sql`update jobs set started_at = clock_now() - interval '3 days' where id = ${job.id}`)

  await accountHasTrouble(world.db, job.instanceId, 'NeedsLogin')
  answer.open()
  await world.until(async () => (await world.statuses(job.id))[0] === 'sent')
  await engine.stop()
  await failOverdue(world.db, DAY_MS)

  expect(await world.statuses(job.id)).toEqual(['sent', 'queued', 'queued'])
  expect(await world.log(job.id)).toEqual(['job_started', 'account_waits'])
  await world.moveClock('1 day')
  await failOverdue(world.db, DAY_MS)
  expect(await world.statuses(job.id)).toEqual(['sent', 'failed', 'failed'])
})

test('an inactive account gives up on nothing, and begins its wait anew when it is active again', async () => {
  const { id: instanceId } = await world.add.instance({ isActive: false })
  const job = await world.add.job({ instanceId, status: 'Running' })
  await accountHasTrouble(world.db, instanceId, 'NeedsLogin')
  await world.moveClock('2 days')
  await failOverdue(world.db, DAY_MS)
  expect(await world.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])

  await world.db.run(sql`update instances set is_active = true where id = ${instanceId}`)
  await accountIsActive(world.db, instanceId)
  await world.moveClock('23 hours')
  await failOverdue(world.db, DAY_MS)
  expect(await world.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
  await world.moveClock('1 hour')
  await failOverdue(world.db, DAY_MS)
  expect(await world.jobStatus(job.id)).toBe('Failed')
})

test('a status check that sees the account connected lets it go on at once', async () => {
  const { provider, script, accept } = world.scripted()
  let linked = false
  script.onSend = (send) =>
    linked
      ? accept(send)
      : { kind: 'account', problem: 'account_not_linked', reason: { code: 'account_not_linked', params: {} } }
  const job = await world.add.job()
  world.worker(provider)
  await world.until(async () => (await world.account(job.instanceId))?.waiting)

  linked = true
  await accountIsWell(world.db, job.instanceId)

  await untilStatus(job.id, 'Completed')
})

test('ten failures in a row make the account wait until a person resumes it', async () => {
  const { provider, script, accept, calls } = world.scripted()
  let refuses = true
  script.onSend = (send) =>
    refuses ? { kind: 'rejected', reason: { code: 'not_on_whatsapp', params: {} } } : accept(send)
  const job = await world.add.job({ recipients: people(12) })
  world.worker(provider)
  await world.until(async () => (await whyWaiting(world.db, job.id)).waiting?.code === 'account_failures')
  expect(calls.sends).toHaveLength(10)
  const failures = Array.from({ length: 10 }, () => 'delivery_failed')
  expect(await world.log(job.id)).toEqual(['job_started', ...failures, 'account_waits'])

  await accountIsWell(world.db, job.instanceId)
  await world.moveClock('2 days')
  refuses = false
  const other = await world.add.job()
  await untilStatus(other.id, 'Completed')
  expect(calls).toMatchObject({ sends: { length: 13 }, status: 0 })

  await resumeAccount(world.db, job.instanceId, 'Ann')
  await untilStatus(job.id, 'Completed')
  expect(await world.log(job.id)).toEqual(expect.arrayContaining(['account_waits', 'account_resumed_by']))
})
