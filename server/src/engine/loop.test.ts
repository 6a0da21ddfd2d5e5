import { expect, test, vi } from 'vitest'
import { useEngineContext } from '../../test/engine-context.ts'
import { scriptedProvider } from '../../test/scripted-provider.ts'
import { until } from '../../test/until.ts'
import { ConnectionError } from '../platform/database/errors.ts'
import { sql } from '../platform/database/sql.ts'
import { hasUnfinished } from './jobs/unfinished.ts'
import { interruptibleSleep, NOTHING_TO_DO, openLoop } from './loop.ts'

const silentLog = () => ({ error: vi.fn() })

test('a step that fails is logged by its name and left out for a while; the others run in every pass', async () => {
  const log = silentLog()
  const failing = vi.fn(() => Promise.reject(new Error('broken')))
  const healthy = vi.fn(async () => {})
  const loop = openLoop(
    [
      { name: 'failing', run: failing },
      { name: 'healthy', run: healthy },
    ],
    log,
  )

  for (let pass = 0; pass < 5; pass++) await loop.pass()

  expect(failing).toHaveBeenCalledTimes(1)
  expect(healthy).toHaveBeenCalledTimes(5)
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    { err: expect.any(Error), step: 'failing' },
    expect.any(String),
  )
})

test('a pass ends where a step finds nothing to do, and goes on where that step fails', async () => {
  const answers = [NOTHING_TO_DO, true, new Error('broken')]
  const look = async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const work = vi.fn(async () => {})
  const loop = openLoop(
    [
      { name: 'look', run: look },
      { name: 'work', run: work },
    ],
    silentLog(),
  )
  const worked: number[] = []
  for (let pass = 0; pass < 3; pass++) {
    await loop.pass()
    worked.push(work.mock.calls.length)
  }
  expect(worked).toEqual([0, 1, 2])
})

test('the wait of a step grows with its failures, until it succeeds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(1)
  try {
    const answers = ['throw', 'throw', 'succeed', 'throw']
    const run = vi.fn(async () => {
      if (answers.shift() === 'throw') throw new Error('broken')
    })
    const loop = openLoop([{ name: 'failing', run }], silentLog())
    const passAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms)
      await loop.pass()
    }

    await passAfter(0)
    await passAfter(999)
    expect(run).toHaveBeenCalledTimes(1)
    await passAfter(1)
    await passAfter(1999)
    expect(run).toHaveBeenCalledTimes(2)
    await passAfter(1)
    await passAfter(0)
    expect(run).toHaveBeenCalledTimes(4)
    await passAfter(1000)
    expect(run).toHaveBeenCalledTimes(5)
  } finally {
    vi.useRealTimers()
    vi.restoreAllMocks()
  }
})

test('while the database is unavailable the rest of a pass is skipped, and nothing is logged', async () => {
  const log = silentLog()
  const later = vi.fn(async () => {})
  const lost = vi.fn(() => Promise.reject(new ConnectionError('down')))
  const loop = openLoop(
    [
      { name: 'lost', run: lost },
      { name: 'later', run: later },
    ],
    log,
  )

  await loop.pass()
  await loop.pass()

  expect(lost).toHaveBeenCalledTimes(2)
  expect(later).not.toHaveBeenCalled()
  expect(log.error).not.toHaveBeenCalled()
})

test('a wake between two sleeps ends the next one', async () => {
  const sleep = interruptibleSleep()
  sleep.wake()
  await sleep.sleep(60_000)
  const sleeping = sleep.sleep(60_000)
  sleep.wake()
  await sleeping
})

const context = useEngineContext()

test('messages are sent while a recurring task fails', async () => {
  const failed = new Set<string | undefined>()
  const log = { info() {}, warn() {}, error: ({ task }: { task?: string }) => void failed.add(task) }
  await context.db.run(sql`alter table receipt_events rename to renamed`)
  const job = await context.add.job({ recipients: ['1@g.us'] })

  context.worker(scriptedProvider().provider, { log })

  await context.untilStatus(job.id, 'Completed')
  await until('the task has failed', () => failed.has('apply receipts'))
})

test('a loop may have a shorter longest wait', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(1)
  try {
    const run = vi.fn(() => Promise.reject(new Error('broken')))
    const loop = openLoop([{ name: 'failing', run }], silentLog(), 2_000)
    for (let pass = 0; pass < 5; pass++) {
      await loop.pass()
      vi.advanceTimersByTime(2_000)
    }
    expect(run).toHaveBeenCalledTimes(5)
  } finally {
    vi.useRealTimers()
    vi.restoreAllMocks()
  }
})

test.each([
  ['Pending', false, null, true],
  ['Running', false, null, true],
  ['Cancelled', true, null, true],
  ['Cancelled', false, null, false],
  ['Completed', false, null, false],
  ['Failed', false, null, false],
  ['Completed', false, 'doubt', true],
])(
  'with a job %s (settling: %s, message: %s) the loop has work: %s',
  async (status, settling, doubt, has) => {
    const { db } = context
    const job = await context.add.job({ recipients: ['1@g.us'] })
    await db.run(sql`update jobs set status = ${status}, settling = ${settling} where id = ${job.id}`)
    if (doubt)
      await db.run(sql`
      update deliveries set status = 'doubt', doubt_since = now(), next_look_at = now(), intent = gen_random_uuid(),
        intent_at = now() where job_id = ${job.id}`)
    expect(await hasUnfinished(db)).toBe(has)
  },
)
