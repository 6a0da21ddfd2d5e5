import { readdirSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Db, Pool } from '../src/platform/database/connection.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { sql } from '../src/platform/database/sql.ts'
import { createTestDatabase } from './database.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/*
 * How long a migration blocks those who write is measured in rows, because time says little on a busy machine: the rows
 * that a transaction reads while it holds a lock that writes wait for. Two million deliveries took 5.9 s.
 */

const MIGRATIONS = join(import.meta.dirname, '../migrations')
const NAMES = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith('.sql'))
  .sort()
/** Programs run while the files after this one are applied. */
const OLDEST = '0033-schema.sql'

/** As in a large installation there are a hundred deliveries to a job. */
const INSTANCES = 10
const JOBS = 100
const DELIVERIES = 10_000
/** A file may read all jobs and instances a few times, never the deliveries. There are far fewer of them. */
const MOST_ROWS = 1_000

const FILL = `
  insert into instances (name, token_cipher, token_hash, is_test)
  select n::text, '', n::text::bytea, true from generate_series(1, ${INSTANCES}) n;
  insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name, status, completed_at)
  select 'SendToUsers', '', 1 + n % ${INSTANCES}, ${DELIVERIES / JOBS}, '', 'Completed', now()
  from generate_series(1, ${JOBS}) n;
  insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, reason, sent_at)
  select j.id, j.instance_id, n::text, '', case when n % 10 = 0 then 'failed' else 'sent' end,
    case when n % 10 = 0 then '{"code": "interrupted", "params": {}}'::jsonb end, now()
  from jobs j, generate_series(1, ${DELIVERIES / JOBS}) n`

/** A transaction has read so many rows, and holds these locks, which keep others from writing. */
type Block = { rowsRead: number; rowsLocked: number; locks: string[] }

test('no migration reads many rows while others wait to write deliveries, jobs or instances', async () => {
  await using database = await open()
  await database.migrate(NAMES)
  expect(database.found).toEqual({})
})

/** Each is applied after the ones before. */
const BLOCKING: [what: string, text: string, block: object][] = [
  ['builds an index', 'create index slow on deliveries (id)', { locks: ['ShareLock on deliveries'] }],
  ['changes many rows', 'update deliveries set attempt = 1', { locks: [], rowsLocked: DELIVERIES }],
  [
    'reads all rows after it has changed a table',
    'alter table jobs add x int; select count(*) from deliveries',
    { locks: ['AccessExclusiveLock on jobs'] },
  ],
  [
    'rewrites a table',
    'alter table instances alter busy_in_a_row type bigint; alter table deliveries alter doubts type bigint',
    {
      locks: expect.arrayContaining([
        'AccessExclusiveLock on deliveries',
        'AccessExclusiveLock on instances',
      ]),
    },
  ],
]

test('a migration is found that builds an index, changes or reads many rows, or rewrites a table', async () => {
  await using database = await open()
  const names = BLOCKING.map(([what], nth) => `900${nth}-${what.replaceAll(' ', '-')}.sql`)
  for (const [nth, name] of names.entries())
    await writeFile(join(database.folder, name), BLOCKING[nth]?.[1] ?? '')
  await database.migrate([...NAMES.filter((name) => name <= OLDEST), ...names])
  const blocks = BLOCKING.map(([, , block], nth) => [names[nth], [expect.objectContaining(block)]])
  expect(database.found).toEqual(Object.fromEntries(blocks))
})

/**
 * An empty database. `migrate` fills it before the first file after OLDEST, and notes in `found` what blocks for long.
 */
async function open() {
  const { db, drop } = await createTestDatabase('template0')
  const folder = await makeTemporaryFolder('migrations')
  const applied = join(folder, 'applied')
  await mkdir(applied)
  const found: Record<string, Block[]> = {}
  let isFull = false

  async function apply(name: string) {
    const own = NAMES.includes(name) ? MIGRATIONS : folder
    await copyFile(join(own, name), join(applied, name))
    const blocks: Block[] = []
    await migrate(observed(db, blocks), { folder: applied })
    const long = blocks.filter(isLong)
    if (isFull && long.length > 0) found[name] = long
  }

  async function migrateAll(names: string[]) {
    for (const name of names) {
      if (name > OLDEST && !isFull) {
        await db.script(FILL)
        isFull = true
      }
      await apply(name)
    }
  }
  return { folder, found, migrate: migrateAll, [Symbol.asyncDispose]: drop }
}

const isLong = ({ rowsRead, rowsLocked, locks }: Block) =>
  rowsLocked > MOST_ROWS || (locks.length > 0 && rowsRead > MOST_ROWS)

/** The same pool. Notes at the end of each transaction what it would block if it went on. */
function observed(db: Pool, blocks: Block[]): Pool {
  return {
    ...db,
    dedicated: () => observed(db.dedicated(), blocks),
    begin: (work) =>
      db.begin(async (tx) => {
        const before = await readWork(tx)
        const result = await work(tx)
        const after = await readWork(tx)
        blocks.push({
          rowsRead: after.rowsRead - before.rowsRead,
          rowsLocked: after.rowsLocked - before.rowsLocked,
          locks: after.locks,
        })
        return result
      }),
  }
}

/** The counters may still hold the work of the connection's last transactions. Building an index counts as reading. */
const readWork = (tx: Db) =>
  tx.one<Block>(sql`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) as rows_read,
      coalesce(sum(n_tup_upd + n_tup_del) filter (where relname = any(${WRITTEN})), 0) as rows_locked,
      array(
        select l.mode || ' on ' || c.relname from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = pg_backend_pid() and c.relname = any(${WRITTEN})
          and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        order by 1
      ) as locks
    from pg_stat_xact_user_tables`)

const WRITTEN = ['deliveries', 'jobs', 'instances']
