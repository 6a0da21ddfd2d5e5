import { type Log, startCluster } from './cluster.ts'
import { connect, type DatabaseTarget, type Sql } from './connection.ts'
import { migrate } from './migrate.ts'
import { reachDatabase } from './reach.ts'

export type Database = { sql: Sql; target: DatabaseTarget; close: () => Promise<void> }

/** The database of this process, migrated: the one at `databaseUrl`, or the embedded cluster in `dataDir`. */
export async function openDatabase(
  config: { databaseUrl?: string; dataDir: string },
  log: Log,
): Promise<Database> {
  if (config.databaseUrl) return open(config.databaseUrl, async () => {})
  const cluster = await startCluster(config.dataDir, log)
  return open(cluster.address, cluster.stop)
}

async function open(target: DatabaseTarget, stop: () => Promise<void>): Promise<Database> {
  const sql = connect(target, { max: 20, applicationName: 'sendroom' })
  const close = async () => {
    await sql.end({ timeout: 5 })
    await stop()
  }
  try {
    if (typeof target === 'string') await reachDatabase(sql)
    await migrate(sql)
  } catch (error) {
    await close()
    throw error
  }
  return { sql, target, close }
}
