/**
 * How many bytes on the disk does a message to a person take for good, and in which tables? 10,000 messages are sent,
 * delivered and read as they always are, so the rows have been changed as often as real ones.
 */
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { openEnvironment } from './engine-environment.ts'
import { printTable } from './table.ts'

const INSTANCES = 100
const MESSAGES = 100
const SENT = INSTANCES * MESSAGES
/** Has a row for each change of the last minute. Then a recurring task leaves one for each job. */
const PASSING = 'job_counts'
/** Smaller growth is not worth a line. */
const LEAST_BYTES = 0.5

await using environment = await openEnvironment()
const { db, simulator } = environment
await simulator.setReceipts(null, { readPercent: 100 })
await environment.sendReceipts()
// The first round fills what is used again and again.
await send(1)
const before = await sizes()
await send(2)
const after = await sizes()

async function send(round: number) {
  await environment.addJobs(INSTANCES, MESSAGES)
  await environment.startJobs()
  await environment.untilDone()
  const areRead = async () => {
    const { count } = await db.one<{ count: number }>(sql`
      select count(*) as count from deliveries where read_at is not null`)
    return count === SENT * round
  }
  await until('all are read', areRead, 300_000)
}

const rows = [...after]
  .filter(([table]) => table !== PASSING)
  .map(([table, bytes]) => ({ table, 'bytes a message': (bytes - (before.get(table) ?? 0)) / SENT }))
  .sort((a, b) => b['bytes a message'] - a['bytes a message'])
const total = rows.reduce((sum, row) => sum + row['bytes a message'], 0)
printTable(`On disk with indexes: ${SENT} messages in ${INSTANCES} jobs, sent, delivered and read`, [
  ...rows.filter((row) => row['bytes a message'] >= LEAST_BYTES),
  { table: 'all', 'bytes a message': total },
])

/** The bytes of each table with its indexes, after what autovacuum does sooner or later. */
async function sizes(): Promise<Map<string, number>> {
  await db.run(sql`vacuum analyze`)
  const tables = await db.many<{ name: string; bytes: number }>(sql`
    select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`)
  return new Map(tables.map(({ name, bytes }) => [name, bytes]))
}
