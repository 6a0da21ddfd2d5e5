import type { DashboardStats } from '@sendroom/contract/dashboard'
import { type Caller, seesInstance, seesMessage } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'

type JobCounts = Pick<
  DashboardStats,
  'totalJobs' | 'pendingJobs' | 'runningJobs' | 'completedJobs' | 'failedJobs'
>

export async function countJobs(sql: Db, caller: Caller): Promise<JobCounts> {
  const [counts] = await sql<[JobCounts]>`
    select count(*) as total_jobs, count(*) filter (where j.status = 'Pending') as pending_jobs,
      count(*) filter (where j.status = 'Running') as running_jobs,
      count(*) filter (where j.status = 'Completed') as completed_jobs,
      count(*) filter (where j.status = 'Failed') as failed_jobs
    from jobs j where ${seesInstance(sql, caller, 'j.instance_id')}`
  return counts
}

export async function countMessages(sql: Db, caller: Caller): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*) from messages m where ${seesMessage(sql, caller, 'm')}`
  return count
}

/** Groups that the account has left are past: they count nowhere here. */
const visibleGroups = (sql: Db, caller: Caller) =>
  sql`groups g where g.left_at is null and ${seesInstance(sql, caller, 'g.instance_id')}`

type GroupFacts = {
  totalGroups: number
  /** Changes when these are other groups, or one of them was read anew. */
  fingerprint: string
}

export async function findGroupFacts(sql: Db, caller: Caller): Promise<GroupFacts> {
  const [facts] = await sql<[GroupFacts]>`
    select count(*) as total_groups,
      coalesce(bit_xor(hashtextextended(g.id || ' ' || coalesce(g.last_sync_at::text, ''), 0)), 0)::text
        as fingerprint
    from ${visibleGroups(sql, caller)}`
  return facts
}

export async function countParticipants(sql: Db, caller: Caller): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(distinct p.person_id) from participants p
    where p.group_id in (select g.id from ${visibleGroups(sql, caller)})`
  return count
}

export async function countSent(sql: Db, caller: Caller): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select coalesce(sum(c.sent), 0) as count from sent_counts c
    where ${seesInstance(sql, caller, 'c.instance_id')}`
  return count
}

/** The five groups that got most messages. */
export const findTopGroups = (sql: Db, caller: Caller) => sql<DashboardStats['topGroups']>`
  with sent as (
    select c.group_id, sum(c.sent) as count from sent_counts c
    where ${seesInstance(sql, caller, 'c.instance_id')} group by c.group_id
  )
  select g.name as group_name, g.participant_count, sent.count as messages_sent
  from sent join groups g on g.id = sent.group_id
  where g.left_at is null and sent.count > 0
  order by sent.count desc, g.name, g.id limit 5`

/** Adds up the changes since the last time; to be called once a minute or so. */
export const foldSentCounts = (sql: Db) => sql`
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
