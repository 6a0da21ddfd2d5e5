import { beforeEach, describe, expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { sql } from '../../platform/database/sql.ts'
import { cancelJob, recipientCounts, restartJob, retryFailed } from '../index.ts'
import { failQueued } from '../jobs/fail-queued.ts'
import { openHeartbeat } from './heartbeat.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }
const recipients = ['1@g.us', '2@g.us', '3@g.us']
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

beforeEach(() => openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat())

/** A running job, of which the provider has messages that this database has lost, and another job of its instance. */
async function afterLoss(lost: string[], instance: Record<string, unknown> = {}) {
  const { id: instanceId } = await context.add.instance({ checkedEra: null, ...instance })
  const job = await context.add.job({ instanceId, status: 'Running', recipients, textContent: 'Hello' })
  const other = () => context.add.job({ instanceId, status: 'Running', recipients: ['4@g.us'] })
  const scripted = scriptedProvider()
  for (const to of lost) scripted.accept({ token: 'any', to, text: 'Hello', mediaId: null })
  const sentTo = () => scripted.ledger.filter(({ text }) => text === 'Hello').map(({ to }) => to)
  return { ...scripted, instanceId, job, other, sentTo }
}

/** Another job runs first, whose check covers the instance. Then the job is sent to the remaining recipients. */
async function otherJobThenRetry({ job, other, provider }: Awaited<ReturnType<typeof afterLoss>>) {
  context.worker(provider)
  await context.untilStatus((await other()).id, 'Completed')
  const answer = await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))
  if (answer === 'done') await context.untilStatus(job.id, 'Completed')
  return answer
}

const reasonOver = { code: 'account_wait_over', params: {} } as const

type Job = { id: number; instanceId: number }

const failByWait = ({ id: jobId, instanceId }: Job) =>
  failQueued(context.db, { jobId, instanceId }, reasonOver)

const endings: Record<string, (job: Job) => Promise<unknown>> = {
  'a cancel': ({ id }) => context.db.begin((tx) => cancelJob(tx, id, 'Ann')),
  'the end of ACCOUNT_WAIT': failByWait,
}

describe('a job that ended before its instance was checked', () => {
  test.each(Object.entries(endings))(
    '%s, another job, send to remaining: nobody gets it twice',
    async (_, end) => {
      const world = await afterLoss(['1@g.us', '3@g.us'])
      await end(world.job)

      expect(await otherJobThenRetry(world)).toBe('done')

      expect(world.sentTo().sort()).toEqual(recipients)
      expect(world.calls.histories).toBe(1)
      expect(await context.log(world.job.id)).toContain('history_found')
    },
  )

  test('its found messages count for the cap and in the job, which keeps its status', async () => {
    const world = await afterLoss(['1@g.us', '3@g.us'], { groupCap: 100 })
    await failByWait(world.job)
    context.worker(world.provider)
    await context.untilStatus((await world.other()).id, 'Completed')

    expect(await recipientCounts(context.db, world.job.id)).toMatchObject({ sent: 2, failed: 1 })
    expect(
      await context.db.one(sql`select status, failed_count from jobs where id = ${world.job.id}`),
    ).toEqual({
      status: 'Failed',
      failedCount: 1,
    })
    const { used } = await context.db.one<{ used: number }>(sql`
      select sum(value::int)::int as used from instances, jsonb_each_text(sent_by_hour) where id = ${world.instanceId}`)
    expect(used).toBe(3)
    expect(await context.statuses(world.job.id)).toEqual(['sent', 'failed', 'sent'])
  })

  test('is matched even if it is cancelled while the history is read', async () => {
    const world = await afterLoss(['1@g.us', '3@g.us'])
    world.script.onHistory = async () => {
      await context.db.begin((tx) => cancelJob(tx, world.job.id, 'Ann'))
      return world.ledger.map(({ message }) => message)
    }

    expect(await otherJobThenRetry(world)).toBe('done')

    expect(world.sentTo().sort()).toEqual(recipients)
  })

  test('is sent to everybody by a restart, which is another run', async () => {
    const world = await afterLoss(['1@g.us', '3@g.us'])
    for (const { message } of world.ledger) message.timestamp -= 120
    await context.db.begin((tx) => cancelJob(tx, world.job.id, 'Ann'))
    await context.db.begin((tx) => restartJob(tx, world.job.id, 'Ann'))
    context.worker(world.provider)

    await context.untilStatus(world.job.id, 'Completed')

    expect(world.sentTo()).toEqual(['1@g.us', '3@g.us', ...recipients])
  })
})

test('whom an ended job failed to reach does not take the message of another job', async () => {
  const world = await afterLoss([])
  const { id: refused } = world.job
  // The provider refused all before the loss, which is that of a later job with the same text.
  await context.db.run(sql`
    update deliveries set status = 'sending', intent = gen_random_uuid(), intent_at = ${inMinutes(-10)}
    where job_id = ${refused}`)
  await context.db.run(sql`update deliveries set status = 'failed' where job_id = ${refused}`)
  const later = await context.add.job({
    instanceId: world.instanceId,
    status: 'Running',
    recipients,
    textContent: 'Hello',
  })
  for (const to of recipients) world.accept({ token: 'any', to, text: 'Hello', mediaId: null })
  for (const { message } of world.ledger) message.timestamp -= 10
  await context.db.begin((tx) => cancelJob(tx, refused, 'Ann'))
  context.worker(world.provider)

  await context.untilStatus(later.id, 'Completed')

  expect(world.sentTo()).toEqual(recipients)
  expect(await context.statuses(refused)).toEqual(['failed', 'failed', 'failed'])
})

describe('a retry that the database has lost', () => {
  /** The job had ended in this database before the instance's last message. */
  async function afterLostRetry(failed: Record<string, unknown>, lost = ['1@g.us', '3@g.us']) {
    const world = await afterLoss(lost, { lastIntentAt: inMinutes(-1) })
    const { id } = world.job
    await context.db.run(sql`
      update deliveries set status = 'queued' where job_id = ${id}`)
    await failByWait(world.job)
    await context.db.run(sql`
      update jobs set created_at = ${inMinutes(-20)}, started_at = ${inMinutes(-20)}, completed_at = ${inMinutes(-10)}
      where id = ${id}`)
    await context.db.run(sql`
      update deliveries set provider_message_id = ${failed.id ?? null} where job_id = ${id} and chat_id = '1@g.us'`)
    return world
  }

  test.each([{ id: undefined }, { id: 'accepted and failed later' }])(
    'is found when another job is checked first: message id $id',
    async (failed) => {
      const world = await afterLostRetry(failed)

      expect(await otherJobThenRetry(world)).toBe('done')

      expect(world.sentTo().sort()).toEqual(recipients)
    },
  )

  //
  test('is left to those who send with care if its text is in a chat of no recipient', async () => {
    const world = await afterLostRetry({}, ['111@lid'])

    expect(await otherJobThenRetry(world)).toBe('nothing')

    expect(world.sentTo()).toEqual(['111@lid'])
  })
})

//
describe('our text in a chat of no recipient', () => {
  test('pauses the job, and only that', async () => {
    const world = await afterLoss(['111@lid'])
    const other = await world.other()
    context.worker(world.provider)

    await context.untilStatus(other.id, 'Completed')
    await context.untilWaiting(world.job.id, 'paused')

    expect(world.sentTo()).toEqual(['111@lid'])
    expect(await context.log(world.job.id)).toEqual(['history_unclear'])
  })

  test('leaves the rest of a job that has ended to those who send with care', async () => {
    const world = await afterLoss(['111@lid', '3@g.us'])
    await context.db.begin((tx) => cancelJob(tx, world.job.id, 'Ann'))

    expect(await otherJobThenRetry(world)).toBe('nothing')

    expect(await recipientCounts(context.db, world.job.id)).toMatchObject({ sent: 1, failed: 2, unknown: 2 })
    expect(world.sentTo()).toEqual(['111@lid', '3@g.us'])
  })

  test('counts nobody twice among the failed recipients of its day', async () => {
    const world = await afterLoss(['111@lid'])
    await failByWait(world.job)
    await otherJobThenRetry(world)

    expect(await recipientCounts(context.db, world.job.id)).toMatchObject({ failed: 3, unknown: 3 })
    // A worker may have folded the changes into the day.
    expect(
      await context.db.one(sql`
        select sum(failed) as failed from (
          select failed from delivery_changes where instance_id = ${world.instanceId} union all
          select failed from instance_days where instance_id = ${world.instanceId}) as of_the_day`),
    ).toEqual({ failed: 3 })
  })
})

test('a message that the history lists twice is one', async () => {
  const world = await afterLoss(['1@g.us'])
  const again = await context.add.job({
    instanceId: world.instanceId,
    status: 'Running',
    recipients,
    textContent: 'Hello',
  })
  world.script.onHistory = () => [...world.ledger, ...world.ledger].map(({ message }) => message)
  context.worker(world.provider)

  await context.untilStatus(world.job.id, 'Completed')
  await context.untilStatus(again.id, 'Completed')

  expect(world.sentTo().sort()).toEqual([...recipients, ...recipients].sort())
})
