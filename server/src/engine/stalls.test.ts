import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { people, useEngineContext } from '../../test/engine-context.ts'
import { hasten } from '../../test/hasten.ts'
import { countWaiting } from '../../test/locks.ts'
import { scriptedProvider } from '../../test/scripted-provider.ts'
import { until } from '../../test/until.ts'
import type { Pool } from '../platform/database/connection.ts'
import { json, sql } from '../platform/database/sql.ts'
import type { UploadOutcome } from '../providers/provider.ts'
import { reason } from './shared/job-log.ts'

const context = useEngineContext()

const beat = async () => (await context.db.one<{ beat: number }>(sql`select beat from heartbeat`)).beat

/** Waits until the heartbeat has advanced by two, so that at least one beat began after this call. */
async function untilBeating() {
  const before = await beat()
  await until('the heartbeat advances', async () => (await beat()) >= before + 2)
}

/** Runs `work` while a transaction holds these rows. */
async function whileLocked(lock: Parameters<Pool['run']>[0], work: () => Promise<void>) {
  await context.db.begin(async (tx) => {
    await tx.run(lock)
    await work()
  })
}

async function addImage(): Promise<number> {
  const { id } = await context.db.one<{ id: number }>(sql`
    insert into images (name, mime_type, size) values (${`${randomUUID()}.png`}, 'image/png', 1) returning id`)
  return id
}

async function addOverdueJob(recipients: string[]) {
  const longAgo = '2000-01-01T00:00:00Z'
  const waiting = json({ code: 'account_unpaid', params: {} })
  const instance = await context.add.instance({ waiting, waitingSince: longAgo, tryAgainAt: '2999-01-01' })
  return context.add.job({ instanceId: instance.id, status: 'Running', startedAt: longAgo, recipients })
}

test('while a recurring task takes long, messages are sent and the heartbeat advances', async () => {
  const overdue = await addOverdueJob(people(5))
  const { provider } = scriptedProvider()

  await whileLocked(sql`select from deliveries where job_id = ${overdue.id} for update`, async () => {
    context.worker(provider)
    await until('the task waits for the lock', async () => (await countWaiting(context.db)) > 0)
    const job = await context.add.job()
    await context.untilStatus(job.id, 'Completed')
    await untilBeating()
  })

  await context.untilStatus(overdue.id, 'Failed')
  expect(await context.log(overdue.id)).toEqual(['account_wait_over', 'job_failed'])
})

test('while others hold all connections of the pool, messages are sent and the heartbeat advances', async () => {
  const { provider } = scriptedProvider()
  const deps = context.deps(provider)
  const job = await context.add.job()
  const busy = Promise.withResolvers<void>()
  onTestFinished(() => busy.resolve())
  const holders = Array.from({ length: 10 }, () => deps.db.begin(() => busy.promise))
  await until('the pool is used up', () => deps.db.usage().inUse === 10)

  context.workerOf(deps)
  await context.untilStatus(job.id, 'Completed')
  await untilBeating()

  busy.resolve()
  await Promise.all(holders)
})

test('instances that somebody has locked wait on few connections, and the others send', async () => {
  const { provider, calls, holdSends } = scriptedProvider()
  const answer = holdSends()
  onTestFinished(answer)
  const jobs = []
  for (let nth = 0; nth < 30; nth++) jobs.push(await context.add.job({ recipients: people(2) }))
  context.worker(provider)
  await until('all instances send', () => calls.sends.length === 30)

  await whileLocked(
    sql`select from instances where id = any(${jobs.map(({ instanceId }) => instanceId)}) for update`,
    async () => {
      answer()
      await until('instances wait for their lock', async () => (await countWaiting(context.db)) > 0)
      const free = await context.add.job({ recipients: people(20) })
      await context.untilStatus(free.id, 'Completed')
      expect(await countWaiting(context.db)).toBeLessThanOrEqual(8)
      await untilBeating()
    },
  )

  for (const job of jobs) await context.untilStatus(job.id, 'Completed')
  expect(calls.sends).toHaveLength(30 * 2 + 20)
})

test('instances locked while their history is checked leave connections to the others', async () => {
  const { provider, holdSends, script, calls } = scriptedProvider()
  const history = Promise.withResolvers<void>()
  const answer = holdSends()
  onTestFinished(answer)
  onTestFinished(() => history.resolve())
  script.onHistory = async () => {
    await history.promise
    return []
  }
  const locked = []
  for (let nth = 0; nth < 10; nth++) {
    const { id: instanceId } = await context.add.instance({ checkedEra: null })
    locked.push(await context.add.job({ instanceId, recipients: people(1) }))
  }
  context.worker(provider)
  await until('all histories are read', () => calls.histories === 10)

  await whileLocked(
    sql`select from instances where id = any(${locked.map(({ instanceId }) => instanceId)}) for update`,
    async () => {
      history.resolve()
      await until('the checks wait', async () => (await countWaiting(context.db)) === 8)
      const free = await context.add.job({ recipients: people(2) })
      await until('the other instance sends', () => calls.sends.length === 1)
      await whileLocked(sql`select from instances where id = ${free.instanceId} for update`, async () => {
        answer()
        // Two beats later a batch has left the instance out, and its result waits for a connection.
        await untilBeating()
      })
      await context.untilStatus(free.id, 'Completed')
    },
  )

  for (const { id } of locked) await context.untilStatus(id, 'Completed')
})

test('instances locked while their status is read leave connections to the others', async () => {
  const { provider, script } = scriptedProvider()
  const answer = Promise.withResolvers<void>()
  onTestFinished(() => answer.resolve())
  let reads = 0
  provider.status = async () => {
    reads++
    await answer.promise
    return script.onStatus()
  }
  const locked = []
  for (let nth = 0; nth < 10; nth++) {
    const waiting = json({ code: 'account_unpaid', params: {} })
    const { id: instanceId } = await context.add.instance({ waiting, tryAgainAt: '2000-01-01' })
    locked.push(await context.add.job({ instanceId, recipients: people(1) }))
  }
  context.worker(provider)
  await until('all are read', () => reads === 10)

  await whileLocked(
    sql`select from instances where id = any(${locked.map(({ instanceId }) => instanceId)}) for update`,
    async () => {
      answer.resolve()
      await until('the reads wait', async () => (await countWaiting(context.db)) === 8)
      const free = await context.add.job({ imageId: await addImage(), recipients: people(2) })
      await context.untilStatus(free.id, 'Completed')
    },
  )

  for (const { id } of locked) await context.untilStatus(id, 'Completed')
})

test('a stop waits ten seconds for a locked instance, whose message is found later', async () => {
  const { provider, calls, holdSends } = scriptedProvider()
  const answer = holdSends()
  onTestFinished(answer)
  const job = await context.add.job({ recipients: people(2) })
  const stopped = context.worker(provider)
  await until('the instance sends', () => calls.sends.length === 1)

  await whileLocked(sql`select from instances where id = ${job.instanceId} for update`, async () => {
    answer()
    await until('the instance waits for its lock', async () => (await countWaiting(context.db)) > 0)
    hasten(5)
    await stopped.stop()
  })

  expect(await context.statuses(job.id)).toEqual(['sending', 'queued'])
  await context.moveClock('40 seconds')
  context.worker(provider)
  await context.untilStatus(job.id, 'Completed')
  expect(calls.sends.map(({ to }) => to)).toEqual(people(2))
})

test('a stop waits ten seconds for locked instances, whether their image was uploaded or not', async () => {
  const { provider, script, calls } = scriptedProvider()
  const answer = Promise.withResolvers<void>()
  onTestFinished(() => answer.resolve())
  const outcomes: UploadOutcome[] = [
    { kind: 'rejected', reason: reason('media_missing') },
    { kind: 'busy', reason: reason('provider_busy'), retryAfterMs: null },
  ]
  script.onUpload = async () => {
    const outcome = outcomes.pop()
    await answer.promise
    return outcome ?? { kind: 'uploaded', mediaId: 'media' }
  }
  const imageId = await addImage()
  const add = () => context.add.job({ imageId, recipients: people(2) })
  const jobs = [await add(), await add(), await add()]
  const stopped = context.worker(provider)
  await until('the images are uploaded', () => calls.uploads === 3)

  const instanceIds = jobs.map(({ instanceId }) => instanceId)
  await whileLocked(sql`select from instances where id = any(${instanceIds}) for update`, async () => {
    hasten(5)
    const stopping = stopped.stop()
    answer.resolve()
    await until('all wait for the lock', async () => (await countWaiting(context.db)) === 3)
    await stopping
  })

  for (const { id } of jobs) expect(await context.statuses(id)).toEqual(['queued', 'queued'])
  await context.moveClock('40 seconds')
  context.worker(provider)
  for (const { id } of jobs) await context.untilStatus(id, 'Completed')
})
