import { type DatabaseTarget, targetOf } from '../../database-url.ts'
import type { AvailabilityLog } from './availability.ts'
import { type Log, startCluster } from './cluster.ts'
import { connect, type Pool } from './connection.ts'
import { inspectDatabase, inspectPooler } from './inspect.ts'
import { migrate } from './migrate.ts'
import { storeSessionDefaults } from './session-defaults.ts'

export type Database = { db: Pool; close: () => Promise<void> }

type Place = {
  database?: DatabaseTarget
  /** The same database without the pooler that `database` may lead to. */
  directDatabase?: DatabaseTarget
  dataDir: string
}

/**
 * Opens and migrates the database of this process: the one of DATABASE_URL, or the embedded cluster in `dataDir`. If
 * `mayBePooled`, only what needs a session bypasses the pooler: the migrations and LISTEN.
 */
export async function openDatabase(
  { database, directDatabase, dataDir }: Place,
  log: Log & AvailabilityLog,
  { mayBePooled = false } = {},
): Promise<Database> {
  if (database) {
    const direct = directDatabase ?? database
    await asRole(direct, async (db) => {
      await inspectDatabase(db, variableOf(directDatabase))
      await migrate(db, { log })
      await storeSessionDefaults(db, 'database')
      if (directDatabase) await asRole(database, (pooled) => inspectPooler(pooled, db))
    })
    return mayBePooled && directDatabase ? openPooled(database, direct, log) : open(direct, log)
  }
  const { owner, app, stop } = await startCluster(dataDir, log)
  try {
    await asRole(targetOf(owner), (db) => migrate(db, { log }))
    await asRole(targetOf(app), (db) => storeSessionDefaults(db, 'database'))
  } catch (error) {
    await stop()
    throw error
  }
  return open(targetOf(app), log, stop)
}

/** Opens the database for the owner of its tables, without changing anything. Close your connections before `close`. */
export async function openAsOwner(
  { database, directDatabase, dataDir }: Place,
  log: Log,
): Promise<{ target: DatabaseTarget; close: () => Promise<void> }> {
  if (database) {
    const target = directDatabase ?? database
    await asRole(target, (db) => inspectDatabase(db, variableOf(directDatabase)))
    return { target, close: async () => {} }
  }
  const { owner, stop } = await startCluster(dataDir, log)
  return { target: targetOf(owner), close: stop }
}

const variableOf = (directDatabase: DatabaseTarget | undefined) =>
  directDatabase ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'

/**
 * Runs `task` on a pool of its own, because open connections do not get the settings that `task` stores. Nobody knows
 * yet whether a pooler stands before the server.
 */
async function asRole(target: DatabaseTarget, task: (db: Pool) => Promise<void>) {
  const db = connect(target, { max: 1, applicationName: 'sendroom setup', isPooled: true })
  try {
    await task(db)
  } catch (error) {
    await db.end(0)
    throw error
  }
  await db.end()
}

const MAIN = { max: 20, applicationName: 'sendroom' }
const END_MS = 5000

function open(target: DatabaseTarget, log: AvailabilityLog, stop = async () => {}): Database {
  const db = connect(target, { ...MAIN, log })
  const close = async () => {
    await db.end(END_MS)
    await stop()
  }
  return { db, close }
}

function openPooled(pooled: DatabaseTarget, direct: DatabaseTarget, log: AvailabilityLog): Database {
  const db = connect(pooled, { ...MAIN, log, isPooled: true })
  const sessions = connect(direct, MAIN)
  const close = async () => {
    await sessions.end(END_MS)
    await db.end(END_MS)
  }
  return { db: { ...db, listen: sessions.listen }, close }
}
