/** How fast is the page of a job with 100,000 recipients, at its start, in the middle and at its end? */
import autocannon from 'autocannon'
import { foldCounts } from '../../server/src/platform/count-fold.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { Installation } from '../../server/test/process.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const RECIPIENTS = 100_000
const SECONDS = 2

await using home = await Installation.create()
const sendroom = await home.start()
const db = connect(home.database, { max: 1, applicationName: 'sendroom bench' })
/** Many users, because one may make only 1,200 requests a minute. */
const tokens = await seedUsers(db, { role: 'Admin', count: 100, instanceIds: [] })
await db.run(sql`set statement_timeout = 0`)
await db.run(sql`
  insert into instances (name, token_cipher, token_hash, is_test, is_active) values ('Shop', '', '\x01', true, false)`)

/** Adds a job of which the first `done` are settled: every hundredth has failed, the others are sent, half are read. */
async function addJob(done: number): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`
    insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name)
    values ('SendToUsers', 'Hello', 1, ${done === RECIPIENTS ? 'Completed' : 'Running'}, ${RECIPIENTS}, 'user')
    returning id`)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name)
    select ${id}, 1, 84900000000 + n || '@s.whatsapp.net', 'Khách hàng ' || n
    from generate_series(1, ${RECIPIENTS}::int) n`)
  const { first } = await db.one<{ first: number }>(sql`
    select min(id) as first from deliveries where job_id = ${id}`)
  await db.run(sql`
    update deliveries
    set status = case when id % 100 = 0 then 'failed' else 'sent' end, sent_at = now() - interval '1 hour',
      provider_message_id = md5(id::text), intent = gen_random_uuid(),
      reason = case when id % 100 = 0 then '{"code":"not_on_whatsapp","params":{}}'::jsonb end,
      delivered_at = case when id % 100 > 0 then now() end, read_at = case when id % 2 > 0 then now() end
    where job_id = ${id} and id < ${first + done}`)
  await db.run(sql`update jobs set cursor = ${first + done} where id = ${id}`)
  return id
}

async function measure(name: string, path: string) {
  const url = `${sendroom.url}/api/jobs${path}`
  const requests = tokens.map((token) => ({
    method: 'GET' as const,
    headers: { authorization: `Bearer ${token}` },
  }))
  await autocannon({ url, requests, connections: 1, duration: 1 })
  const one = await autocannon({ url, requests, connections: 1, duration: SECONDS })
  const many = await autocannon({ url, requests, connections: 10, duration: SECONDS })
  return {
    read: one.non2xx + one.errors ? `${name} (failed)` : name,
    'p50 ms': one.latency.p50,
    'p97.5 ms': one.latency.p97_5,
    '10 clients, p50 ms': many.latency.p50,
  }
}

const rows: Awaited<ReturnType<typeof measure>>[] = []
const ended = await addJob(RECIPIENTS)
const half = await addJob(RECIPIENTS / 2)
const begun = await addJob(1000)
// All deliveries were settled in one moment. A real job does so over hours, and a worker adds the changes up.
await db.run(sql`update job_counts set at = at - interval '1 hour' where at > 'epoch'`)
await foldCounts(db)
await db.run(sql`vacuum analyze`)
for (const [name, id] of Object.entries({ begun, half, ended }))
  rows.push(
    await measure(`job, ${name}`, `/${id}`),
    await measure(`recipients, ${name}`, `/${id}/recipients?pageSize=25`),
    await measure(
      `waiting or sent, ${name}`,
      `/${id}/recipients?outcome=${id === ended ? 'Sent' : 'Waiting'}`,
    ),
    await measure(`failed, ${name}`, `/${id}/recipients?outcome=Failed`),
    await measure(`a number, ${name}`, `/${id}/recipients?search=84900045678`),
    await measure(`a name, ${name}`, `/${id}/recipients?search=khach%20hang%2045678`),
    await measure(`page 2,000, ${name}`, `/${id}/recipients?pageSize=25&page=2000`),
  )
rows.push(await measure('list of jobs', '?pageSize=10'))
printTable(`The page of a job with ${RECIPIENTS.toLocaleString('en')} recipients`, rows)
await db.end()
await sendroom.end('SIGTERM')
