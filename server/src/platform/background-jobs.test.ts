import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
import { type BackgroundJobs, openBackgroundJobs } from './background-jobs.ts'
import { connect, type Pool } from './database/connection.ts'
import { sql } from './database/sql.ts'

const context = useContext()
const opened: { backgroundJobs: BackgroundJobs; db: Pool }[] = []
// Runs before the hook of useContext() that closes the database, because afterEach hooks run in the opposite order.
afterEach(async () => {
  await Promise.all(
    opened.splice(0).map(async ({ backgroundJobs, db }) => {
      await backgroundJobs.stop()
      await db.end(1000)
    }),
  )
})

const log = pino({ level: 'silent' })
type Sync = Parameters<BackgroundJobs['work']>[0]

function open(sync?: Sync, { address = context.database.address, logTo = log } = {}) {
  const db = connect(address, { applicationName: 'sendroom background jobs' })
  const backgroundJobs = openBackgroundJobs({ db, log: logTo })
  opened.push({ backgroundJobs, db })
  if (sync) backgroundJobs.work(sync)
  return backgroundJobs
}

test('a server queues a sync, and a worker in another process runs it', async () => {
  const done: number[] = []
  open(async (id) => void done.push(id))

  await open().requestSync(7)

  await until('the sync is done', () => done.length > 0)
  expect(done).toEqual([7])
})

test('repeated requests before a sync begins are one sync', async () => {
  const done: number[] = []
  const server = open()
  for (let n = 0; n < 5; n++) await server.requestSync(7)
  await server.requestSync(8)

  open(async (id) => void done.push(id))

  await until('nothing is left', async () => {
    const left = await context.db.run(
      sql`select from pgboss.job where name = 'sync-groups' and state < 'completed'`,
    )
    return left === 0
  })
  expect(done.toSorted()).toEqual([7, 8])
})

test('many short syncs follow each other without a pause', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => n + 1)
  const server = open()
  for (const id of ids) await server.requestSync(id)
  const done: number[] = []

  open(async (id) => void done.push(id))

  // With pg-boss's own pauses, three workers take more than a minute.
  await until('all are done', () => done.length === ids.length)
  expect(done.toSorted((a, b) => a - b)).toEqual(ids)
})

test('two syncs of one instance never run at once, however many workers there are', async () => {
  let running = 0
  let maxRunning = 0
  let done = 0
  const sync = async () => {
    maxRunning = Math.max(maxRunning, ++running)
    await until('another sync is queued', async () => {
      const waiting = await context.db.one<{ count: number }>(sql`
        select count(*) from pgboss.job where name = 'sync-groups' and state = 'created'`)
      return done > 0 || waiting.count > 0
    })
    running--
    done++
  }
  const first = open(sync)
  open(sync)
  await first.requestSync(7)
  await until('the sync runs', () => running > 0)
  await first.requestSync(7)

  await until('both are done', () => done === 2)
  expect(maxRunning).toBe(1)
})

test('a failed sync is queued for a retry', async () => {
  const backgroundJobs = open(() => Promise.reject(new Error('the provider is down')))

  await backgroundJobs.requestSync(7)

  await until('the sync waits for its retry', async () => {
    const jobs = await context.db.many(
      sql`select from pgboss.job where name = 'sync-groups' and state = 'retry'`,
    )
    return jobs.length === 1
  })
})

test('a failed sync is logged with its account', async () => {
  const lines: string[] = []
  const backgroundJobs = open(() => Promise.reject(new Error('a column is missing')), {
    logTo: pino({}, { write: (line: string) => lines.push(line) }),
  })

  await backgroundJobs.requestSync(7)

  await until('a line is logged', () => lines.length > 0)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    instanceId: 7,
    err: { message: 'a column is missing' },
  })
})

test('a stop aborts the running jobs and queues them again', async () => {
  let isRunning = false
  const sync: Sync = (_id, signal) =>
    new Promise((_resolve, reject) => {
      isRunning = true
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
  const backgroundJobs = open(sync)
  await backgroundJobs.requestSync(7)
  await until('the sync runs', () => isRunning)

  await backgroundJobs.stop()

  const jobs = await context.db.many(sql`select state::text from pgboss.job where name = 'sync-groups'`)
  expect(jobs).toEqual([{ state: 'retry' }])
})

test('the background jobs continue after all database connections were lost', async () => {
  const done: number[] = []
  const backgroundJobs = open(async (id) => void done.push(id))
  await backgroundJobs.requestSync(7)
  await until('the first is done', () => done.length === 1)

  const ended = await context.db.many(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'sendroom background jobs'`)
  expect(ended.length).toBeGreaterThan(0)

  await until('requests work again', () =>
    backgroundJobs.requestSync(8).then(
      () => true,
      () => false,
    ),
  )
  await until('the second is done', () => done.length === 2)
})

test('a stop before the start needs no database', async () => {
  const backgroundJobs = open(undefined, { address: { ...context.database.address, host: '/nowhere' } })
  await expect(backgroundJobs.requestSync(7)).rejects.toThrow()
  await backgroundJobs.stop()
})
