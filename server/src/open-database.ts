import { hostname } from 'node:os'
import { type DatabaseTarget, targetOf } from './database-url.ts'
import { type Log, startCluster } from './embedded-postgres/cluster.ts'
import { hasCluster } from './embedded-postgres/cluster-files.ts'
import type { AvailabilityLog } from './platform/database/availability.ts'
import { connect, type Pool } from './platform/database/connection.ts'
import { inspectDatabase, inspectPooler } from './platform/database/inspect.ts'
import { migrate } from './platform/database/migrate.ts'
import { PROCESS, type Role } from './platform/database/processes.ts'
import { storeSessionDefaults } from './platform/database/session-defaults.ts'
import { StartupError } from './startup-error.ts'

export type Database = { db: Pool; close: () => Promise<void> }

type Place = {
  database?: DatabaseTarget
  /** The same database without the pooler that `database` may lead to. */
  directDatabase?: DatabaseTarget
  dataDir: string
}

/**
 * Opens and migrates the database of this process: the one of DATABASE_URL, or the embedded cluster in `dataDir`. In a
 * server, only what needs a session bypasses the pooler: the migrations and LISTEN.
 */
export async function openDatabase(
  { database, directDatabase, dataDir }: Place,
  log: Log & AvailabilityLog,
  role: Role = 'command',
): Promise<Database> {
  if (database) {
    const direct = directDatabase ?? database
    await asRole(direct, async (db) => {
      await inspectDatabase(db, variableOf(directDatabase))
      await migrate(db, { log })
      await storeSessionDefaults(db, 'database')
      if (directDatabase) await asRole(database, (pooled) => inspectPooler(pooled, db))
    })
    return role === 'server' && directDatabase ? openPooled(database, direct, log) : open(direct, log, role)
  }
  const { owner, app, stop } = await startCluster(dataDir, log)
  try {
    await asRole(targetOf(owner), (db) => migrate(db, { log }))
    await asRole(targetOf(app), (db) => storeSessionDefaults(db, 'database'))
  } catch (error) {
    await stop()
    throw error
  }
  return open(targetOf(app), log, role, stop)
}

/**
 * Opens the database as it is, to look at it. Starts the embedded cluster if nobody else has. Throws a StartupError if
 * there is none.
 */
export async function openToExamine(
  { database, directDatabase, dataDir }: Place,
  log: Log,
): Promise<Database> {
  const silent = { info() {}, warn() {} }
  if (database) return open(directDatabase ?? database, silent, 'command')
  if (!hasCluster(dataDir)) throw new StartupError(`There is no database in the data folder ${dataDir}.`)
  const { app, stop } = await startCluster(dataDir, log)
  return open(targetOf(app), silent, 'command', stop)
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

/** `findProcesses` tells the processes by this name: each keeps a connection for notifications. */
const mainOptions = (role: Role) => ({
  // The engine and the recurring tasks have connections of their own. A worker's other work needs fewer than requests.
  max: role === 'worker' ? 4 : 20,
  applicationName: `${PROCESS} ${role} ${process.pid}@${hostname()}`,
})
const END_MS = 5000

function open(target: DatabaseTarget, log: AvailabilityLog, role: Role, stop = async () => {}): Database {
  const db = connect(target, { ...mainOptions(role), log })
  const close = async () => {
    await db.end(END_MS)
    await stop()
  }
  return { db, close }
}

function openPooled(pooled: DatabaseTarget, direct: DatabaseTarget, log: AvailabilityLog): Database {
  const db = connect(pooled, { ...mainOptions('server'), log, isPooled: true })
  const sessions = connect(direct, mainOptions('server'))
  const close = async () => {
    await sessions.end(END_MS)
    await db.end(END_MS)
  }
  return { db: { ...db, listen: sessions.listen }, close }
}
