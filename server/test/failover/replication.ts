import pg from 'pg'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { until } from '../until.ts'

/** Runs a statement past the proxies, also on a standby, which Sendroom's own pools refuse. Returns the rows. */
export async function queryAt(
  address: DatabaseAddress,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...address, application_name: 'failover' })
  client.on('error', () => {}) // a lost connection also rejects the query
  try {
    await client.connect()
    return (await client.query(text, values)).rows
  } finally {
    client.end().catch(() => {})
  }
}

/** Drops the databases of earlier runs, so that there is little to copy. */
export async function dropRuns(primary: DatabaseAddress): Promise<void> {
  const runs = await queryAt(primary, String.raw`select datname from pg_database where datname like 'run\_%'`)
  for (const { datname } of runs) await queryAt(primary, `drop database ${datname} with (force)`)
}

/** Waits until the primary has a standby in this mode. */
export const untilFollowed = (primary: DatabaseAddress, isSynchronous: boolean) =>
  untilReplicates(primary, 'sync_state = $1', isSynchronous ? 'sync' : 'async')

/** Waits until the standby has everything that is committed now. */
export async function untilCaughtUp(primary: DatabaseAddress): Promise<void> {
  const [now] = await queryAt(primary, 'select pg_current_wal_lsn() as lsn')
  await untilReplicates(primary, 'replay_lsn >= $1', now?.lsn)
}

const untilReplicates = (primary: DatabaseAddress, condition: string, value: unknown) =>
  until('the standby follows the primary', async () => {
    const text = `select from pg_stat_replication where state = 'streaming' and ${condition}`
    return (await queryAt(primary, text, [value])).length > 0
  })
