import type { Sql } from '../../server/src/platform/database/connection.ts'

const ACCOUNTS = 100
const GROUPS = 10_000
/** The groups of an account: each of its jobs sends to all of them. */
const RECIPIENTS = GROUPS / ACCOUNTS

/** So many messages sent to 10,000 groups of 100 accounts, by jobs of 100 recipients each. */
export async function seedSent(sql: Sql, sent: number): Promise<void> {
  await sql`
    insert into instances (name, token_cipher, token_hash, is_test, is_active)
    select 'Account ' || n, '', int4send(n), true, false from generate_series(1, ${ACCOUNTS}::int) n`
  await insertGroups(sql, 0, GROUPS)
  const jobs = Math.ceil(sent / RECIPIENTS)
  await insertJobs(sql, 0, jobs)
  await sql`
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, sent_at)
    select j.id, g.instance_id, g.id, g.chat_id, g.name, 'sent', now()
    from jobs j join groups g on g.instance_id = j.instance_id`
  await sql`vacuum analyze`
}

/** After `seedSent`: groups, messages and jobs up to so many of each. */
export async function seedLists(sql: Sql, rows: number): Promise<void> {
  const indexes = await dropSearchIndexes(sql)
  await insertGroups(sql, GROUPS, rows)
  const [{ jobs }] = await sql<[{ jobs: number }]>`select count(*) as jobs from jobs`
  await insertJobs(sql, jobs, rows)
  await sql`
    insert into messages (text_content, instance_id, created_by_user_name, created_at)
    select 'Message ' || n || ${word(sql)}, 1 + n % ${ACCOUNTS}, 'user' || n % 50, now() - n * interval '1 second'
    from generate_series(1, ${rows}::int) n`
  for (const definition of indexes) await sql.unsafe(definition)
  await sql`vacuum analyze`
}

const insertGroups = (sql: Sql, from: number, to: number) => sql`
  insert into groups (instance_id, chat_id, name, participant_count, last_sync_at)
  select 1 + n % ${ACCOUNTS}, n || '@g.us', 'Group ' || n || ${word(sql)}, n % 1000, now()
  from generate_series(${from + 1}::int, ${to}::int) n`

const insertJobs = (sql: Sql, from: number, to: number) => sql`
  insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, created_at)
  select 'SendToGroups', 'Message ' || n || ${word(sql)}, 1 + n % ${ACCOUNTS},
    (array['Completed', 'Completed', 'Failed', 'Cancelled'])[1 + n % 4], ${RECIPIENTS}::int, 'user' || n % 50,
    now() - n * interval '1 second'
  from generate_series(${from + 1}::int, ${to}::int) n`

/** A word of its own for each row up to a million, in no order: what is found lies anywhere in a list. */
const word = (sql: Sql) => sql`' word' || n::bigint * 7919 % 1000003`

/** Filling a trigram index row by row takes many times as long as building it afterwards. */
async function dropSearchIndexes(sql: Sql): Promise<string[]> {
  const indexes = await sql<{ indexname: string; indexdef: string }[]>`
    select indexname, indexdef from pg_indexes where schemaname = 'public' and indexdef like '% gin %'`
  for (const { indexname } of indexes) await sql`drop index ${sql(indexname)}`
  return indexes.map(({ indexdef }) => indexdef)
}
