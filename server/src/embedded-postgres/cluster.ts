import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseAddress } from '../database-url.ts'
import { connect } from '../platform/database/connection.ts'
import { isDatabaseDown } from '../platform/database/errors.ts'
import { sql } from '../platform/database/sql.ts'
import { StartupError } from '../startup-error.ts'
import { type ClusterFiles, prepareFiles } from './cluster-files.ts'
import { explain } from './explain.ts'
import { type Launch, launch, shutDown } from './launch.ts'
import { APP, OWNER, prepareDatabase } from './roles.ts'

export type Log = Record<'info' | 'warn' | 'error', (message: string) => void>

/** A running cluster, with an address of its database for each of the roles in roles.ts. */
export type Cluster = {
  superuser: DatabaseAddress
  owner: DatabaseAddress
  app: DatabaseAddress
  /** Leaves the cluster, and stops it unless another Sendroom uses it. Close your own pools first. */
  stop: () => Promise<void>
}

/** How long a cluster may take to answer. A busy machine or one that is still stopping takes this long at most. */
const START_MS = 60_000
/** The same while the cluster replays its log after a crash. */
const RECOVERY_MS = 10 * 60_000
/** Application names in pg_stat_activity, by which Sendrooms on one cluster find each other. */
const PRESENT = 'sendroom present'
const LEAVING = 'sendroom leaving'

/**
 * Starts the PostgreSQL in `dataDir`/postgres. If it is running already, left behind by a killed process or used by a
 * second Sendroom, joins it instead. Throws a StartupError for anything that is wrong with the folder.
 *
 * One connection stays open all the time. Other Sendrooms see from it that this one is using the cluster. Its end means
 * that PostgreSQL has died. Then we start PostgreSQL again, with as many attempts as it takes.
 */
export async function startCluster(dataDir: string, log: Log): Promise<Cluster> {
  const files = await prepareFiles(dataDir)
  const app = { ...files.superuser, user: APP }
  const stopping = new AbortController()
  let presence: pg.Client | undefined
  let restarting: Promise<void> | undefined

  async function startOrJoin() {
    await untilItAnswers(files, stopping.signal)
    await prepareDatabase(files.superuser)
    const client = new pg.Client({ ...app, application_name: PRESENT })
    client.on('error', () => {}) // the end event follows
    client.on('end', () => {
      if (client !== presence || stopping.signal.aborted) return
      presence = undefined
      restarting = restart()
    })
    await client.connect()
    presence = client
  }

  async function restart() {
    log.warn('The database has stopped, restarting')
    while (!stopping.signal.aborted) {
      try {
        await startOrJoin()
        return log.info('The database is running again')
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error(error instanceof Error ? error.message : String(error))
        await delay(1000, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  async function stop() {
    stopping.abort()
    await restarting
    const othersRemain = await leave(presence).catch(() => false)
    if (!othersRemain)
      await shutDown(files).catch((error) => log.warn(`Could not stop the database: ${error.message}`))
  }

  await startOrJoin()
  return { superuser: files.superuser, owner: { ...files.superuser, user: OWNER }, app, stop }
}

/**
 * Tries to connect and to start, in turns, until PostgreSQL answers. Nothing else proves that it runs: the lock file of
 * a killed PostgreSQL can look alive for seconds, one that is stopping blocks the next start, and of two starts at once
 * one has to join the other.
 */
async function untilItAnswers(files: ClusterFiles, signal: AbortSignal) {
  const begin = performance.now()
  let attempt: Launch | undefined
  for (;;) {
    const problem = await probe(files)
    if (!problem) return
    signal.throwIfAborted()
    const isRecovering = problem.code === '57P03'
    const hasExited = attempt?.hasExited()
    const known = hasExited && attempt && explain(attempt.output(), files.folder)
    if (known) throw new StartupError(known)
    // Checked before the next attempt, which has no output yet that could explain the failure.
    if (performance.now() - begin > (isRecovering ? RECOVERY_MS : START_MS))
      throw new StartupError(explainSilence(files, attempt))
    if (!isRecovering && (!attempt || hasExited)) attempt = await launch(files)
    await delay(20)
  }
}

function explainSilence(files: ClusterFiles, attempt: Launch | undefined) {
  const fatal =
    attempt
      ?.output()
      .match(/FATAL: .*/g)
      ?.at(-1) ?? 'no answer'
  return `The database in ${files.folder} did not start (${fatal}). See ${files.log} for details.`
}

/** Connects to the cluster. Returns the error's code if it does not answer, or undefined if it does. */
async function probe({ superuser, folder }: ClusterFiles): Promise<{ code: string } | undefined> {
  const db = connect({ ...superuser, database: 'postgres' }, { max: 1, applicationName: 'sendroom probe' })
  try {
    await db.run(sql`select 1`)
  } catch (error) {
    if (isDatabaseDown(error) && error instanceof Error && 'code' in error)
      return { code: String(error.code) }
    throw new StartupError(
      explain(String(error), folder) ?? `The database in ${folder} refused the connection: ${error}`,
    )
  } finally {
    await db.end(0)
  }
}

/**
 * Closes our presence. Returns whether other Sendrooms remain. We announce that we leave before we look at the others:
 * if two leave at once, the later one sees nobody and stops the cluster.
 */
async function leave(presence: pg.Client | undefined): Promise<boolean> {
  if (!presence) return false
  await presence.query("select set_config('application_name', $1, false)", [LEAVING])
  const { rows } = await presence.query(
    'select count(*)::int as others from pg_stat_activity where application_name = $1',
    [PRESENT],
  )
  await presence.end()
  return rows[0].others > 0
}
