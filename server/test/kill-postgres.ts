import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseAddress } from '../src/database-url.ts'
import { connect } from '../src/platform/database/connection.ts'
import { isDatabaseDown } from '../src/platform/database/errors.ts'
import { sql } from '../src/platform/database/sql.ts'
import { until } from './until.ts'

/** The process that starts all other processes of a PostgreSQL on this machine. */
export const postmasterOf = ({ host }: DatabaseAddress): number =>
  Number(readFileSync(join(host, 'postmaster.pid'), 'utf8').split('\n')[0])

/** Kills all processes of a PostgreSQL on this machine. The postmaster goes first, or it would restart the others. */
export async function killPostgres(address: DatabaseAddress): Promise<void> {
  const postmaster = postmasterOf(address)
  const db = connect(address, { max: 1, applicationName: 'sendroom test' })
  const children = await retryWhileDown(() => db.many<{ pid: number }>(sql`select pid from pg_stat_activity`))
  for (const pid of [postmaster, ...children.map((child) => child.pid)]) killIfAlive(pid)
  await db.end(0)
}

export function killIfAlive(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

/** Runs `task` again for as long as it fails because the database is down. */
export async function retryWhileDown<T>(task: () => Promise<T>): Promise<T> {
  const done = await until('the database answers', async () => {
    try {
      return { result: await task() }
    } catch (error) {
      if (!isDatabaseDown(error)) throw error
      return null
    }
  })
  return done.result
}
