import type { Pool } from '../../server/src/platform/database/connection.ts'
import { identifier, sql } from '../../server/src/platform/database/sql.ts'

const INSTANCES = 100
const GROUPS = 10_000
/** Groups of one instance. Every job sends to all groups of its instance. */
const RECIPIENTS = GROUPS / INSTANCES

/** Inserts `sent` sent deliveries to 10,000 groups of 100 instances, in jobs of 100 recipients. */
export async function seedSent(db: Pool, sent: number): Promise<void> {
  await db.run(sql`
    insert into instances (name, token_cipher, token_hash, is_test, is_active)
    select 'Instance ' || n, '', int4send(n), true, false from generate_series(1, ${INSTANCES}::int) n`)
  await insertGroups(db, 0, GROUPS)
  const jobs = Math.ceil(sent / RECIPIENTS)
  await insertJobs(db, 0, jobs)
  await db.run(sql`
    insert into deliveries (job_id, instance_id, group_id, chat_id, recipient_name, status, sent_at)
    select j.id, g.instance_id, g.id, g.chat_id, g.name, 'sent', now()
    from jobs j join groups g on g.instance_id = j.instance_id`)
  await db.run(sql`vacuum analyze`)
}

/** Fills up groups, messages and jobs to `rows` of each. Call `seedSent` first. */
export async function seedLists(db: Pool, rows: number): Promise<void> {
  const indexes = await dropSearchIndexes(db)
  await insertGroups(db, GROUPS, rows)
  const { jobs } = await db.one<{ jobs: number }>(sql`select count(*) as jobs from jobs`)
  await insertJobs(db, jobs, rows)
  await db.run(sql`
    insert into messages (text_content, instance_id, created_by_user_name, created_at)
    select 'Message ' || n || ${word}, 1 + n % ${INSTANCES}, 'user' || n % 50, now() - n * interval '1 second'
    from generate_series(1, ${rows}::int) n`)
  for (const definition of indexes) await db.script(definition)
  await db.run(sql`vacuum analyze`)
}

/** Two participants in each group, some of them in several. */
export async function seedParticipants(db: Pool): Promise<void> {
  await db.run(sql`
    insert into participants (group_id, person_id, rank)
    select id, '84' || id, 'member' from groups
    union all select id, '85' || id % 100000, 'member' from groups`)
  await db.run(sql`vacuum analyze participants`)
}

/** Inserts contacts, each with a number. Each tenth has a tag, and the value 10 of a field. */
export async function seedContacts(
  db: Pool,
  count: number,
): Promise<{ fieldKey: string; tagOfTenth: number }> {
  const indexes = await dropSearchIndexes(db)
  const fieldKey = 'share'
  const { id: fieldId } = await db.one<{ id: number }>(sql`
    insert into contact_fields (key, name, type) values (${fieldKey}, 'Share', 'number') returning id`)
  const { id: tagOfTenth } = await db.one<{ id: number }>(
    sql`insert into tags (name) values ('tenth') returning id`,
  )
  await db.run(sql`
    insert into contacts (name, numbers, source, source_name, created_at)
    select 'Khách hàng ' || md5(n::text), (84900000000 + n)::text, 'form', 'lan', now() - n * interval '1 second'
    from generate_series(1, ${count}::int) n`)
  await db.run(sql`insert into contact_identities select 'phone', numbers, id, true from contacts`)
  await db.run(sql`insert into contact_tags select id, ${tagOfTenth} from contacts where id % 10 = 0`)
  await db.run(sql`
    insert into contact_values
    select id, ${fieldId}, case when id % 10 = 0 then '10' else '1' end from contacts`)
  for (const definition of indexes) await db.script(definition)
  await db.run(sql`vacuum analyze`)
  return { fieldKey, tagOfTenth }
}

/** Inserts series that run daily, and jobs that wait, all within 60 days. They belong to 100 instances. */
export async function seedCalendar(db: Pool, series: number, jobs: number): Promise<void> {
  await db.run(sql`
    insert into instances (name, token_cipher, token_hash, is_test, is_active)
    select 'Instance ' || n, '', int4send(n), true, true from generate_series(1, ${INSTANCES}::int) n`)
  const rule = {
    frequency: 'day',
    every: 1,
    times: ['09:00'],
    startsOn: '2026-01-01',
    endsOn: null,
    runLimit: null,
  }
  await db.run(sql`
    insert into series (instance_id, name, job_type, rule, quiet_policy, overlap, recipients, author_name, planned_until)
    select 1 + n % ${INSTANCES}, 'Series ' || n, 'SendToGroups',
      ${JSON.stringify({ ...rule, timeZone: 'UTC' })}::jsonb, 'move', 'skip',
      '{"groupIds": [1, 2, 3], "contactIds": [], "phoneNumbers": ""}', 'somebody', now() + interval '62 days'
    from generate_series(1, ${series}::int) n`)
  await db.run(sql`
    insert into series_runs (series_id, local_time, number, due_at)
    select s.id, (current_date + day) || 'T09:00', day, current_date + day + s.id % 1440 * interval '1 minute'
    from series s, generate_series(1, 60) day`)
  // The quota is checked for each job, which would take an hour.
  await db.run(sql`alter table jobs disable trigger jobs_quota`)
  await db.run(sql`
    insert into jobs (job_type, text_content, instance_id, recipient_count, created_by_user_name, scheduled_at)
    select 'SendToGroups', 'Message ' || n, 1 + n % ${INSTANCES}, ${RECIPIENTS}::int, 'somebody',
      current_date + 1 + n * interval '60 days' / ${jobs}::int
    from generate_series(0, ${jobs - 1}::int) n`)
  await db.run(sql`alter table jobs enable trigger jobs_quota`)
  await db.run(sql`vacuum analyze`)
}

/** Inserts users with a session each and returns the tokens. */
export async function seedUsers(
  db: Pool,
  { role, count, instanceIds }: { role: 'Admin' | 'Member'; count: number; instanceIds: number[] },
): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `${role}-${n}`)
  await db.run(sql`
    with added as (
      insert into users (username, email, password_hash, role, is_active)
      select name, name || '@example.com', 'none', ${role}, true from unnest(${names}::text[]) name
      returning id, username
    ), opened as (
      insert into sessions (token_hash, user_id, expires_at)
      select sha256(convert_to(username, 'UTF8')), id, now() + interval '1 day' from added
    )
    insert into user_instances (user_id, instance_id)
    select id, instance_id from added, unnest(${instanceIds}::bigint[]) instance_id`)
  return names
}

const insertGroups = (db: Pool, from: number, to: number) =>
  db.run(sql`
  insert into groups (instance_id, chat_id, name, participant_count, last_sync_at)
  select 1 + n % ${INSTANCES}, n || '@g.us', 'Group ' || n || ${word}, n % 1000, now()
  from generate_series(${from + 1}::int, ${to}::int) n`)

const insertJobs = (db: Pool, from: number, to: number) =>
  db.run(sql`
  insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, created_at)
  select 'SendToGroups', 'Message ' || n || ${word}, 1 + n % ${INSTANCES},
    (array['Completed', 'Completed', 'Failed', 'Cancelled'])[1 + n % 4], ${RECIPIENTS}::int, 'user' || n % 50,
    now() - n * interval '1 second'
  from generate_series(${from + 1}::int, ${to}::int) n`)

/** A unique word per row up to a million rows, in no order, so that search results come from anywhere in a list. */
const word = sql`' word' || n::bigint * 7919 % 1000003`

/** Drops the trigram indexes and returns their definitions. To build them later is many times faster. */
async function dropSearchIndexes(db: Pool): Promise<string[]> {
  const indexes = await db.many<{ indexname: string; indexdef: string }>(sql`
    select indexname, indexdef from pg_indexes where schemaname = 'public' and indexdef like '% gin %'`)
  for (const { indexname } of indexes) await db.run(sql`drop index ${identifier(indexname)}`)
  return indexes.map(({ indexdef }) => indexdef)
}
