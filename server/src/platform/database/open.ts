import { type DatabaseTarget, targetOf } from '../../database-url.ts'
import { type Log, startCluster } from './cluster.ts'
import { connect, type Pool } from './connection.ts'
import { inspectDatabase } from './inspect.ts'
import { migrate } from './migrate.ts'
import { storeSessionDefaults } from './session-defaults.ts'

export type Database = { db: Pool; close: () => Promise<void> }

/** Opens and migrates the database of this process: the one of DATABASE_URL, or the embedded cluster in `dataDir`. */
export async function openDatabase(
  { database, dataDir }: { database?: DatabaseTarget; dataDir: string },
  log: Log,
): Promise<Database> {
  if (database) {
    await asRole(database, async (db) => {
      await inspectDatabase(db)
      await migrate(db, { log })
      await storeSessionDefaults(db, 'database')
    })
    return open(database, async () => {})
  }
  const { owner, app, stop } = await startCluster(dataDir, log)
  try {
    await asRole(targetOf(owner), (db) => migrate(db, { log }))
    await asRole(targetOf(app), (db) => storeSessionDefaults(db, 'database'))
  } catch (error) {
    await stop()
    throw error
  }
  return open(targetOf(app), stop)
}

/** Opens the database for the owner of its tables, without changing anything. Close your connections before `close`. */
export async function openAsOwner(
  { database, dataDir }: { database?: DatabaseTarget; dataDir: string },
  log: Log,
): Promise<{ target: DatabaseTarget; close: () => Promise<void> }> {
  if (database) {
    await asRole(database, inspectDatabase)
    return { target: database, close: async () => {} }
  }
  const { owner, stop } = await startCluster(dataDir, log)
  return { target: targetOf(owner), close: stop }
}

/** Runs `task` on a pool of its own, because open connections do not get the settings that `task` stores. */
async function asRole(target: DatabaseTarget, task: (db: Pool) => Promise<void>) {
  const db = connect(target, { max: 1, applicationName: 'sendroom setup' })
  try {
    await task(db)
  } catch (error) {
    await db.end(0)
    throw error
  }
  await db.end()
}

function open(target: DatabaseTarget, stop: () => Promise<void>): Database {
  const db = connect(target, { max: 20, applicationName: 'sendroom' })
  const close = async () => {
    await db.end(5000)
    await stop()
  }
  return { db, close }
}
