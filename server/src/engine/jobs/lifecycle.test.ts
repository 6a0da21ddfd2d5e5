import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { until } from '../../../test/until.ts'
import { identifier, sql } from '../../platform/database/sql.ts'
import { cancelJob, finishJobs, restartJob, startDueJobs } from './lifecycle.ts'
import { retryFailed } from './retry.ts'

const context = useEngineContext()

/**
 * Creates a role whose statements stop when they read the jobs, until the test releases them: after they have taken
 * their snapshot and before they lock a row. Only a row security policy can make PostgreSQL wait at that point.
 */
async function createStoppingRole() {
  const { db } = context
  const { role } = await db.one<{ role: string }>(sql`select 'stopping_' || current_database() as role`)
  await db.script(`
    create role ${role};
    grant all on all tables in schema public to ${role};
    create function wait_for_release() returns boolean language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(1); return true; end $$;
    create policy wait on jobs to ${role} using (wait_for_release());
    alter table jobs enable row level security`)
  const holder = db.dedicated()
  await holder.run(sql`select pg_advisory_lock(1)`)
  return {
    name: role,
    isWaiting: async () =>
      (await db.run(sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`)) > 0,
    release: async () => {
      await holder.run(sql`select pg_advisory_unlock(1)`)
      await holder.end()
    },
    [Symbol.asyncDispose]: async () => {
      await db.script(`
        alter table jobs disable row level security; drop policy wait on jobs; drop function wait_for_release();
        drop owned by ${role}; drop role ${role}`)
    },
  }
}

test('a sweep whose snapshot is older than a retry does not end the retried job', async () => {
  const { db } = context
  const job = await context.add.job({
    status: 'Running',
    recipients: ['1@g.us', '2@g.us'],
    deliveryStatus: 'sent',
  })
  await db.run(sql`update deliveries set status = 'failed' where job_id = ${job.id} and chat_id = '1@g.us'`)
  await db.run(sql`update jobs set cursor = (select max(id) + 1 from deliveries) where id = ${job.id}`)
  await using role = await createStoppingRole()

  const sweeping = db.begin(async (tx) => {
    await tx.run(sql`set local role ${identifier(role.name)}`)
    await finishJobs(tx)
  })
  await until('the sweep waits', role.isWaiting)
  // Another worker ends the job, a user retries it at once, and it is Running again.
  await finishJobs(db)
  expect(await context.jobStatus(job.id)).toBe('Completed')
  expect(await db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))).toBe('done')
  await startDueJobs(db)
  await role.release()
  await sweeping

  expect(await context.jobStatus(job.id)).toBe('Running')
  expect(await context.statuses(job.id)).toEqual(['queued', 'sent'])
})

test('a job that was deleted since it was read is not restarted, cancelled or retried', async () => {
  const gone = 999_999

  expect(await context.db.begin((tx) => restartJob(tx, gone, 'Ann'))).toBe('not_allowed')
  expect(await context.db.begin((tx) => cancelJob(tx, gone, 'Ann'))).toBe('not_allowed')
  expect(await context.db.begin((tx) => retryFailed(tx, gone, 'Ann', { includeUnknown: false }))).toBe(
    'not_allowed',
  )
})

test('many jobs end in a few transactions, neither one for each nor one for all', async () => {
  const { db } = context
  const { id: instanceId } = await context.add.instance()
  await db.run(sql`
    with added as (
      insert into jobs (job_type, text_content, instance_id, status, recipient_count, created_by_user_name, started_at,
        cursor)
      select 'SendToUsers', 'Hello', ${instanceId}::bigint, 'Running', 1, 'Ann', clock_now(), 1000000
      from generate_series(1, 450)
      returning id
    )
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, sent_at)
    select id, ${instanceId}::bigint, '1@s.whatsapp.net', '1', 'sent', clock_now() from added`)

  await finishJobs(db)

  const { ended, transactions } = await db.one<{ ended: number; transactions: number }>(sql`
    select count(*) as ended, count(distinct xmin::text) as transactions from jobs where status = 'Completed'`)
  expect(ended).toBe(450)
  expect(transactions).toBe(3)
})
