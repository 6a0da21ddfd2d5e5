import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { countWaiting } from '../../test/locks.ts'
import { json, sql } from '../platform/database/sql.ts'
import { claimAccounts } from './claim.ts'
import { cancelJob, pauseJob, recipientCounts, restartJob, resumeJob, whyWaiting } from './index.ts'

const world = useEngineWorld()

const isPaused = async (jobId: number) =>
  (await world.db.run(sql`select from jobs where id = ${jobId} and paused_at is not null`)) === 1

async function untilStatus(jobId: number, status: string) {
  await world.until(async () => (await world.jobStatus(jobId)) === status)
}

/** A job that is overdue beside it has failed: the engine has looked for such jobs. */
async function overdueHaveFailed() {
  const long = '2000-01-01T00:00:00Z'
  const waiting = json({ code: 'account_unpaid', params: {} })
  const { id: instanceId } = await world.add.instance({
    waiting,
    waitingSince: long,
    tryAgainAt: '2999-01-01',
  })
  const { id } = await world.add.job({ instanceId, status: 'Running', startedAt: long })
  await untilStatus(id, 'Failed')
}

/** The account in our hands, as a worker has it. */
async function claimOne() {
  const [claim] = await claimAccounts(world.db, 10)
  if (!claim) throw new Error('Nothing was claimed')
  return claim
}

test('a paused job sends nothing and says so; resumed, it goes on where it stopped', async () => {
  const { provider, ledger } = world.scripted()
  const job = await world.add.job()
  expect(await pauseJob(world.db, job.id, 'Ann')).toBe('done')
  world.worker(provider)
  await untilStatus(job.id, 'Running') // due is due: the pause holds back the sends only
  const other = await world.add.job({ instanceId: job.instanceId })
  await untilStatus(other.id, 'Completed')

  expect((await whyWaiting(world.db, job.id)).waiting?.code).toBe('paused')
  expect(ledger).toHaveLength(3)
  expect(await resumeJob(world.db, job.id, 'Bob')).toBe('done')

  await untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(6)
  expect(await world.log(job.id)).toEqual(['job_paused', 'job_started', 'job_resumed', 'job_completed'])
})

test('a job that is paused, or not paused, or has ended, is left as it is', async () => {
  const job = await world.add.job()
  expect(await resumeJob(world.db, job.id, 'Ann')).toBe('not_allowed')
  expect(await pauseJob(world.db, job.id, 'Ann')).toBe('done')
  expect(await pauseJob(world.db, job.id, 'Ann')).toBe('not_allowed')

  await cancelJob(world.db, job.id, 'Ann')

  expect(await isPaused(job.id)).toBe(false)
  expect(await pauseJob(world.db, job.id, 'Ann')).toBe('not_allowed')
  expect(await resumeJob(world.db, job.id, 'Ann')).toBe('not_allowed')
  expect(await restartJob(world.db, job.id, 'Ann')).toBe('done')
  expect(await isPaused(job.id)).toBe(false)
})

test('an intent that waits behind a pause sees it, although its snapshot is older', async () => {
  const { db } = world
  const job = await world.add.job({ status: 'Running' })
  const claim = await claimOne()

  const [paused, step] = await db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${job.instanceId} for update`)
    const pausing = pauseJob(db, job.id, 'Ann')
    await world.until(async () => (await countWaiting(db)) === 1)
    const intending = world.ask(claim)
    await world.until(async () => (await countWaiting(db)) === 2)
    // Not awaited inside: both go on when this transaction ends.
    return [{ pausing }, { intending }] as const
  })

  expect(await paused.pausing).toBe('done')
  expect(await step.intending).toEqual({ kind: 'nothing' })
  expect(await world.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])
})

test('what was in flight when the job was paused is recorded, and the last one ends the job', async () => {
  const { db } = world
  const job = await world.add.job({ recipients: ['1@g.us'] })
  await db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
  const work = await world.ask(await claimOne())
  if (work.kind !== 'send') throw new Error('No intent was written')

  await pauseJob(db, job.id, 'Ann')
  await world.record(work, { kind: 'sent', providerMessageId: 'message-of-the-pause' })
  world.worker(world.scripted().provider)

  await untilStatus(job.id, 'Completed')
  expect(await recipientCounts(db, job.id)).toMatchObject({ total: 1, sent: 1, waiting: 0 })
  expect(await isPaused(job.id)).toBe(false)
})

test('many pauses in the middle of sending: nobody is attempted after the answer, and all get it after the resume', async () => {
  const { provider, ledger } = world.scripted()
  const people = Array.from({ length: 40 }, (_, n) => `849${n}@s.whatsapp.net`)
  const jobs = []
  for (let n = 0; n < 10; n++) jobs.push(await world.add.job({ recipients: people }))
  for (let n = 0; n < 3; n++) world.worker(provider)
  const attempted = async (jobId: number) =>
    (await world.deliveries(jobId)).filter(({ attempt }) => attempt > 0).length

  const atAnswer = await Promise.all(
    jobs.map(async (job, n) => {
      await world.until(async () => (await attempted(job.id)) > n / 2)
      const answer = await pauseJob(world.db, job.id, 'Ann')
      return answer === 'done' ? attempted(job.id) : 40
    }),
  )
  const control = await world.add.job()
  await untilStatus(control.id, 'Completed')
  expect(await Promise.all(jobs.map((job) => attempted(job.id)))).toEqual(atAnswer)

  for (const job of jobs) await resumeJob(world.db, job.id, 'Ann')
  for (const job of jobs) await untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(10 * 40 + 3)
})

test('a paused job outlives its account’s trouble; only what is due from the resume on counts', async () => {
  const { provider, script } = world.scripted()
  const why = { code: 'account_unpaid', params: {} } as const
  script.onSend = () => ({ kind: 'account', problem: 'account_unpaid', reason: why })
  script.onStatus = () => ({ status: 'Unpaid', linkedNumber: null })
  const job = await world.add.job()
  world.worker(provider)
  await world.until(async () => (await world.account(job.instanceId))?.waiting)
  await pauseJob(world.db, job.id, 'Ann')

  await world.moveClock('2 days')
  await overdueHaveFailed()
  await resumeJob(world.db, job.id, 'Ann')
  await world.moveClock('23 hours')
  await overdueHaveFailed()
  expect(await world.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])

  await world.moveClock('2 hours')
  await untilStatus(job.id, 'Failed')
})
