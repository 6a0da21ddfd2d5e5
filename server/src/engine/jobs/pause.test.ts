import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { cancelJob, pauseJob, recipientCounts, restartJob, resumeJob, whyWaiting } from '../index.ts'

const context = useEngineContext()

const isPaused = async (jobId: number) =>
  (await context.db.run(sql`select from jobs where id = ${jobId} and paused_at is not null`)) === 1

/** Waits until the worker has failed overdue jobs: adds a job that is overdue, and waits until that one has failed. */
async function untilOverdueHaveFailed() {
  const longAgo = '2000-01-01T00:00:00Z'
  const waiting = json({ code: 'account_unpaid', params: {} })
  const { id: instanceId } = await context.add.instance({
    waiting,
    waitingSince: longAgo,
    tryAgainAt: '2999-01-01',
  })
  const { id } = await context.add.job({ instanceId, status: 'Running', startedAt: longAgo })
  await context.untilStatus(id, 'Failed')
}

test('a paused job sends nothing and says so, and continues where it stopped after a resume', async () => {
  const { provider, ledger } = scriptedProvider()
  const job = await context.add.job()
  expect(await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))).toBe('done')
  context.worker(provider)
  await context.untilStatus(job.id, 'Running') // a pause holds back only the sends
  const other = await context.add.job({ instanceId: job.instanceId })
  await context.untilStatus(other.id, 'Completed')

  expect((await whyWaiting(context.db, job.id)).waiting?.code).toBe('paused')
  expect(ledger).toHaveLength(3)
  expect(await context.db.begin((tx) => resumeJob(tx, job.id, 'Bob'))).toBe('done')

  await context.untilStatus(job.id, 'Completed')
  expect(ledger).toHaveLength(6)
  expect(await context.log(job.id)).toEqual(['job_paused', 'job_started', 'job_resumed', 'job_completed'])
})

test('only an unfinished job can be paused, and only a paused job can be resumed', async () => {
  const job = await context.add.job()
  expect(await context.db.begin((tx) => resumeJob(tx, job.id, 'Ann'))).toBe('not_allowed')
  expect(await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))).toBe('not_allowed')

  await context.db.begin((tx) => cancelJob(tx, job.id, 'Ann'))

  expect(await isPaused(job.id)).toBe(false)
  expect(await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))).toBe('not_allowed')
  expect(await context.db.begin((tx) => resumeJob(tx, job.id, 'Ann'))).toBe('not_allowed')
  expect(await context.db.begin((tx) => restartJob(tx, job.id, 'Ann'))).toBe('done')
  expect(await isPaused(job.id)).toBe(false)
})

test('the message in flight at a pause is settled, and the last one ends the job', async () => {
  const { db } = context
  const job = await context.add.job({ recipients: ['1@g.us'] })
  await db.run(sql`update jobs set status = 'Running' where id = ${job.id}`)
  const { message } = await context.beginSend()

  await db.begin((tx) => pauseJob(tx, job.id, 'Ann'))
  await context.settle(message, { kind: 'sent', providerMessageId: 'message-of-the-pause' })
  context.worker(scriptedProvider().provider)

  await context.untilStatus(job.id, 'Completed')
  expect(await recipientCounts(db, job.id)).toMatchObject({ total: 1, sent: 1, waiting: 0 })
  expect(await isPaused(job.id)).toBe(false)
})

test('a paused job outlasts its instance’s trouble, and its wait starts over with the resume', async () => {
  const { provider, script } = scriptedProvider()
  const why = { code: 'account_unpaid', params: {} } as const
  script.onSend = () => ({ kind: 'account', problem: 'account_unpaid', reason: why })
  script.onStatus = () => ({ status: 'Unpaid', linkedNumber: null })
  const job = await context.add.job()
  context.worker(provider)
  await context.untilInstanceWaits(job.instanceId)
  await context.db.begin((tx) => pauseJob(tx, job.id, 'Ann'))

  await context.moveClock('2 days')
  await untilOverdueHaveFailed()
  await context.db.begin((tx) => resumeJob(tx, job.id, 'Ann'))
  await context.moveClock('23 hours')
  await untilOverdueHaveFailed()
  expect(await context.statuses(job.id)).toEqual(['queued', 'queued', 'queued'])

  await context.moveClock('2 hours')
  await context.untilStatus(job.id, 'Failed')
})
