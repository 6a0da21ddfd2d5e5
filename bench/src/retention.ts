/** Measures how long deleting a million old deliveries takes, and whether it holds up sending meanwhile. */

import { deleteOldRows } from '../../server/src/engine/retention/delete-old.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { openEnvironment } from './engine-environment.ts'
import { printTable } from './table.ts'

const OLD_JOBS = 10
const OLD_RECIPIENTS = 100_000
const INSTANCES = 100
const MESSAGES = 300

await using environment = await openEnvironment()
const { db } = environment
const retentionDb = connect(environment.home.database, { max: 1, applicationName: 'sendroom retention' })

await addOldJobs()
const rows = []
await send()
for (const _ of [1, 2, 3]) {
  rows.push({ what: 'without', deleted: 0, ...(await send()) })
  rows.push(await sendMeanwhile())
}
printTable(
  `${INSTANCES} accounts send ${MESSAGES} messages each, pacing off, while old deliveries are deleted`,
  rows,
)

const left = await countOld()
const began = performance.now()
await deleteOldRows(retentionDb, new AbortController().signal)
const seconds = (performance.now() - began) / 1000
printTable('The rest, with nothing else to do', [
  { deliveries: left - (await countOld()), s: seconds, left: await countOld() },
])
await retentionDb.end()

/** Jobs of the same instances that ended 40 days ago, each with 100,000 sent messages and ids of the provider. */
async function addOldJobs() {
  await db.run(sql`update retention set delivery_days = 30, log_days = 30`)
  await db.begin(async (tx) => {
    await tx.run(sql`set local statement_timeout = 0`)
    await tx.run(sql`
      insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, completed_at)
      select 'SendToUsers', 'Hello', id, 'Completed', ${OLD_RECIPIENTS}, 'bench', now() - interval '40 days'
      from instances order by id limit ${OLD_JOBS}`)
    await tx.run(sql`
      insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, sent_at, provider_message_id)
      select j.id, j.instance_id, n || '@s.whatsapp.net', n, 'sent', completed_at, 'old-' || n
      from jobs j, generate_series(1, ${OLD_RECIPIENTS}) n`)
    await tx.run(sql`
      insert into matched_messages select instance_id, provider_message_id, id from deliveries`)
  })
  await db.run(sql`vacuum analyze`)
}

/** Sends jobs to their end. Returns messages per second, and the longest time in which none was sent. */
async function send() {
  await environment.addJobs(INSTANCES, MESSAGES)
  const { at } = await db.one<{ at: string }>(sql`select now() as at`)
  await environment.startJobs()
  await environment.untilDone()
  return db.one<{ 'msg/s': number; 'longest gap ms': number }>(sql`
    select round(count(*) / extract(epoch from max(sent_at) - min(sent_at)))::int as "msg/s",
      round(max(extract(epoch from gap)) * 1000)::int as "longest gap ms"
    from (select sent_at, sent_at - lag(sent_at) over (order by sent_at) as gap
      from deliveries where sent_at > ${at}) sent`)
}

async function sendMeanwhile() {
  const stopping = new AbortController()
  const before = await countOld()
  const deleting = deleteOldRows(retentionDb, stopping.signal)
  const sent = await send()
  stopping.abort()
  await deleting
  return { what: 'while deleting', deleted: before - (await countOld()), ...sent }
}

async function countOld() {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) from deliveries where sent_at < now() - interval '1 day'`)
  return count
}
