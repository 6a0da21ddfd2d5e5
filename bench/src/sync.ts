/**
 * Measures what a sync costs, and whether a second one writes groups that have not changed. There is one instance
 * with 5,000 groups of 1,000 participants, then 100 instances with 50 such groups that sync at once, all on one
 * process.
 *
 * SYNC_SCALE=10 makes a tenth of the groups.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import { connect, type Pool } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { secretsOf } from '../../server/src/platform/secrets.ts'
import { Installation, type Sendroom, startSimulatorProcess } from '../../server/test/process.ts'
import { cpuSeconds, peakMegabytes, residentMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SECRET_KEY = 'a key of 32 characters for the benchmark'
const PARTICIPANTS = 1000
const SCALE = Number(process.env.SYNC_SCALE ?? 1)
const SIZES = [
  { instances: 1, groups: 5000 / SCALE },
  { instances: 100, groups: 50 / SCALE },
]

for (const { instances, groups } of SIZES) {
  await using home = await Installation.create({ SECRET_KEY })
  await using simulator = await startSimulatorProcess(home.dataDir, [
    ...['--groups', String(groups), '--group-size', String(PARTICIPANTS)],
  ])
  const sendroom = await home.start([], { TEST_PROVIDER_URL: simulator.url })
  const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
  await addInstances(db, instances)
  const rows = []
  for (const what of [
    'first sync',
    'second sync, nothing changed',
    'third sync, one member left each instance',
  ]) {
    if (what.startsWith('third')) await addParticipants(db)
    rows.push({ what, ...(await measure(home, sendroom, db)) })
  }
  printTable(`${instances} instances with ${groups} groups of ${PARTICIPANTS}`, rows)
  await db.end()
  await sendroom.end('SIGTERM')
}

/** Instances whose groups are read only when the benchmark asks for it. */
async function addInstances(db: Pool, count: number) {
  const secrets = secretsOf(SECRET_KEY)
  for (let n = 0; n < count; n++) {
    const token = `test_linked_sync_${n}`
    await db.run(sql`
      insert into instances (name, token_cipher, token_hash, is_test, status, status_asked_at, webhook_tried_at, syncing_until)
      values (${token}, ${secrets.encrypt(token)}, ${secrets.hash(token)}, true, 'Connected', now() + interval '1 day',
        now() + interval '1 day', now())`)
  }
}

/** The next sync finds that these people have left. */
function addParticipants(db: Pool) {
  return db.run(sql`
    insert into participants (group_id, person_id, rank)
    select min(id), 'somebody who left', 'member' from groups group by instance_id`)
}

type Written = { inserted: number; updated: number; deleted: number }

/** Syncs all instances at once, and waits for the last. */
async function measure(home: Installation, sendroom: Sendroom, db: Pool) {
  const client = await home.signIn(sendroom)
  const { at } = await db.one<{ at: string }>(sql`select clock_now() as at`)
  const [before, cpu, began] = [await writtenOn(db), cpuSeconds(sendroom.pid), performance.now()]
  peakMegabytes(sendroom.pid, true)
  const start = residentMegabytes(sendroom.pid)
  for (const { id } of await db.many<{ id: number }>(sql`select id from instances order by id`))
    await client.ask(contract.instances.sync, { params: { id } })
  let atOnce = 0
  for (;;) {
    const { left, running } = await db.one<{ left: number; running: number }>(sql`
      select count(*) filter (where coalesce(last_sync_at, 'epoch') < ${at}) as left,
        count(*) filter (where syncing_until > clock_now()) as running
      from instances`)
    atOnce = Math.max(atOnce, running)
    if (left === 0) break
    await delay(200)
  }
  const seconds = (performance.now() - began) / 1000
  await delay(11_000) // an idle session reports its counts after ten seconds at most
  const after = await writtenOn(db)
  return {
    s: seconds.toFixed(1),
    'at once': atOnce,
    'Node CPU s': (cpuSeconds(sendroom.pid) - cpu).toFixed(1),
    'MB before': Math.round(start),
    'MB at most': Math.round(peakMegabytes(sendroom.pid)),
    'rows inserted': after.inserted - before.inserted,
    updated: after.updated - before.updated,
    deleted: after.deleted - before.deleted,
  }
}

/** Rows of groups and participants that were written since the beginning. */
function writtenOn(db: Pool) {
  return db.one<Written>(sql`
    select sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated, sum(n_tup_del)::int as deleted
    from pg_stat_user_tables where relname in ('groups', 'participants')`)
}
