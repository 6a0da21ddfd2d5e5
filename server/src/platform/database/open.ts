import { type DatabaseTarget, targetOf } from '../../database-url.ts'
import { type Log, startCluster } from './cluster.ts'
import { connect, type Pool } from './connection.ts'
import { inspectDatabase } from './inspect.ts'
import { migrate } from './migrate.ts'

export type Database = { db: Pool; close: () => Promise<void> }

/** Opens and migrates the database of this process: the one of DATABASE_URL, or the embedded cluster in `dataDir`. */
export async function openDatabase(
  { database, dataDir }: { database?: DatabaseTarget; dataDir: string },
  log: Log,
): Promise<Database> {
  if (database) return open(database, inspectDatabase, async () => {})
  const cluster = await startCluster(dataDir, log)
  return open(targetOf(cluster.address), async () => {}, cluster.stop)
}

async function open(
  target: DatabaseTarget,
  inspect: (db: Pool) => Promise<void>,
  stop: () => Promise<void>,
): Promise<Database> {
  // A pool of its own, because open connections do not get the settings that a migration stores.
  const setup = connect(target, { max: 1, applicationName: 'sendroom setup' })
  try {
    await inspect(setup)
    await migrate(setup)
  } catch (error) {
    await setup.end(0)
    await stop()
    throw error
  }
  await setup.end()
  const db = connect(target, { max: 20, applicationName: 'sendroom' })
  const close = async () => {
    await db.end(5000)
    await stop()
  }
  return { db, close }
}
