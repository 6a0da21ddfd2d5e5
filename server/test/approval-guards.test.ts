import { describe, expect, test } from 'vitest'
import { startDueJobs } from '../src/engine/jobs/lifecycle.ts'
import type { Tx } from '../src/platform/database/connection.ts'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import { countWaiting } from './locks.ts'
import { until } from './until.ts'

// The guards of approval are triggers and functions of the database. Each is removed here, to see that the attempt that
// it stops would succeed without it. test/guards has those of the program.

const context = useContext()

type Attempt = () => Promise<boolean>

async function account(approval: 'always' | 'above' = 'always') {
  const instance = await context.add.instance({ approval, approvalAbove: 10 })
  const user = await context.add.user({ instances: [instance] })
  const message = await context.add.message({ instanceId: instance.id })
  return { instanceId: instance.id, messageId: message.id, createdByUserId: user.id }
}

const review = (id: number) =>
  context.db.one<{ status: string; review: string | null }>(
    sql`select status, review from jobs where id = ${id}`,
  )
const isRunning = async (id: number) => (await review(id)).status === 'Running'

/** A job that somebody has approved. */
async function approvedJob(more: object = {}) {
  const { id } = await context.add.job({ ...(await account()), ...more })
  await context.db.run(sql`
    update jobs set review = 'approved', review_hash = job_content_hash(id) where id = ${id}`)
  return id
}

async function startApprovedAfter(change: (id: number) => ReturnType<typeof sql>) {
  const id = await approvedJob()
  await context.db.begin(async (tx) => {
    await tx.run(sql`set local session_replication_role = replica`)
    await tx.run(change(id))
  })
  await startDueJobs(context.db)
  return isRunning(id)
}

const insertJob = async (tx: Pick<Tx, 'one' | 'run'>, of: Awaited<ReturnType<typeof account>>) => {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into jobs (job_type, text_content, instance_id, message_id, created_by_user_id, created_by_user_name,
      recipient_count, scheduled_at)
    values ('SendToUsers', 'Hi', ${of.instanceId}, ${of.messageId}, ${of.createdByUserId}, 'An', 6,
      clock_now() + interval '1 hour')
    returning id`)
  return id
}
/** Waits until the other one is done as well, or is held up by a guard. */
const untilBoth = (done: () => boolean) =>
  until('both are done, or one waits', async () => done() || (await countWaiting(context.db)) > 0)
const areBothFree = async (ids: number[]) =>
  (await Promise.all(ids.map(review))).every((job) => job.review === null)

const blind = `create or replace function job_content_hash(of_job bigint) returns bytea language sql stable
  as $$ select '\\x00'::bytea $$`

const guards: Record<string, { removal: string; attempt: Attempt }> = {
  'the start needs an approval': {
    removal: 'drop trigger jobs_guard_start on jobs',
    attempt: async () => {
      const { id } = await context.add.job(await account())
      await context.db.run(sql`update jobs set status = 'Running' where id = ${id}`)
      return isRunning(id)
    },
  },
  'the start compares the text': {
    removal: blind,
    attempt: () => startApprovedAfter((id) => sql`update jobs set text_content = 'Scam' where id = ${id}`),
  },
  'the start compares the recipients': {
    removal: blind,
    attempt: () =>
      startApprovedAfter((id) => sql`update deliveries set chat_id = '9' || chat_id where job_id = ${id}`),
  },
  'a job is looked at when it is made': {
    removal: 'drop trigger jobs_approval on jobs',
    attempt: async () => {
      const { id } = await context.add.job({ ...(await account('above')), recipientCount: 11 })
      await startDueJobs(context.db)
      return isRunning(id)
    },
  },
  'a change voids': {
    removal: 'drop trigger jobs_approval_again on jobs',
    attempt: async () => {
      const id = await approvedJob()
      await context.db.run(
        sql`update jobs set text_content = 'Other', version = version + 1 where id = ${id}`,
      )
      return (await review(id)).review === 'approved'
    },
  },
  'a restart voids': {
    removal: 'drop trigger jobs_forget_review on jobs',
    attempt: async () => {
      const id = await approvedJob()
      await context.db.run(sql`update jobs set run = run + 1 where id = ${id}`)
      return (await review(id)).review === 'approved'
    },
  },
  'a rule holds for waiting jobs': {
    removal: 'drop trigger instances_approval on instances',
    attempt: async () => {
      const of = await account('above')
      const { id } = await context.add.job(of)
      await context.db.run(sql`update instances set approval = 'always' where id = ${of.instanceId}`)
      return (await review(id)).review === null
    },
  },
  'jobs of 24 hours add up': {
    removal: `create or replace function recipients_within_a_day(j jobs, of_user bigint) returns bigint language sql stable
      as $$ select j.recipient_count::bigint $$`,
    attempt: async () => {
      const of = await account('above')
      return areBothFree([await insertJob(context.db, of), await insertJob(context.db, of)])
    },
  },
  'jobs of the same moment add up': {
    removal: `do $do$ begin execute replace(pg_get_functiondef('needs_approval'::regproc),
      'pg_advisory_xact_lock(29004, ', 'coalesce(0, '); end $do$`,
    attempt: async () => {
      const of = await account('above')
      let decided = 0
      const order = () =>
        context.db.begin(async (tx) => {
          const id = await insertJob(tx, of)
          await tx.run(sql`set constraints jobs_approval immediate`)
          decided += 1
          await untilBoth(() => decided === 2)
          return id
        })
      return areBothFree(await Promise.all([order(), order()]))
    },
  },
  'deleted jobs add up': {
    removal: 'drop trigger jobs_keep_recipients on jobs',
    attempt: async () => {
      const of = await account('above')
      const id = await insertJob(context.db, of)
      await context.db.run(sql`update jobs set status = 'Completed', started_at = clock_now(),
        completed_at = clock_now() where id = ${id}`)
      await context.db.run(sql`delete from jobs where id = ${id}`)
      return areBothFree([await insertJob(context.db, { ...of })])
    },
  },
  'jobs of others add up for whoever changes them': {
    removal: `create or replace function jobs_within_a_day(of_user bigint, of_instance bigint) returns setof jobs
      language sql stable as $$ select * from jobs where created_by_user_id = of_user $$`,
    attempt: async () => {
      const of = await account('above')
      const other = await context.add.user({ instances: [{ id: of.instanceId }] })
      const id = await insertJob(context.db, of)
      await context.db.run(sql`update jobs set edited_by_user_id = ${other.id}, version = 2 where id = ${id}`)
      return areBothFree([await insertJob(context.db, { ...of, createdByUserId: other.id })])
    },
  },
  'a test that is changed is none': {
    removal: 'drop trigger jobs_end_test_send on jobs',
    attempt: async () => {
      const { id } = await context.add.job({ ...(await account()), messageId: null })
      await context.db.run(sql`update jobs set text_content = 'Scam', version = version + 1 where id = ${id}`)
      return (await review(id)).review === null
    },
  },
  'a rule waits for those who decide by the former one': {
    removal: `do $do$ begin execute replace(pg_get_functiondef('needs_approval'::regproc),
      'pg_advisory_xact_lock_shared(29005, ', 'coalesce(0, '); end $do$`,
    attempt: async () => {
      const of = await account('above')
      await context.db.run(sql`
        update instances set approval = 'never', approval_above = 5 where id = ${of.instanceId}`)
      let isBegun = false
      const begin = async () => {
        await context.db.run(sql`update instances set approval = 'above' where id = ${of.instanceId}`)
        isBegun = true
      }
      const { id, beginning } = await context.db.begin(async (tx) => {
        const id = await insertJob(tx, of)
        await tx.run(sql`set constraints jobs_approval immediate`)
        const beginning = begin()
        await untilBoth(() => isBegun)
        return { id, beginning }
      })
      await beginning
      return areBothFree([id])
    },
  },
}

// R-1385, R-1387, R-1388, R-1395, R-1396, R-1399
describe.each(Object.entries(guards))('%s', (_, { removal, attempt }) => {
  test('with the guard the attempt fails, and without it, it succeeds', async () => {
    expect(await attempt()).toBe(false)
    await context.db.script(removal)
    expect(await attempt()).toBe(true)
  })
})
