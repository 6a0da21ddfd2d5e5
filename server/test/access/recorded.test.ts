import { contract } from '@sendroom/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/platform/database/sql.ts'
import { context, setPassword } from './fixture.ts'
import { signedIn } from './matrix.ts'
import { prepare } from './prepare.ts'

beforeAll(() => context.open())
afterAll(() => context.close())

// Every call that changes something is recorded in the audit log. audit.test.ts tests the entries.

/**
 * These change nothing but how Sendroom tells the callers themselves of troubles, and the answer has no data that they
 * may take away.
 */
const unrecorded = [
  'POST /groups/search',
  'POST /contacts/search',
  'POST /text-previews',
  'POST /contacts/choices',
  'POST /opt-outs/search',
  'POST /lists/:id/contacts/search',
  'POST /jobs/preview',
  'POST /number-checks/preview',
  // Changes how a file is read of which nothing is stored yet.
  'PUT /imports/:id',
  // The message or job that uses the file is recorded.
  'POST /files',
  'PUT /auth/language',
  'POST /notices/read',
  'PUT /notices/settings',
  'POST /notices/test-email',
]
/** These hand out a code or data, or unlink a phone. */
const recordedReads = [
  'GET /instances/:id/qrcode-base64',
  'GET /instances/:id/connect-code',
  'GET /instances/:id/logout',
  'GET /groups/:id/participants/export',
  'GET /imports/:id/problems',
  'GET /jobs/:id/recipients/export/csv',
  'GET /jobs/:id/recipients/export/xlsx',
  'GET /jobs/:id/recipients/:recipientId/members',
  'GET /jobs/:id/recipients/:recipientId/voters',
  'GET /audit/export',
  'GET /dashboard/days/export',
]

const recorded = signedIn.filter(({ endpoint, name }) =>
  endpoint.method === 'GET' ? recordedReads.includes(name) : !unrecorded.includes(name),
)

test.each(recorded)('$name is recorded in the audit log, or not done', async ({ endpoint, row }) => {
  const { user, input } = await prepare({ endpoint, row })
  const before = await contents()
  const remember = await loseEntries()
  expect((await context.call(user, endpoint, input)).status).toBe(503)
  // A read saves the status that the provider reports.
  if (endpoint.method !== 'GET') expect(await contents()).toEqual(before)

  await remember()
  const { last } = await context.db.one<{ last: number }>(
    sql`select coalesce(max(id), 0) as last from audit_log`,
  )
  expect((await context.call(user, endpoint, input)).status).toBeLessThan(300)
  const entries = await context.db.many(
    sql`select user_id, user_name, address from audit_log where id > ${last}`,
  )
  expect(entries).not.toEqual([])
  for (const entry of entries)
    expect(entry).toEqual({ userId: user.id, userName: user.username, address: '127.0.0.1' })
})

test('a sign-in is recorded in the audit log, or opens no session', async () => {
  const { id, username } = await context.add.user()
  await setPassword({ id }, 'secret-1')
  await context.db.run(sql`delete from sessions`)
  await loseEntries()
  const body = { username, password: 'secret-1' }
  expect((await context.call(null, contract.session.login, { body })).status).toBe(503)
  expect(await context.db.run(sql`select from sessions`)).toBe(0)
})

/**
 * Ends the connection when it adds an entry, as the death of the process right before does. Returns what stops that, at
 * the latest at the end of the test.
 */
async function loseEntries() {
  const remember = () => context.db.script('drop function if exists lose_entry cascade')
  onTestFinished(remember)
  await context.db.script(`
    create function lose_entry() returns trigger language plpgsql as $$
    begin
      perform pg_terminate_backend(pg_backend_pid());
      return new;
    end $$;
    create trigger lose_entry before insert on audit_log for each row execute function lose_entry();`)
  return remember
}

/**
 * How many rows each table has, and the sum of the transactions that wrote them, which takes a fraction of the time of
 * reading the rows. Left out is what counts whatever comes of it: attempts to enter a password, and syncs, which count
 * before the provider is asked for the instance's status.
 */
const contents = () =>
  context.db.many(sql`
    select relname, query_to_xml(
      'select count(*), sum(xmin::text::bigint) from ' || oid::regclass, true, false, '')::text as digest
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace 
      and relname not in ('sign_in_failures', 'manual_syncs')
    order by relname`)
