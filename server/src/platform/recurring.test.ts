import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { useContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
import { connect } from './database/connection.ts'
import { ConnectionError } from './database/errors.ts'
import { sql } from './database/sql.ts'
import { startTasks, type Task } from './recurring.ts'

const context = useContext()
const stops: (() => Promise<unknown>)[] = []
// Runs before the hook of useContext() that closes the database, because afterEach hooks run in the opposite order.
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const APPLICATION = 'sendroom recurring'

/** Starts the tasks as another process would: with its own pool. Returns what stops them, and what was logged. */
function start(...tasks: Task[]) {
  const log = { error: vi.fn() }
  const db = connect(context.database.address, { applicationName: APPLICATION })
  const stopTasks = startTasks(tasks, db, log)
  const stop = () => stopTasks().finally(() => db.end(1000))
  stops.push(stop)
  return { stop, log }
}

const task = (by: Task['by'], run: Task['run'], columns: Partial<Task> = {}): Task => ({
  ...{ name: 'count', every: 10, by, run },
  ...columns,
})

/** A task that counts its runs. */
function counter(by: Task['by'] = 'each', columns: Partial<Task> = {}) {
  const counted = { runs: 0, task: task(by, async () => void counted.runs++, columns) }
  return counted
}

const cutConnections = () =>
  context.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${APPLICATION}`)

test('a slow task delays no other, and never runs twice at a time', async () => {
  const [quick, slow] = [counter(), { runs: 0 }]
  const ended = Promise.withResolvers<void>()
  const { stop } = start(
    task('each', async () => {
      slow.runs++
      await ended.promise
    }),
    quick.task,
  )
  await until('the quick task runs on', () => quick.runs > 5)
  expect(slow.runs).toBe(1)
  ended.resolve()
  await stop()
})

test('a task that throws is logged by its name and tried again later; the others run on', async () => {
  const quick = counter()
  const ranAt: number[] = []
  const run = async () => {
    ranAt.push(performance.now())
    throw new Error('broken')
  }
  const { log } = start(task('each', run, { name: 'failing' }), quick.task)
  await until('it is tried again', () => ranAt.length > 1)
  const [first = 0, second = 0] = ranAt
  expect(second - first).toBeGreaterThan(400)
  expect(quick.runs).toBeGreaterThan(5)
  expect(log.error).toHaveBeenCalledWith({ err: expect.any(Error), task: 'failing' }, expect.any(String))
})

test('while the database is unavailable a task is tried at its usual interval, and nothing is logged', async () => {
  const run = vi.fn(() => Promise.reject(new ConnectionError('down')))
  const { log } = start(task('each', run))
  await until('the task was tried again and again', () => run.mock.calls.length > 5)
  expect(log.error).not.toHaveBeenCalled()
})

test('nothing runs at the start, and a daily task runs a minute later', async () => {
  const events: (number | 'run')[] = []
  const slept = vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0) => {
    events.push(ms)
    // The third sleep does not end.
    if (events.length > 4) await Promise.withResolvers().promise
    return undefined as never // nobody reads it
  })
  syncBuiltinESMExports()
  try {
    startTasks([task('each', async () => void events.push('run'), { every: 86_400_000 })], context.db, {
      error() {},
    })
    // The time that Vitest waits by default is a second.
    await vi.waitFor(() => expect(events).toHaveLength(5), { timeout: 30_000 })
  } finally {
    slept.mockRestore()
    syncBuiltinESMExports()
  }
  expect(events).toEqual([60_000, 'run', 86_400_000, 'run', 86_400_000])
})

test('a stop interrupts the sleep, aborts what runs and waits for it', async () => {
  const seen: string[] = []
  const { stop } = start(
    task('each', async (signal) => {
      seen.push('begun')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      seen.push('ended')
    }),
    counter('each', { every: 60_000 }).task,
  )
  await until('the task runs', () => seen.length === 1)
  const began = performance.now()
  await stop()
  expect(seen).toEqual(['begun', 'ended'])
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('a task may have several runs at a time', async () => {
  let most = 0
  let running = 0
  const ended = Promise.withResolvers<void>()
  const run = async () => {
    most = Math.max(most, ++running)
    await ended.promise
    running--
  }
  start(task('each', run, { atOnce: 3 }))
  await until('three runs go on', () => most === 3)
  ended.resolve()
})

test('a task with several runs looks no more often than others while it finds nothing to do', async () => {
  const [several, single] = [counter('each', { atOnce: 5 }), counter()]
  start(several.task, single.task)
  await until('the single one has run often', () => single.runs > 30)
  expect(several.runs).toBeLessThan(40)
})

test('runs that go on for a while and then fail are repeated later', async () => {
  const quick = counter()
  const run = vi.fn(async () => {
    await timers.setTimeout(40)
    throw new Error('broken')
  })
  start(task('each', run, { every: 100, atOnce: 4 }), quick.task)
  await until('the quick task has run often', () => quick.runs > 100)
  expect(run.mock.calls.length).toBeLessThan(20)
})

test('a few runs that fail hold up the others of their task no longer than one would', async () => {
  let runs = 0
  const run = async () => {
    if (++runs < 8) throw new Error('broken')
  }
  start(task('each', run, { atOnce: 10 }))
  await until('a run succeeds', () => runs >= 8, 10_000)
})

test('of several processes one runs a task of one, and each runs a task of each', async () => {
  const [ones, eaches] = [
    [counter('one'), counter('one')],
    [counter(), counter()],
  ]
  for (const nth of [0, 1]) start(...[ones, eaches].flatMap((both) => both[nth]?.task ?? []))
  await until(
    'the tasks have run',
    () => ones.some(({ runs }) => runs > 20) && eaches.every(({ runs }) => runs > 20),
  )
  expect(ones.filter(({ runs }) => runs > 0)).toHaveLength(1)
})

test('another process takes over when the one that runs the tasks stops', async () => {
  const [first, second] = [counter('one'), counter('one')]
  const { stop } = start(first.task)
  await until('the first process runs the task', () => first.runs > 0)
  start(second.task)
  await stop()
  const { runs } = first
  await until('the second process runs the task', () => second.runs > 0)
  expect(first.runs).toBe(runs)
})

test('when the connection with the lock is lost, what runs is aborted, and one process goes on', async () => {
  let begun = 0
  const aborted = vi.fn()
  const run = async (signal: AbortSignal) => {
    begun++
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        aborted()
        resolve()
      })
    })
  }
  start(task('one', run))
  await until('the task runs', () => begun === 1)
  await cutConnections()
  await until('the run was aborted', () => aborted.mock.calls.length === 1)
  await until('the task runs again', () => begun === 2)
})
