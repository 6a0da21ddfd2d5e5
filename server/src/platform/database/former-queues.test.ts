import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { dropFormerQueues } from './former-queues.ts'
import { sql } from './sql.ts'

const context = useContext()
const countSchemas = () => context.db.run(sql`select from pg_namespace where nspname = 'pgboss'`)

test('the schema of the former queues stays for a week after the last worker that used it, and goes then', async () => {
  const { db } = context
  await dropFormerQueues(db)
  await db.script(`
    create schema pgboss;
    create table pgboss.version (version int primary key, cron_on timestamptz);
    create table pgboss.queue (name text);
    insert into pgboss.queue values ('sync-groups'), ('recurring'), ('__pgboss__send-it');
    insert into pgboss.version values (30, now())`)
  await dropFormerQueues(db)
  await context.shiftClock('6 days 23 hours')
  await dropFormerQueues(db)
  expect(await countSchemas()).toBe(1)
  await context.shiftClock('7 days 1 minute')
  await dropFormerQueues(db)
  expect(await countSchemas()).toBe(0)
})

test.each([
  ['has queues beside ours', "'sync-groups'), ('invoices'"],
  ['has other queues', "'invoices'"],
])('a schema that %s stays', async (_, queues) => {
  const { db } = context
  await db.script(`
    create schema pgboss;
    create table pgboss.version (version int primary key, cron_on timestamptz);
    create table pgboss.queue (name text);
    insert into pgboss.queue values (${queues});
    insert into pgboss.version values (30, null)`)
  await dropFormerQueues(db)
  expect(await countSchemas()).toBe(1)
})
