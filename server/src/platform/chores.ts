import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { PgBoss } from 'pg-boss'
import type { Pool } from './database/connection.ts'

/** What recurs: done by one worker at a time, whichever it is. `signal` says that the process stops. */
export type Recurring = { everyMinutes: number; run: (signal: AbortSignal) => Promise<unknown> }

export type Duties = {
  /** Reads the groups of one instance; tried again a few times when it throws. */
  sync: (instanceId: number, signal: AbortSignal) => Promise<void>
  recurring: Record<string, Recurring>
}

export type Chores = {
  /** Asks the workers to read an instance's groups; asking twice before it begins is asking once. */
  requestSync: (instanceId: number) => Promise<void>
  /** Makes this process one of the workers. Returns at once; a database that is down is waited for. */
  work: (duties: Duties) => void
  stop: () => Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'warn'>

const SYNC = 'sync-groups'
const RECURRING = 'recurring'
const HOUR_SECONDS = 3600
const RETRY_MS = 2000
const STOP_MS = 10_000

const queues = [
  {
    name: SYNC,
    // For each instance one that waits and one that runs.
    policy: 'stately',
    expireInSeconds: HOUR_SECONDS,
    // A killed worker's sync is begun anew within two minutes.
    heartbeatSeconds: 60,
    retryLimit: 3,
    retryDelay: 30,
    retryBackoff: true,
    retryDelayMax: 600,
    deleteAfterSeconds: HOUR_SECONDS,
  },
  {
    name: RECURRING,
    policy: 'stately',
    expireInSeconds: HOUR_SECONDS,
    heartbeatSeconds: 60,
    retryLimit: 0,
    deleteAfterSeconds: HOUR_SECONDS,
  },
]

/**
 * Background work other than deliveries, on pg-boss: queues in the database, cron, retries, heartbeats. Loaded when it
 * is first needed.
 */
export function openChores({ db, log }: { db: Pool; log: Log }): Chores {
  const stopping = new AbortController()
  let isWorker = false
  let boss: Promise<PgBoss> | undefined

  function started(): Promise<PgBoss> {
    const starting = boss ?? start(db, isWorker, log)
    boss = starting
    starting.catch(() => {
      if (boss === starting) boss = undefined // the next who needs it tries again
    })
    return starting
  }

  async function beginWork(duties: Duties) {
    // One that only asks has no cron and no watch over the queues. What it is asking is finished first.
    const asking = boss
    isWorker = true
    boss = undefined
    await (await asking?.catch(() => undefined))?.stop()
    while (!stopping.signal.aborted) {
      try {
        return await take(await started(), duties, stopping.signal, log)
      } catch (error) {
        log.warn({ err: error }, 'The background work could not begin, and is tried again')
        await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  let working = Promise.resolve()

  return {
    async requestSync(instanceId) {
      await (await started()).send(SYNC, { instanceId }, { singletonKey: String(instanceId) })
    },
    work(duties) {
      working = beginWork(duties)
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
  const boss = new PgBoss({ db: { executeSql: db.executeSql }, supervise: isWorker, schedule: isWorker })
  // Work goes on by itself when the database is back; without a listener the event would end the process.
  boss.on('error', (error) => log.warn({ err: error }, 'The background work met an error'))
  try {
    await boss.start()
    for (const queue of queues) await boss.createQueue(queue.name, queue)
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {})
    throw error
  }
}

async function take(boss: PgBoss, duties: Duties, stopping: AbortSignal, log: Log): Promise<void> {
  await boss.work<{ instanceId: number }>(SYNC, { localConcurrency: 3 }, async ([job]) => {
    if (job) await duties.sync(job.data.instanceId, AbortSignal.any([job.signal, stopping]))
  })
  const slow = { pollingIntervalSeconds: 10, localConcurrency: 2 }
  await boss.work<{ name: string }>(RECURRING, slow, async ([job]) => {
    if (!job) return
    const duty = job.data.name
    try {
      // An older version may have scheduled what there is no more.
      await duties.recurring[duty]?.run(AbortSignal.any([job.signal, stopping]))
    } catch (error) {
      // The queue keeps it where nobody looks.
      if (!stopping.aborted)
        log.warn({ err: error, duty }, 'Recurring work failed; it is done again in its turn')
      throw error
    }
  })
  for (const [name, { everyMinutes }] of Object.entries(duties.recurring))
    await boss.schedule(RECURRING, cronOf(everyMinutes), { name }, { key: name, singletonKey: name })
}

/** Below an hour, or whole hours. */
const cronOf = (everyMinutes: number) =>
  everyMinutes < 60 ? `*/${everyMinutes} * * * *` : `0 */${everyMinutes / 60} * * *`
