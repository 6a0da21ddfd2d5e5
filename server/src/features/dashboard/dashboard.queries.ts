import type { DashboardStats } from '@sendroom/contract/dashboard'
import { type Caller, canSeeInstance, canSeeMessage } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'

type JobCounts = Pick<
  DashboardStats,
  'totalJobs' | 'pendingJobs' | 'runningJobs' | 'completedJobs' | 'failedJobs'
>

export async function countJobs(db: Db, caller: Caller): Promise<JobCounts> {
  const counts = await db.one<JobCounts>(sql`
    select count(*) as total_jobs, count(*) filter (where j.status = 'Pending') as pending_jobs,
      count(*) filter (where j.status = 'Running') as running_jobs,
      count(*) filter (where j.status = 'Completed') as completed_jobs,
      count(*) filter (where j.status = 'Failed') as failed_jobs
    from jobs j where ${canSeeInstance(caller, 'j.instance_id')}`)
  return counts
}

export async function countMessages(db: Db, caller: Caller): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) from messages m where ${canSeeMessage(caller, 'm')}`)
  return count
}

/** The dashboard does not count groups that the instance has left. */
const visibleGroups = (caller: Caller) =>
  sql`groups g where g.left_at is null and ${canSeeInstance(caller, 'g.instance_id')}`

type GroupFacts = {
  totalGroups: number
  /** Changes with the set of groups, and with every sync of one of them. */
  fingerprint: string
}

export async function findGroupFacts(db: Db, caller: Caller): Promise<GroupFacts> {
  const facts = await db.one<GroupFacts>(sql`
    select count(*) as total_groups,
      coalesce(bit_xor(hashtextextended(g.id || ' ' || coalesce(g.last_sync_at::text, ''), 0)), 0)::text
        as fingerprint
    from ${visibleGroups(caller)}`)
  return facts
}

export async function countParticipants(db: Db, caller: Caller): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(distinct p.person_id) from participants p
    where p.group_id in (select g.id from ${visibleGroups(caller)})`)
  return count
}

export async function countSent(db: Db, caller: Caller): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(sum(c.sent), 0) as count from sent_counts c
    where ${canSeeInstance(caller, 'c.instance_id')}`)
  return count
}

/** Returns the five groups that received the most messages. */
export const findTopGroups = (db: Db, caller: Caller) =>
  db.many<DashboardStats['topGroups'][number]>(sql`
  with sent as (
    select c.group_id, sum(c.sent) as count from sent_counts c
    where ${canSeeInstance(caller, 'c.instance_id')} group by c.group_id
  )
  select g.name as group_name, g.participant_count, sent.count as messages_sent
  from sent join groups g on g.id = sent.group_id
  where g.left_at is null and sent.count > 0
  order by sent.count desc, g.name, g.id limit 5`)

/**
 * Background job: adds up the rows of sent_counts. A trigger inserts a row for each change, because concurrent
 * updates of one row would wait for each other.
 */
export const foldSentCounts = (db: Pool) =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    await tx.run(FOLD)
  })

const FOLD = sql`
  with changed as (
    select instance_id, coalesce(group_id, 0) as group_id from sent_counts
    group by instance_id, coalesce(group_id, 0) having count(*) > 1
  ), folded as (
    delete from sent_counts c using changed
    where c.instance_id = changed.instance_id and coalesce(c.group_id, 0) = changed.group_id
    returning c.instance_id, c.group_id, c.sent
  )
  insert into sent_counts
  select instance_id, group_id, sum(sent) from folded group by instance_id, group_id having sum(sent) <> 0`
