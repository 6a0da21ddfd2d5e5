/** How much memory and time do exports take: 200,000 participants of a group, 100,000 recipients of a job? */
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { Installation } from '../../server/test/process.ts'
import { cpuSeconds, residentMegabytes } from './processes.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const PARTICIPANTS = 200_000
const RECIPIENTS = 100_000

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
const [token = ''] = await seedUsers(db, { role: 'Admin', count: 1, instanceIds: [] })
await db.run(sql`set statement_timeout = 0`)
await db.run(sql`
  insert into instances (name, token_cipher, token_hash, is_test, is_active) values ('Shop', '', '\x01', true, false)`)
await db.run(sql`
  insert into groups (instance_id, chat_id, name, participant_count) values (1, '1@g.us', 'Large', ${PARTICIPANTS})`)
await db.run(sql`
  insert into participants (group_id, person_id, rank, name)
  select 1, 84900000000 + n, case when n < 5 then 'admin' else 'member' end, 'Nguyễn Văn ' || n * 7919 % 200003
  from generate_series(1, ${PARTICIPANTS}::int) n`)
await db.run(sql`
  insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name)
  values ('SendToUsers', 'Hello', 1, 'Completed', ${RECIPIENTS}, 'user')`)
await db.run(sql`
  insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, sent_at, delivered_at)
  select 1, 1, 84900000000 + n || '@s.whatsapp.net', '+' || 84900000000 + n, 'sent', now(), now()
  from generate_series(1, ${RECIPIENTS}::int) n`)
await db.run(sql`vacuum analyze`)

/** Downloads a file. `pauseMs` makes a slow client, which waits after each piece. */
async function measure(name: string, path: string, pauseMs = 0) {
  const before = residentMegabytes(sendroom.pid)
  const cpu = cpuSeconds(sendroom.pid)
  const begin = performance.now()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, residentMegabytes(sendroom.pid))), 10)
  const response = await fetch(`${sendroom.url}/api/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const firstByte = performance.now() - begin
  let bytes = 0
  if (!response.ok || !response.body) throw new Error(`${name} answered ${response.status}`)
  for await (const piece of response.body) {
    bytes += piece.length
    if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  clearInterval(timer)
  return {
    export: name,
    'MB in memory before': before,
    'MB more at most': peak - before,
    'first byte, ms': firstByte,
    seconds: (performance.now() - begin) / 1000,
    'CPU s': cpuSeconds(sendroom.pid) - cpu,
    'file, MB': bytes / 1e6,
  }
}

const participants = 'groups/1/participants/export'
// Requests that every page makes: what they need is not the export's.
for (let n = 0; n < 200; n++) await (await fetch(`${sendroom.url}/api/health`)).text()
printTable('Exports', [
  await measure(`${PARTICIPANTS.toLocaleString('en')} participants, xlsx`, participants),
  await measure('the same again', participants),
  await measure('the same, slow client', participants, 20),
  await measure(`${RECIPIENTS.toLocaleString('en')} recipients, xlsx`, 'jobs/1/recipients/export/xlsx'),
  await measure('the same, CSV', 'jobs/1/recipients/export/csv'),
])
await db.end()
await sendroom.end('SIGTERM')
