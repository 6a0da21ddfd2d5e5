import { expect, test } from 'vitest'
import { useEngineWorld } from '../../test/engine-world.ts'
import { identifier, sql } from '../platform/database/sql.ts'
import { finishJobs, startDueJobs } from './life.ts'
import { retryFailed } from './retry.ts'

const world = useEngineWorld()

/**
 * Whoever takes this role waits while it looks at the jobs, until the test lets go: its statement has its snapshot and
 * has locked nothing yet. A row security policy is the only place where PostgreSQL can be made to wait there.
 */
async function slowLook() {
  const { db } = world
  const { role } = await db.one<{ role: string }>(sql`select 'slow_' || current_database() as role`)
  await db.script(`
    create role ${role};
    grant all on all tables in schema public to ${role};
    create function look() returns boolean language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(1); return true; end $$;
    create policy look on jobs to ${role} using (look());
    alter table jobs enable row level security`)
  const holder = db.dedicated()
  await holder.run(sql`select pg_advisory_lock(1)`)
  return {
    role,
    isWaiting: async () =>
      (await db.run(sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`)) > 0,
    letGo: async () => {
      await holder.run(sql`select pg_advisory_unlock(1)`)
      await holder.end()
    },
    [Symbol.asyncDispose]: async () => {
      await db.script(`
        alter table jobs disable row level security; drop policy look on jobs; drop function look();
        drop owned by ${role}; drop role ${role}`)
    },
  }
}

test('a sweep that looked before a job was sent to the rest does not end it', async () => {
  const { db } = world
  const job = await world.add.job({
    status: 'Running',
    recipients: ['1@g.us', '2@g.us'],
    deliveryStatus: 'sent',
  })
  await db.run(sql`update deliveries set status = 'failed' where job_id = ${job.id} and chat_id = '1@g.us'`)
  await db.run(sql`update jobs set fresh_from = (select max(id) + 1 from deliveries) where id = ${job.id}`)
  await using look = await slowLook()

  const sweeping = db.begin(async (tx) => {
    await tx.run(sql`set local role ${identifier(look.role)}`)
    await finishJobs(tx)
  })
  await world.until(look.isWaiting)
  // Another worker ends it, and a person sends it to the rest at once; it is Running again.
  await finishJobs(db)
  expect(await world.jobStatus(job.id)).toBe('Completed')
  expect(await retryFailed(db, job.id, 'Ann', { includeUnknown: false })).toBe('done')
  await startDueJobs(db)
  await look.letGo()
  await sweeping

  expect(await world.jobStatus(job.id)).toBe('Running')
  expect(await world.statuses(job.id)).toEqual(['queued', 'sent'])
})
