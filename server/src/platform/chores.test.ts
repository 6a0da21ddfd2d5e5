import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import { useWorld } from '../../test/world.ts'
import { type Chores, type Duties, openChores } from './chores.ts'
import { connect, type Pool } from './database/connection.ts'
import { json, sql } from './database/sql.ts'

const world = useWorld()
const opened: { chores: Chores; db: Pool }[] = []
// Before the world closes its database: hooks of the same kind run in the opposite order.
afterEach(async () => {
  await Promise.all(
    opened.splice(0).map(async ({ chores, db }) => {
      await chores.stop()
      await db.end(1000)
    }),
  )
})

const log = pino({ level: 'silent' })

function open(duties?: Partial<Duties>, { address = world.database.address, logTo = log } = {}) {
  const db = connect(address, { applicationName: 'sendroom chores' })
  const chores = openChores({ db, log: logTo })
  opened.push({ chores, db })
  if (duties) chores.work({ sync: async () => {}, recurring: {}, ...duties })
  return chores
}

test('a server that does not work asks, and a worker elsewhere does it', async () => {
  const done: number[] = []
  open({ sync: async (id) => void done.push(id) })

  await open().requestSync(7)

  await until('the sync is done', () => done.length > 0)
  expect(done).toEqual([7])
})

test('who asked before it began to work keeps the schedule all the same', async () => {
  const chores = open()
  await chores.requestSync(7)
  const done: number[] = []

  chores.work({
    sync: async (id) => void done.push(id),
    recurring: { look: { everyMinutes: 1, run: async () => {} } },
  })

  await until('the sync is done', () => done.length === 1)
  await until('a tick of the schedule was taken', async () => {
    const version = await world.db.maybeOne(sql`select cron_on from pgboss.version`)
    return version?.cronOn !== null
  })
})

test('asking often before it begins is asking once', async () => {
  const done: number[] = []
  const server = open()
  for (let n = 0; n < 5; n++) await server.requestSync(7)
  await server.requestSync(8)

  open({ sync: async (id) => void done.push(id) })

  await until('both are done', () => done.length >= 2)
  expect(done.toSorted()).toEqual([7, 8])
  expect(
    await world.db.many(sql`select from pgboss.job where name = 'sync-groups' and state < 'completed'`),
  ).toHaveLength(0)
})

test('two syncs of one instance never run at once, in however many workers', async () => {
  let running = 0
  let most = 0
  let done = 0
  const sync = async () => {
    most = Math.max(most, ++running)
    await until('another has been asked for', async () => {
      const waiting = await world.db.one<{ count: number }>(sql`
        select count(*) from pgboss.job where name = 'sync-groups' and state = 'created'`)
      return done > 0 || waiting.count > 0
    })
    running--
    done++
  }
  const first = open({ sync })
  open({ sync })
  await first.requestSync(7)
  await until('it runs', () => running > 0)
  await first.requestSync(7)

  await until('both are done', () => done === 2)
  expect(most).toBe(1)
})

test('a failed sync is put back to be tried again', async () => {
  const chores = open({ sync: () => Promise.reject(new Error('the provider is down')) })

  await chores.requestSync(7)

  await until('it waits for its retry', async () => {
    const jobs = await world.db.many(
      sql`select from pgboss.job where name = 'sync-groups' and state = 'retry'`,
    )
    return jobs.length === 1
  })
})

test('stopping tells what runs to end, and gives it back', async () => {
  let isRunning = false
  const sync: Duties['sync'] = (_id, signal) =>
    new Promise((_resolve, reject) => {
      isRunning = true
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
  const chores = open({ sync })
  await chores.requestSync(7)
  await until('it runs', () => isRunning)

  await chores.stop()

  const jobs = await world.db.many(sql`select state::text from pgboss.job where name = 'sync-groups'`)
  expect(jobs).toEqual([{ state: 'retry' }])
})

test('losing every connection to the database ends nothing', async () => {
  const done: number[] = []
  const chores = open({ sync: async (id) => void done.push(id) })
  await chores.requestSync(7)
  await until('the first is done', () => done.length === 1)

  const ended = await world.db.many(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'sendroom chores'`)
  expect(ended.length).toBeGreaterThan(0)

  await until('asking works again', () =>
    chores.requestSync(8).then(
      () => true,
      () => false,
    ),
  )
  await until('the second is done', () => done.length === 2)
})

test('recurring work is scheduled once for all workers', async () => {
  const recurring = {
    sweep: { everyMinutes: 60, run: async () => {} },
    look: { everyMinutes: 5, run: async () => {} },
  }
  open({ recurring })
  open({ recurring })

  await until('it is scheduled', async () => {
    const [schedules] = await world.db.many(sql`select count(*) from pgboss.schedule`).catch(() => [])
    return schedules?.count === 2
  })
  expect(await world.db.many(sql`select cron from pgboss.schedule order by cron`)).toEqual([
    { cron: '*/5 * * * *' },
    { cron: '0 */1 * * *' },
  ])
})

/** As the schedule does when the minute has come. */
async function fall(name: string) {
  await until('the queue is there', async () => {
    const queues = await world.db.many(sql`select from pgboss.queue where name = 'recurring'`).catch(() => [])
    return queues.length === 1
  })
  await world.db.run(sql`
    insert into pgboss.job (name, data, policy, singleton_key)
    values ('recurring', ${json({ name })}, 'stately', ${name})`)
}

test('a recurring duty is done when its time comes', async () => {
  let runs = 0
  open({ recurring: { look: { everyMinutes: 5, run: async () => void runs++ } } })

  await fall('look')

  await until('it is done', () => runs === 1)
})

test('a recurring duty that fails is told by its name', async () => {
  const lines: string[] = []
  const run = () => Promise.reject(new Error('the disk is full'))
  open(
    { recurring: { sweep: { everyMinutes: 5, run } } },
    { logTo: pino({}, { write: (line: string) => lines.push(line) }) },
  )

  await fall('sweep')

  await until('it is told', () => lines.length > 0)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ duty: 'sweep', err: { message: 'the disk is full' } })
})

test('stopping what never began needs no database', async () => {
  const chores = open(undefined, { address: { ...world.database.address, host: '/nowhere' } })
  await expect(chores.requestSync(7)).rejects.toThrow()
  await chores.stop()
})
