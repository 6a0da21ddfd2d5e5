import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { deleteJobs } from '../src/engine/jobs/delete.ts'
import { failQueued } from '../src/engine/jobs/fail-queued.ts'
import { cancelJob, restartJob } from '../src/engine/jobs/lifecycle.ts'
import { retryFailed } from '../src/engine/jobs/retry.ts'
import { reason } from '../src/engine/shared/job-log.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { storeSessionDefaults } from '../src/platform/database/session-defaults.ts'
import { identifier, sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

const context = useContext()

/** Sets the time limit of later connections to this test's database. */
async function setLimit(limit: string) {
  const { address } = context.database
  await using admin = open()
  await admin.db.run(
    sql`alter role current_user in database ${identifier(address.database)} set statement_timeout = ${identifier(limit)}`,
  )
}

function open() {
  const db = connect(context.database.address, { max: 2, applicationName: 'sendroom test' })
  return { db, [Symbol.asyncDispose]: () => db.end(1000) }
}

/** Locks a table while `task` waits for it: until `hasWaited` resolves, by default for half a second. */
async function whileLocked<T>(
  table: string,
  task: () => Promise<T>,
  hasWaited: (working: Promise<T>) => Promise<unknown> = waitLong,
): Promise<T> {
  await using other = open()
  const { working } = await other.db.begin(async (tx) => {
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`lock table ${identifier(table)} in access exclusive mode`)
    const working = task()
    working.catch(() => {})
    await hasWaited(working)
    // In an object, because the transaction would wait for a promise.
    return { working }
  })
  return working
}

async function waitLong() {
  await until('the task waits for the lock', () => countWaiting(context.db))
  await delay(500)
}

test('a statement of the app ends after half a minute', async () => {
  await using own = open()
  await storeSessionDefaults(own.db, 'database')
  await using later = open()
  expect(await later.db.one(sql`show statement_timeout`)).toEqual({ statementTimeout: '30s' })
})

test('a request whose query takes too long is answered with 503', async () => {
  await setLimit('300ms')
  const admin = await context.add.admin()
  const { status, body, headers } = await whileLocked(
    'jobs',
    () => context.call(admin, contract.jobs.list, { query: {} }),
    (answered) => answered,
  )
  expect({ status, code: body.code, retryAfter: headers['retry-after'] }).toEqual({
    status: 503,
    code: 'unavailable',
    retryAfter: '2',
  })
})

const bulk: Record<string, (db: Pool, job: { id: number; instanceId: number }) => Promise<unknown>> = {
  cancels: (db, { id }) => db.begin((tx) => cancelJob(tx, id, 'admin')),
  deletes: (db, { id }) => deleteJobs(db, [id], 'admin', async () => {}),
  restarts: (db, { id }) => db.begin((tx) => restartJob(tx, id, 'admin')),
  retries: (db, { id }) => db.begin((tx) => retryFailed(tx, id, 'admin', { includeUnknown: true })),
  fails: (db, { id: jobId, instanceId }) => failQueued(db, { jobId, instanceId }, reason('job_started')),
}

test.each(Object.entries(bulk))(
  'a transaction that %s a job takes as long as it needs',
  async (name, write) => {
    const job = await context.add.job({ status: 'Failed', recipients: ['1@g.us'] })
    await setLimit('300ms')
    await using limited = open()
    // Short reads of the table `jobs` precede the transaction that deletes, and have the limit.
    const table = name === 'deletes' ? 'job_logs' : 'jobs'
    await expect(whileLocked(table, () => write(limited.db, job))).resolves.not.toThrow()
  },
)

test('a migration takes as long as it needs', async () => {
  await setLimit('300ms')
  await using limited = open()
  await whileLocked('migrations', () => migrate(limited.db))
})
