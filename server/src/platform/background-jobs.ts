import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { PgBoss } from 'pg-boss'
import type { Pool } from './database/connection.ts'
import { isDatabaseDown } from './database/errors.ts'
import { sql } from './database/sql.ts'

/** Reads the groups of one instance. Retried three times if it throws. */
type SyncGroups = (instanceId: number, signal: AbortSignal) => Promise<void>

export type BackgroundJobs = {
  /** Queues a sync of an instance's groups. A second request before the sync begins has no effect. */
  requestSync: (instanceId: number) => Promise<void>
  /** Makes this process a worker. Returns at once, and waits in the background for a database that is down. */
  work: (sync: SyncGroups) => void
  stop: () => Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'warn'>

const SYNC = 'sync-groups'
const HOUR_SECONDS = 3600
const RETRY_MS = 2000
const STOP_MS = 10_000
/** Bounds the memory: a page of groups may have 64 MB. */
const SYNCS_AT_ONCE = 3

const queues = [
  {
    name: SYNC,
    // At most one job of each instance waits, and at most one runs.
    policy: 'stately',
    expireInSeconds: HOUR_SECONDS,
    // Without a heartbeat a job is restarted within three minutes, and again until the lease of its sync has expired.
    heartbeatSeconds: 60,
    retryLimit: 3,
    retryDelay: 30,
    retryBackoff: true,
    retryDelayMax: 600,
    deleteAfterSeconds: HOUR_SECONDS,
  },
]

/**
 * Runs all background work other than deliveries. It uses pg-boss: queues in the database, cron, retries, heartbeats.
 * pg-boss is loaded when it is first needed.
 */
export function openBackgroundJobs({ db, log }: { db: Pool; log: Log }): BackgroundJobs {
  const stopping = new AbortController()
  let isWorker = false
  let boss: Promise<PgBoss> | undefined

  function startOnce(): Promise<PgBoss> {
    const starting = boss ?? start(db, isWorker, log)
    boss = starting
    starting.catch(() => {
      if (boss === starting) boss = undefined // the next call tries again
    })
    return starting
  }

  async function beginWork(sync: SyncGroups) {
    // A pg-boss that was started only to queue jobs has no cron and does not supervise the queues. Replace it, after
    // its pending requests have finished.
    const queueOnly = boss
    isWorker = true
    boss = undefined
    await (await queueOnly?.catch(() => undefined))?.stop()
    while (!stopping.signal.aborted) {
      try {
        return await registerHandlers(await startOnce(), sync, stopping.signal, log)
      } catch (error) {
        warn(log, error, 'Could not start the background jobs, retrying in two seconds')
        await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  let working = Promise.resolve()

  return {
    async requestSync(instanceId) {
      await (await startOnce()).send(SYNC, { instanceId }, { singletonKey: String(instanceId) })
    },
    work(sync) {
      working = beginWork(sync)
    },
    async stop() {
      stopping.abort()
      await working
      await (await boss?.catch(() => undefined))?.stop({ graceful: true, timeout: STOP_MS })
    },
  }
}

async function start(db: Pool, isWorker: boolean, log: Log): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    db: { executeSql: db.executeSql },
    // In the embedded cluster the schema exists, and our role may create no other.
    createSchema: await lacksSchema(db),
    supervise: isWorker,
    schedule: isWorker,
  })
  // pg-boss recovers by itself when the database is back. Without a listener the event would end the process.
  boss.on('error', (error) => warn(log, error, 'The background jobs reported an error'))
  try {
    await boss.start()
    for (const queue of queues) await boss.createQueue(queue.name, queue)
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {})
    throw error
  }
}

/** The pool logs that the database is unavailable, once. */
function warn(log: Log, error: unknown, sentence: string, details = {}) {
  if (!isDatabaseDown(error)) log.warn({ err: error, ...details }, sentence)
}

async function lacksSchema(db: Pool): Promise<boolean> {
  const { lacks } = await db.one<{ lacks: boolean }>(sql`select to_regnamespace('pgboss') is null as lacks`)
  return lacks
}

async function registerHandlers(
  boss: PgBoss,
  sync: SyncGroups,
  stopping: AbortSignal,
  log: Log,
): Promise<void> {
  for (let n = 0; n < SYNCS_AT_ONCE; n++) {
    const worker = await boss.work<{ instanceId: number }>(SYNC, async ([job]) => {
      // Without this, pg-boss fetches a job every two seconds at most, also while many wait.
      boss.notifyWorker(worker)
      if (!job) return
      const { instanceId } = job.data
      try {
        await sync(instanceId, AbortSignal.any([job.signal, stopping]))
      } catch (error) {
        // pg-boss stores the error in its own table, where nobody looks.
        if (!stopping.aborted) warn(log, error, 'Reading the groups failed', { instanceId })
        throw error
      }
    })
  }
}
